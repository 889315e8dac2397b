"""Chromium without a window, driven by its DevTools protocol over two pipes [https://chromedevtools.github.io]."""

import base64
import contextlib
import functools
import http.server
import json
import os
import select
import subprocess
import tempfile
import threading
import time

SECONDS = 30  # that one answer may take


class Page:
    """One page. What its console says of errors is kept in `complaints`."""

    def __init__(self, chromium, profile):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def give_pipes():  # the protocol's are descriptors 3 and 4
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._browser = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._count = 0
        self._session = None
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self._browser.kill()
        self._browser.wait()
        os.close(self._in)
        os.close(self._out)

    def _message(self, until):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise ConnectionError("the browser has ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **arguments):
        self._count += 1
        request = {"id": self._count, "method": method, "params": arguments}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            message = self._message(until)
            if message.get("id") == self._count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        said = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(said["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif message.get("method") == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.complaints.append(said["entry"]["text"])

    def run(self, script):
        """The value of an expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition):
        """Until an expression is true."""
        until = time.monotonic() + SECONDS
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def open(self, address, width, height, dark=False):
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")  # a fragment alone loads nothing anew
        self.call("Page.navigate", url=address)

    def forget(self, site):
        """What the site's pages have kept; no page of it is open afterwards, for an open one could keep it again."""
        self.call("Page.navigate", url="about:blank")
        self.call("Storage.clearDataForOrigin", origin=site.rstrip("/"), storageTypes="local_storage")

    def go_on(self, address):
        """To another page of the same site: in half of the time of open(), for the site's process stays."""
        self.call("Page.navigate", url=address)
        self.wait(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def key(self, key, **more):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, selector):
        """As a person does: into the middle of what is seen."""
        # What has scrolled is hit at its new place once it has been drawn there.
        x, y = self.run(f"""(async () => {{ const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center"}});
            for (let n = 0; n < 2; ++n) await new Promise(requestAnimationFrame);
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served(folder):
    """The folder's address on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def page(chromium):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        opened = Page(chromium, profile)
        try:
            yield opened
        finally:
            opened.close()
