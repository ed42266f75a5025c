// What may be asked below run/ and what is refused: by HTTP's rules and the manners of the server (docs/design/viewing.md). What is run is a shell's
// line, whose output and end are known by it.
#include "view/guided_runs.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "view/responder_fixture.hpp"
#include "view/server.hpp"

namespace ww::view {
namespace {

// Runs `sh -c` of what stands as the launch line; a faulty one is said to be so.
RunKnowledge by_shell() {
  return {[] {
            return nlohmann::json{{"programs", {"./app"}}};
          },
          [](const std::string& file) -> Result<RunForm> {
            if (file != "whatwire.toml") return wrong_usage("no such file of settings", file);
            return RunForm{"sh app", "", {{"start", "2"}}};
          },
          [](const std::string& program, int ranks) -> Result<std::string> {
            return "start " + std::to_string(ranks) + " " + program;
          },
          [](const RunForm& form) {
            GuidedPlan plan;
            if (form.launch.empty())
              plan.faults.push_back({"launch", Error{"nothing to run", "", "write a line", true}});
            plan.command = {"/bin/sh", "-c", form.launch};
            plan.shown = "whatwire record -- " + form.launch;
            plan.directory = "/nonexistent/app.ww";
            plan.output = "app.ww";
            return plan;
          }};
}

class Guided : public testing::Test {
 protected:
  Guided()
      : runs(by_shell(), answering.traces(),
             [](const std::filesystem::path& directory) {
               return std::make_shared<OpenTrace>(directory, nullptr);
             }),
        server(Server::listen(answering.responder(), {}, &runs).value()),
        root(server->url().substr(server->url().find('/', 8))) {}

  std::string head(const std::string& method, const std::string& path, const std::string& headers) {
    return method + " " + root + path + " HTTP/1.1\r\nHost: 127.0.0.1:7\r\n" + headers + "\r\n";
  }
  // The status that it is answered with; 100: the body is wanted.
  int status(const std::string& method, const std::string& path, const std::string& headers) {
    const Reply reply = server->exchange(head(method, path, headers));
    if (reply.wanted_body > 0) return reply.bytes.empty() ? 100 : -1;
    return std::stoi(reply.bytes.substr(9, 3));
  }
  int posted(const std::string& headers) { return status("POST", "run/check", headers); }
  nlohmann::json answer(const Response& response) { return nlohmann::json::parse(*response.body); }
  nlohmann::json last() { return answer(runs.get("list", ""))["runs"].back(); }
  nlohmann::json ended() {
    for (int i = 0; i < 500 && last()["goes"]; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return last();
  }
  void wait_for_output(const std::string& text) {
    for (int i = 0; i < 500 && answer(runs.get("output", "run=0"))["text"] != text; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Response start(const std::string& line) {
    return runs.post("start", nlohmann::json{{"launch", line}}.dump());
  }

  Answering answering;
  GuidedRuns runs;
  std::unique_ptr<Server> server;
  std::string root;
};

const std::string json_type = "Content-Type: application/json\r\n", ten = "Content-Length: 10\r\n";

TEST_F(Guided, NothingIsPostedWhereNothingIsRun) {
  const auto closed = Server::listen(answering.responder(), {}).value();
  const std::string at = closed->url().substr(closed->url().find('/', 8));
  for (const char* path : {"run/start", "run/check", "run/stop", "data/traces"}) {
    const Reply reply =
        closed->exchange("POST " + at + path + " HTTP/1.1\r\nHost: localhost\r\n" + json_type + ten + "\r\n");
    EXPECT_TRUE(reply.bytes.starts_with("HTTP/1.1 405 ")) << path << reply.bytes;
    EXPECT_NE(reply.bytes.find("Allow: GET, HEAD\r\n"), std::string::npos) << path;
    EXPECT_EQ(reply.wanted_body, 0U) << path;
  }
  EXPECT_TRUE(closed->exchange("GET " + at + "run/form HTTP/1.1\r\nHost: localhost\r\n\r\n")
                  .bytes.starts_with("HTTP/1.1 404 "));
  EXPECT_FALSE(answering.json("data/traces").contains("may_run"));
}

TEST_F(Guided, IsRefusedByItsHead) {
  EXPECT_EQ(posted(json_type + ten), 100);
  EXPECT_EQ(posted("Content-Type: Application/JSON; charset=utf-8\r\n" + ten), 100);
  EXPECT_EQ(posted("Origin: http://127.0.0.1:7\r\n" + json_type + ten), 100);
  for (const char* origin : {"http://evil.example", "http://127.0.0.1:8", "https://127.0.0.1:7", "null",
                             "http://127.0.0.1:7.evil.example"})
    EXPECT_EQ(posted("Origin: " + std::string(origin) + "\r\n" + json_type + ten), 403) << origin;
  EXPECT_EQ(posted("Origin: http://127.0.0.1:7\r\nOrigin: http://evil.example\r\n" + json_type + ten), 403);
  // What a form of another page can send.
  for (const char* type : {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "text/plain", "text/plain; application/json"})
    EXPECT_EQ(posted("Content-Type: " + std::string(type) + "\r\n" + ten), 415) << type;
  EXPECT_EQ(posted(ten), 415);
  for (const char* length :
       {"", "Content-Length: 0\r\n", "Content-Length: -1\r\n", "Content-Length: 1e3\r\n",
        "Content-Length: 10\r\nContent-Length: 10\r\n", "Content-Length: 10\r\nContent-Length: 11\r\n",
        "Transfer-Encoding: chunked\r\n", "Content-Length: 10\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 99999999999999999999999\r\n"})
    EXPECT_EQ(posted(json_type + length), 411) << length;
  EXPECT_EQ(posted(json_type + "Content-Length: 65536\r\n"), 100);
  EXPECT_EQ(posted(json_type + "Content-Length: 65537\r\n"), 413);
  EXPECT_EQ(status("PUT", "run/check", json_type + ten), 405);
  EXPECT_EQ(status("GET", "run/start", ""), 405);
  EXPECT_EQ(status("POST", "run/list", json_type + ten), 405);
  EXPECT_EQ(status("POST", "data/traces", json_type + ten), 405);
  EXPECT_EQ(status("POST", "", json_type + ten), 405);
  EXPECT_EQ(status("GET", "run/list", ""), 200);
  EXPECT_EQ(status("GET", "run/nothing", ""), 404);
  // By another name of this host (rebinding), and without the token.
  const std::string post = "POST " + root + "run/start HTTP/1.1\r\n";
  EXPECT_TRUE(server
                  ->exchange(post + "Host: evil.example\r\nOrigin: http://evil.example\r\n" + json_type +
                             ten + "\r\n")
                  .bytes.starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(server->exchange("POST /run/start HTTP/1.1\r\nHost: localhost\r\n" + json_type + ten + "\r\n")
                  .bytes.starts_with("HTTP/1.1 404 "));
}

// By a socket, as a browser does: the body may come later and in parts, and what comes behind it is no other request.
TEST_F(Guided, ABodyIsWaitedFor) {
  std::atomic<bool> stop = false;
  std::thread serving([&] { server->run([&] { return stop.load(); }); });
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string body = R"({"launch": "true"})",
                    request = head("POST", "run/check",
                                   json_type + "Content-Length: " + std::to_string(body.size()) + "\r\n");
  const auto say = [&](const std::string& text) {
    ASSERT_EQ(send(client, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  say(request.substr(0, 30));
  say(request.substr(30) + body.substr(0, 5));
  say(body.substr(5) + "GET / HTTP/1.1\r\n\r\n");
  std::string got;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = recv(client, piece.data(), piece.size(), 0)) > 0;)
    got.append(piece.data(), static_cast<std::size_t>(n));
  close(client);
  stop = true;
  serving.join();
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 ")) << got;
  EXPECT_NE(got.find("whatwire record -- true"), std::string::npos) << got;
  EXPECT_EQ(got.find("HTTP/1.1", 5), std::string::npos) << got;
}

TEST_F(Guided, AFormIsReadStrictly) {
  for (const char* wrong :
       {"", "[]", "{", "1", R"({"launch": 1})", R"({"settings": []})", R"({"settings": {"start": 2}})",
        R"({"command": "x"})", R"({"launch": ["sh"]})"}) {
    EXPECT_EQ(runs.post("check", wrong).status, 400) << wrong;
    EXPECT_EQ(runs.post("start", wrong).status, 400) << wrong;
  }
  for (const char* wrong : {"", "{}", R"({"run": "0"})", R"({"run": 0, "more": 1})"})
    EXPECT_EQ(runs.post("stop", wrong).status, 400) << wrong;
  EXPECT_EQ(runs.post("stop", R"({"run": 0})").status, 404);
  EXPECT_TRUE(answer(runs.get("list", ""))["runs"].empty());
}

TEST_F(Guided, WhatIsWrongIsSaidBesideItsField) {
  const auto checked = answer(runs.post("check", "{}"));
  EXPECT_EQ(checked["command"], nullptr);
  EXPECT_EQ(
      checked["faults"],
      nlohmann::json::parse(R"([{"field": "launch", "error": "nothing to run", "remedy": "write a line"}])"));
  const Response refused = runs.post("start", "{}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(answer(refused)["faults"], checked["faults"]);
  EXPECT_EQ(runs.get("settings", "file=..%2Fother.toml").status, 400);
  EXPECT_EQ(runs.get("settings", "").status, 400);
  EXPECT_EQ(runs.get("line", "program=./app&ranks=0").status, 400);
  EXPECT_EQ(runs.get("line", "program=./app&ranks=2&more=1").status, 400);
  EXPECT_EQ(answer(runs.get("line", "program=./app&ranks=2"))["launch"], "start 2 ./app");
}

TEST_F(Guided, OneRunsAtOnce) {
  ASSERT_EQ(start("echo first; exec sleep 60").status, 200);
  const Response second = start("echo second");
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(answer(second)["error"], "app.ww is still run");
  wait_for_output("first\n");
  EXPECT_EQ(runs.post("stop", R"({"run": 0})").status, 200);
  const auto stopped = ended();
  EXPECT_FALSE(stopped["goes"]);
  EXPECT_EQ(stopped["exit_code"], 130);  // by SIGINT: 128 + 2
  EXPECT_EQ(answer(runs.get("output", "run=0"))["text"], "first\n");
  EXPECT_EQ(runs.post("stop", R"({"run": 0})").status, 409);
  EXPECT_EQ(start("true").status, 200);
  EXPECT_EQ(ended()["run"], 1);
}

TEST_F(Guided, AFailureIsSaidWithWhatWhatwireSaid) {
  start("echo out; echo err >&2; printf 'whatwire: no rank\\n  see above\\n' >&2; exit 3");
  const auto failed = ended();
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["exit_code"], 3);
  EXPECT_EQ(failed["trace"], nullptr);
  EXPECT_EQ(failed["said"], "no rank\n  see above");
  EXPECT_EQ(failed["form"]["launch"].get<std::string>().substr(0, 8), "echo out");
  EXPECT_EQ(answer(runs.get("output", "run=0"))["text"], "out\nerr\nwhatwire: no rank\n  see above\n");
  EXPECT_EQ(runs.get("output", "run=1").status, 404);
}

TEST_F(Guided, TheEndWaitsForWhatGoes) {
  start("trap 'echo kept; exit 0' INT; echo ready; while :; do sleep 0.05; done");
  wait_for_output("ready\n");
  std::string said;
  runs.end([&](const std::string& name) { said = name; });
  EXPECT_EQ(said, "app.ww");
  EXPECT_FALSE(last()["goes"]);
  EXPECT_EQ(answer(runs.get("output", "run=0"))["text"], "ready\nkept\n");
  EXPECT_EQ(start("true").status, 409);
}

TEST(OutputTailOf, KeepsWhatCameLast) {
  OutputTail tail;
  std::string all;
  for (int i = 0; i < 30'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    all += line;
    tail.append(line);
  }
  EXPECT_LE(tail.text().size(), OutputTail::most_bytes);
  EXPECT_GT(tail.text().size(), OutputTail::most_bytes / 2);
  EXPECT_EQ(tail.dropped() + tail.text().size(), all.size());
  EXPECT_TRUE(all.ends_with("\n" + tail.text()));
}

// Also what ignores SIGINT, and what that started in a process group of its own.
TEST(ChildProcessOf, IsKilledWithAllThatItStarted) {
  auto child = ChildProcess::start(
      {"/bin/sh", "-c",
       "trap '' INT; setsid sh -c 'trap \"\" INT; echo $$; sleep 100; true' & echo $$; wait; true"});
  ASSERT_TRUE(child) << to_string(child.error());
  std::string printed;
  while (std::count(printed.begin(), printed.end(), '\n') < 2) ASSERT_TRUE(child->follow(printed));
  child->interrupt();
  EXPECT_TRUE(child->follow(printed));
  child->kill_with_all();
  while (child->follow(printed)) continue;
  EXPECT_EQ(child->exit_code(), 128 + SIGKILL);
  for (const std::string& number :
       {printed.substr(0, printed.find('\n')), printed.substr(printed.find('\n') + 1)}) {
    const pid_t process = std::stoi(number);
    int gone = 0;
    for (int i = 0; i < 200 && (gone = kill(process, 0)) == 0; ++i) {
      // Whose parent has not waited for it yet is a zombie, which is no process that goes on.
      std::ifstream stat("/proc/" + number.substr(0, number.find('\n')) + "/stat");
      std::string line;
      std::getline(stat, line);
      if (line.find(") Z ") != std::string::npos) gone = -1;
      if (gone != 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_NE(gone, 0) << process;
  }
}

TEST(ChildProcessOf, SaysWhyItCannotBeStarted) {
  const auto child = ChildProcess::start({"/nonexistent/whatwire", "record"});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().where, "No such file or directory");
}

}  // namespace
}  // namespace ww::view
