"""`whatwire view` as a browser meets it, and a run that hangs. Expectations: `whatwire report --json` and `simulate --json` of the
same trace, HTTP's rules, and what the hanging program does by its source."""
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from support import EXAMPLES, WHATWIRE, Case

HOSTILE = r"""
#include <mpi.h>
#include <whatwire/marker.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ww_region_begin("</script><img src=x onerror=alert(1)>");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "\"><svg onload=alert(2)>");
  ww_marker("\x1b]0;title\x07 'quoted' \"twice\" \xff");
  MPI_Barrier(comm);
  ww_region_end("</script><img src=x onerror=alert(1)>");
  MPI_Finalize();
  return 0;
}
"""
HANG = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 40 + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""


class Served(Case):
    @contextlib.contextmanager
    def viewer(self, *arguments):
        """A running `whatwire view`: its process, and its address as (host, port, "/TOKEN/")."""
        process = subprocess.Popen([WHATWIRE, "view", "--json", *map(str, arguments)], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        try:
            line = process.stdout.readline()
            self.assertTrue(line, process.stderr.read() if process.poll() is not None else "it says nothing")
            url = urllib.parse.urlsplit(json.loads(line)["url"])
            self.address = (url.hostname, url.port)
            self.root = url.path
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(20), 0)
            process.stdout.close()
            process.stderr.close()

    def ask(self, path, method="GET", root=None, headers=None, **query):
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        target = (self.root if root is None else root) + path + ("?" + urllib.parse.urlencode(query) if query else "")
        connection.request(method, target, headers=headers or {})
        answer = connection.getresponse()
        answer.text = answer.read()
        connection.close()
        return answer

    def data(self, path, status=200, **query):
        answer = self.ask("data/" + path, **query)
        self.assertEqual(answer.status, status, answer.text[:500])
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return json.loads(answer.text)


class Viewing(Served):
    def test_manners(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        with self.viewer("t.ww"):
            page = self.ask("")
            self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            self.assertIn(b"view.js", page.text)
            self.assertEqual(self.ask("view.js").headers["Content-Type"], "text/javascript; charset=utf-8")
            policy = page.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe-inline", policy)
            self.assertEqual(page.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(page.headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(page.headers["Cache-Control"], "no-store")
            head = self.ask("", method="HEAD")
            self.assertEqual((head.status, head.text, head.headers["Content-Length"]), (200, b"", str(len(page.text))))
            # Without the token nothing is said, whatever is asked for.
            other = self.root[:-2] + ("0" if self.root[-2] != "0" else "1") + "/"
            for root in ("/", other, self.root[:-2] + "/", "/../" + self.root[1:], self.root.upper() + "x"):
                answer = self.ask("data/traces", root=root)
                self.assertEqual((answer.status, answer.text), (404, b""), root)
            # A page whose name leads here (rebinding) asks by that name.
            self.assertEqual(self.ask("", headers={"Host": "evil.example"}).status, 403)
            for host in (f"localhost:{self.address[1]}", "127.0.0.1:9", "[::1]:80"):
                self.assertEqual(self.ask("", headers={"Host": host}).status, 200, host)
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
                answer = self.ask("data/traces", method=method)
                self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET, HEAD"), method)
            for path in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "view.js/", "data/0/..", "data//trace", "data/-1/trace"):
                self.assertEqual(self.ask(path).status, 404, path)
            # Many ranges of one answer would be larger than it.
            ranged = self.ask("", headers={"Range": "bytes=" + ",".join(["0-"] * 1000)})
            self.assertEqual((ranged.status, len(ranged.text)), (200, len(page.text)))

    def test_answers_are_those_of_the_commands(self):
        self.succeed("record", "-o", "r.ww", "--", "mpirun", "--oversubscribe", "-n", "2", EXAMPLES / "ring",
                     "--messages", "20", "--length", "500", "--work", "50")
        with self.viewer("r.ww", "--machine", "comet"):
            self.assertEqual(self.data("0/report"), self.json_of("report", "r.ww", "--machine", "comet"))
            part = self.json_of("report", "r.ww", "--machine", "comet", "--ranks", "1", "--calls", "p2p", "--ask", "waits",
                                "--ask", "queues")
            selection = {"ranks": "1", "calls": "p2p"}
            for question in ("waits", "queues"):
                self.assertEqual(self.data("0/ask", question=question, **selection), part.pop(question))
            self.assertEqual(self.data("0/report", **selection), part)
            told = self.succeed("report", "r.ww", "--machine", "comet").stdout
            causes = self.data("0/first")["causes"]
            for cause in causes:
                self.assertIn(cause["text"], told)
            self.assertEqual(len(causes), min(3, len(self.data("0/report").get("causes", causes))))
            recorded = self.data("0/trace")
            self.assertEqual(recorded["messages"], sum(r["messages_sent"] for r in self.data("0/report")["ranks"]))
            count = self.data("0/query", sql="SELECT count(*) FROM messages")
            self.assertEqual(count["rows"], [[recorded["messages"]]])

            predicted = self.data("0/predict", what_if="bandwidth=x10")
            simulated = self.json_of("simulate", "r.ww", "--machine", "comet", "--what-if", "bandwidth=x10")
            for key in ("recorded_s", "replayed_s", "predicted_s", "predicted_low_s", "predicted_high_s", "assumptions"):
                self.assertEqual(predicted[key], simulated[key], key)
            made = self.data(f"{predicted['trace']}/trace")
            self.assertEqual(made["kind"], "predicted")
            self.assertAlmostEqual(made["elapsed_s"], predicted["predicted_s"], 8)
            quick = self.data("0/predict", what_if="bandwidth=x10", quick=1)
            self.assertEqual(quick["predicted_s"], predicted["predicted_s"])
            self.assertIsNone(quick["predicted_low_s"])
            wrong = self.data("0/predict", 400, what_if="machine=/etc/passwd")
            self.assertIn("no such preset", wrong["error"])
            self.assertEqual(self.data("0/report", 400, rank=1)["remedy"], "do you mean ranks?")

    def test_read_only_and_without_a_model(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        with self.viewer("t.ww"):
            self.assertIn("--machine", self.data("0/predict", 409, what_if="bandwidth=x2")["remedy"])
        with self.viewer("t.ww", "--read-only", "--machine", "comet"):
            self.assertTrue(self.data("traces")["read_only"])
            self.data("0/predict", 403, what_if="bandwidth=x2")
            self.data("0/query", 403, sql="SELECT 1")
            self.data("0/report")
        missing = self.run_whatwire("view", "nothing.ww")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no such trace", missing.stderr)

    def test_several_traces_and_ways_to_name_them(self):
        for name in ("a.ww", "b.ww"):
            self.succeed("record", "-o", name, "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        predicted = ("simulate", "a.ww", "--machine", "comet", "--what-if", "latency=x2", "-o", "p.ww")
        self.succeed(*predicted)
        with self.viewer("a.ww", "b.ww/traces.otf2", "p.ww/"):
            traces = self.data("traces")["traces"]
            self.assertEqual([t["name"] for t in traces], ["a.ww", "b.ww", "p.ww"])
            self.assertEqual([t["kind"] for t in traces], ["recorded", "recorded", "predicted"])
            self.assertEqual(self.data("1/report"), self.json_of("report", "b.ww"))
            # A predicted run brings its own model.
            again = self.data("2/predict", what_if="latency=x0.5")
            simulated = self.json_of("simulate", "p.ww", "--what-if", "latency=x0.5")
            self.assertEqual(again["predicted_s"], simulated["predicted_s"])
            port = str(self.address[1])
            taken = self.run_whatwire("view", "a.ww", "--port", port, "--no-browser")
            self.assertEqual(taken.returncode, 1)
            self.assertIn("cannot listen", taken.stderr)
        # The index is kept: nothing but it is read for the description.
        with self.viewer("a.ww"):
            self.assertEqual(self.data("0/trace")["messages"], sum(r["messages_sent"] for r in self.data("0/report")["ranks"]))
        self.assertTrue((self.dir / "a.ww/view.index").exists())

    def test_opens_a_browser_where_there_is_a_screen(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        (self.dir / "xdg-open").write_text(f"#!/bin/sh\nprintf %s \"$1\" > {self.dir}/opened\n")
        (self.dir / "xdg-open").chmod(0o755)
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION")}
        environment["PATH"] = f"{self.dir}:{environment['PATH']}"

        def told(more, *arguments):
            process = subprocess.Popen([WHATWIRE, "view", "t.ww", *arguments], cwd=self.dir, env=dict(environment, **more),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            url = process.stdout.readline().strip()
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[1]
            self.assertEqual(process.returncode, 0)
            opened = self.dir / "opened"
            seen = opened.read_text() if opened.exists() else None
            opened.unlink(missing_ok=True)
            return url, said, seen

        url, said, seen = told({"DISPLAY": ":0"})
        self.assertEqual(seen, url)
        self.assertNotIn("ssh -N -L", said)
        self.assertIsNone(told({"DISPLAY": ":0"}, "--no-browser")[2])
        url, said, seen = told({"DISPLAY": "localhost:10", "SSH_CONNECTION": "1 2 3 4"})
        self.assertIsNone(seen)
        port = urllib.parse.urlsplit(url).port
        self.assertIn(f"ssh -N -L {port}:127.0.0.1:{port} ", said)

    def test_hostile_names_stay_text(self):
        program = self.compile(HOSTILE, "hostile", "OPENMPI_CC", f"-I{os.environ['BUILD']}/../../include",
                               f"-L{os.environ['BUILD']}/lib", "-lwhatwire-marker")
        self.succeed("record", "-o", "h.ww", "--", "mpirun", "-n", "2", program)
        with self.viewer("h.ww"):
            facts = self.data("0/trace")
            self.assertEqual(facts["user_regions"], ["</script><img src=x onerror=alert(1)>"])
            for path in ("0/trace", "0/find?text=script", "0/find?text=title", "0/ask?question=regions"):
                answer = self.ask("data/" + path)
                self.assertEqual(answer.headers["Content-Type"], "application/json")
                json.loads(answer.text)
                self.assertFalse(set(answer.text) & set(range(0x20)), path)  # no control character, even within texts
            self.assertIn("quoted", self.data("0/find", text="title")["found"][0]["text"])
            self.assertNotIn(b"onerror", self.ask("").text)  # the page itself has nothing of the trace

    def test_slow_clients_stop_nobody(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        with self.viewer("t.ww"):
            self.data("0/report")
            ended = threading.Event()
            sockets = [socket.create_connection(self.address) for _ in range(200)]

            def drip():
                text = f"GET {self.root}data/traces HTTP/1.1\r\nHost: localhost\r\nX: ".encode()
                at = 0
                while not ended.wait(1):
                    for one in sockets:
                        with contextlib.suppress(OSError):
                            one.send(text[at:at + 1] or b"x")
                    at += 1

            thread = threading.Thread(target=drip)
            thread.start()
            try:
                slowest = 0
                until = time.monotonic() + 5
                while time.monotonic() < until:
                    begun = time.monotonic()
                    self.data("0/report")
                    slowest = max(slowest, time.monotonic() - begun)
                    time.sleep(0.05)
                self.assertLess(slowest, 2)
            finally:
                ended.set()
                thread.join()
                for one in sockets:
                    one.close()
            # One that asks for much and takes nothing holds nobody up either.
            greedy = [socket.create_connection(self.address) for _ in range(50)]
            for one in greedy:
                one.sendall(f"GET {self.root}view.js HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 20)
            begun = time.monotonic()
            self.data("0/report")
            self.assertLess(time.monotonic() - begun, 2)
            for one in greedy:
                one.close()

    def test_malformed_requests_end_their_connection_only(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        with self.viewer("t.ww"):
            for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"A" * 20000,
                         b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 3000,
                         b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                         b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"):
                with socket.create_connection(self.address) as one, contextlib.suppress(OSError):
                    one.settimeout(20)
                    one.sendall(text)
                    one.shutdown(socket.SHUT_WR)
                    got = b""
                    while piece := one.recv(4096):
                        got += piece
                    self.assertIn(got[9:12], (b"", b"400", b"404", b"414"), (text[:40], got[:60]))
            self.data("0/report")


class Hanging(Served):
    def look_at(self, compiler, launcher):
        program = self.compile(HANG, "hang", compiler)
        recorder = subprocess.Popen([WHATWIRE, "record", "-o", "hang.ww", "--", *launcher, program], cwd=self.dir,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until and not all((self.dir / f"hang.ww/spool/rank-{r}.defs").exists() for r in (0, 1)):
                time.sleep(0.05)
            with self.viewer("hang.ww"):
                self.assertEqual(self.data("traces")["traces"][0]["kind"], "live")
                while True:
                    live = self.data("0/live")
                    if live["ring"]:
                        break
                    self.assertLess(time.monotonic(), until, live)
                    time.sleep(0.1)
                self.assertTrue(live["running"])
                self.assertEqual(live["ring"], [0, 1])
                for rank in live["ranks"]:
                    self.assertEqual((rank["state"], rank["call"]), ("in-call", "MPI_Recv"))
                    self.assertGreaterEqual(rank["for_ns"], 1_000_000_000)
                    self.assertEqual((rank["peer"], rank["tag"], rank["comm"]),
                                     (1 - rank["rank"], 40 + rank["rank"], "MPI_COMM_WORLD"))
                time.sleep(0.5)
                later = self.data("0/live")
                for before, after in zip(live["ranks"], later["ranks"]):
                    self.assertEqual(before["since_ns"], after["since_ns"])
                    self.assertGreaterEqual(after["for_ns"] - before["for_ns"], 400_000_000)
                self.data("0/trace", 409)
                recorder.send_signal(signal.SIGINT)
                recorder.wait(60)
                self.assertEqual(self.data("0/trace")["kind"], "recorded")
                self.assertEqual(self.data("traces")["traces"][0]["kind"], "recorded")
                last = self.data("0/live")
                self.assertFalse(last["running"])
                self.assertEqual([r["call"] for r in last["ranks"]], ["MPI_Recv", "MPI_Recv"])
        finally:
            if recorder.poll() is None:
                os.killpg(recorder.pid, signal.SIGKILL)
                recorder.wait()

    def test_open_mpi(self):
        self.look_at("OPENMPI_CC", ["mpirun.openmpi", "--oversubscribe", "-n", "2"])

    def test_mpich(self):
        self.look_at("CC_OF_MPICH", ["mpirun.mpich", "-n", "2"])
