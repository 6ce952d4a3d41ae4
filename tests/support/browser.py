"""A headless browser for tests, driven over a pipe by the DevTools protocol; the standard library is
enough."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = "chromium chromium-browser google-chrome google-chrome-stable".split()


def program():
    """The browser to use; None if there is none."""
    return next(filter(None, map(shutil.which, [os.environ.get("BROWSER", ""), *PROGRAMS])), None)


class Failure(Exception):
    """The browser did not answer, or said that the page is at fault."""


class Browser:
    """A browser with one page; a context manager."""

    def __init__(self, size=(1200, 900), dark=False):
        self.profile = tempfile.mkdtemp(prefix="accord-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)

        # The browser reads from 3 and writes to 4. What stands there now may be one of ours.
        def arrange():
            spare = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", f"--window-size={size[0]},{size[1]}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=arrange, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.pending, self.number, self.events = b"", 0, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(*size)
        self.dark(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close", limit=10)
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        """The next message."""
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.into], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.into, 1 << 16) if ready else b""
            if not piece:
                raise Failure("the browser does not answer")
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, limit=60, **params):
        """Calls a method of the protocol; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + limit
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def size(self, width, height):
        """The size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def dark(self, dark):
        """What the page is told of the reader's taste."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        """Opens a file; waits until its scripts have run."""
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}{fragment}")
        deadline = time.monotonic() + 60
        while self.value("document.readyState + location.protocol") != "completefile:":
            if time.monotonic() > deadline:
                raise Failure("the page does not load")
            time.sleep(0.05)

    def value(self, script):
        """What a script in the page gives."""
        got = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise Failure(got["exceptionDetails"].get("exception", {}).get("description", script))
        return got["result"].get("value")

    def click(self, selector, **more):
        """Clicks in the middle of an element."""
        where = self.value(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: "center"}}); const b = e.getBoundingClientRect();
            return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
        self.click_at(*where, **more)

    def click_at(self, x, y, **more):
        """Clicks at a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
                      **more)

    def key(self, key, text=""):
        """Presses a key."""
        codes = {"Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "ArrowUp": 38}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                  windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def faults(self):
        """What the page complained of since it was opened: exceptions, errors, requests."""
        self.value("1")
        said = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(params["exceptionDetails"].get("exception", {}).get("description", "?"))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                said.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:")):
                    said.append(f"asks for {url}")
        return said

    def picture(self, path):
        """A PNG of the window."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
