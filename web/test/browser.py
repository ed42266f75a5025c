"""Drives a real browser for the tests of pages: Chromium by its debugging pipe, Firefox by Marionette, with what Debian has and no package."""
import base64
import contextlib
import csv
import io
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

SIZE = (1440, 900)
# Keys by the names of KeyboardEvent.key: code of Windows for Chromium, code point of WebDriver for Firefox.
NAMED = {"Escape": (27, "\ue00c"), "Enter": (13, "\ue007"), "ArrowLeft": (37, "\ue012"), "ArrowRight": (39, "\ue014"), "ArrowUp": (38, "\ue013"),
         "ArrowDown": (40, "\ue015"), "Home": (36, "\ue011"), " ": (32, " ")}
SHIFT = "\ue008"


class Page:
    """What both can do. `run` evaluates the body of a function and gives what it returns, awaited."""

    def wait(self, condition, what=None, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f"return Boolean({condition})"):
                return
            time.sleep(0.05)
        errors = self.run("return [...document.querySelectorAll('#errors, .said, .fault:not([hidden])')].map((one) => one.textContent).join('; ')")
        raise AssertionError(f"after {seconds} s not yet: {what or condition} {errors}")

    def text(self, selector):
        return self.run(f"return document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def box(self, selector):
        return self.run(f"const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")

    def click_on(self, selector):
        left, top, width, height = self.box(selector)
        self.click(left + width / 2, top + height / 2)


class Chromium(Page):
    """`watched`: the page's errors and requests are told, for which the browser notes where in a script each came from: that takes it long."""

    def __init__(self, program, watched=True):
        self.profile = tempfile.mkdtemp(prefix="whatwire-chromium-")
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()

        def as_three_and_four():
            os.dup2(to_read, 3 if to_read != 4 else 3)
            os.dup2(from_write, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", f"--window-size={SIZE[0]},{SIZE[1]}"],
            preexec_fn=as_three_and_four, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.buffer, self.session = 0, b"", None
        self.problems, self.requests = [], []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network") if watched else ("Page",):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1], deviceScaleFactor=1, mobile=False)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                more = os.read(self.answers, 1 << 16)
                assert more, "the browser has ended"
                self.buffer += more
            one, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.notice(answer)

    def notice(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, url):
        self.send("Page.navigate", url=url)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(AssertionError):  # between two documents there is none
                if self.run("return document.readyState === 'complete' && location.href !== 'about:blank'") or url == "about:blank":
                    return
            time.sleep(0.05)
        raise AssertionError(f"{url} was not loaded")

    def run(self, body):
        result = self.send("Runtime.evaluate", expression=f"(async () => {{ {body} }})()", awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, f"{body}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y, count=1):
        self.move(x, y)
        for number in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=number)
            self.mouse("mouseReleased", x, y, button="left", clickCount=number)

    def drag(self, start, end, shift=False, steps=8):
        held = {"modifiers": 8 if shift else 0, "button": "left"}
        self.move(*start)
        self.mouse("mousePressed", *start, buttons=1, clickCount=1, **held)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", *(a + (b - a) * step / steps for a, b in zip(start, end)), buttons=1, **held)
        self.mouse("mouseReleased", *end, clickCount=1, **held)

    def wheel(self, x, y, down, control=False):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down, modifiers=2 if control else 0)

    def key(self, key):
        code, _ = NAMED.get(key, (ord(key.upper()) if len(key) == 1 and key.isalnum() else 0, None))
        text = {"text": key} if len(key) == 1 else {}
        shift = {"modifiers": 8} if len(key) == 1 and key.isupper() else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text, **shift)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, **shift)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            self.session = None
            self.send("Browser.close")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)


class Firefox(Page):
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="whatwire-firefox-")
        preferences = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
                       "app.update.enabled": False, "browser.aboutwelcome.enabled": False, "network.captive-portal-service.enabled": False,
                       "network.connectivity-service.enabled": False, "toolkit.telemetry.enabled": False}
        pathlib.Path(self.profile, "user.js").write_text("".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in preferences.items()))
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--no-remote", "--profile", self.profile], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env=dict(os.environ, MOZ_DISABLE_CONTENT_SANDBOX="1", HOME=self.profile))
        port_file, end = pathlib.Path(self.profile, "MarionetteActivePort"), time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().strip()):
            assert time.monotonic() < end and self.process.poll() is None, "Firefox does not listen"
            time.sleep(0.1)
        self.socket = socket.create_connection(("127.0.0.1", int(port_file.read_text())), 60)
        self.stream, self.number, self.problems = self.socket.makefile("rb"), 0, []
        self.read()
        self.send("WebDriver:NewSession", {})
        outer = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.send("WebDriver:SetWindowRect", {"width": SIZE[0] + outer[0], "height": SIZE[1] + outer[1]})

    def read(self):
        length = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "the browser has ended"
            length += byte
        return json.loads(self.stream.read(int(length)))

    def send(self, command, parameters):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self.read()
        assert error is None, f"{command}: {error}"
        return result

    def open(self, url):
        self.send("WebDriver:Navigate", {"url": url})

    def run(self, body):
        script = f"const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then((value) => done([value ?? null]), (error) => done(String(error)));"
        value = self.send("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"]
        assert isinstance(value, list), f"{body}: {value}"
        return value[0]

    def act(self, actions, keys=None):
        sources = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]
        if keys:
            sources.append({"type": "key", "id": "keys", "actions": keys})
        self.send("WebDriver:PerformActions", {"actions": sources})
        self.send("WebDriver:ReleaseActions", {})

    @staticmethod
    def at(x, y):
        return {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}

    def move(self, x, y):
        self.send("WebDriver:PerformActions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [self.at(x, y)]}]})

    def click(self, x, y, count=1):
        self.act([self.at(x, y)] + [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}] * count)

    def drag(self, start, end, shift=False, steps=8):
        between = [self.at(*(a + (b - a) * step / steps for a, b in zip(start, end))) for step in range(1, steps + 1)]
        pointer = [self.at(*start), {"type": "pointerDown", "button": 0}, *between, {"type": "pointerUp", "button": 0}]
        self.act(pointer, [{"type": "keyDown", "value": SHIFT}] + [{"type": "pause"}] * (len(pointer) - 1) if shift else None)

    def wheel(self, x, y, down, control=False):
        keys = [{"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": "\ue009"}]}] if control else []
        self.send("WebDriver:PerformActions", {"actions": keys + [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": down, "duration": 0}]}]})
        self.send("WebDriver:ReleaseActions", {})

    def key(self, key):
        value = NAMED[key][1] if key in NAMED else key
        self.send("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})
        self.send("WebDriver:ReleaseActions", {})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.send("WebDriver:TakeScreenshot", {"full": False})["value"]))

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            self.send("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.socket.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


@contextlib.contextmanager
def browser(program, **how):
    page = (Firefox if "firefox" in pathlib.Path(program).name else Chromium)(program, **how)
    try:
        yield page
    finally:
        page.close()


@contextlib.contextmanager
def served(command):
    """The address that `whatwire view` says, while it runs."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(30)


def saved_table(page, display):
    """The numbers that a display saves as CSV, as one dictionary a row."""
    page.run("window.saved = []; window.make_url ??= URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved.push(blob); return window.make_url(blob); }")
    page.click_on(f".pane[data-display={display}] .pane-tools button")
    page.wait("document.querySelector('.menu')", "the menu of what can be saved")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.startsWith('CSV')).click()")
    page.wait("window.saved.length > 0", "the CSV")
    return list(csv.DictReader(io.StringIO(page.run("return await window.saved.at(-1).text()"))))
