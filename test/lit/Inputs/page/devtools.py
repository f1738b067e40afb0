"""A headless Chromium, spoken to by the DevTools protocol over a pipe."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe"]


class Browser:
    """One page. Use as a context: leaving it ends the browser and removes its profile."""

    def __init__(self, width=1600, height=1200):
        self.profile = tempfile.mkdtemp(prefix="blink-page.")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def descriptors():  # the protocol's are 3 and 4
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen([CHROMIUM, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
                                        close_fds=False, preexec_fn=descriptors, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.read_end, 1 << 16)
            if not data:
                raise RuntimeError("the browser is gone")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, address=""):
        """Opens a file; returns the seconds until it has loaded and drawn."""
        begin = time.monotonic()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + address)
        self.evaluate("new Promise((done) => { const ready = () => requestAnimationFrame(() => setTimeout(done)); "
                      "document.readyState === 'complete' ? ready() : addEventListener('load', ready); })")
        return time.monotonic() - begin

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return answer["result"].get("value")

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        code = {"ArrowLeft": 37, "ArrowRight": 39, " ": 32, "/": 191, "Enter": 13}.get(key, ord(key[0]))
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **(text if kind == "keyDown" else {}))

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))

    def complaints(self):
        """What the console said that is no good, and what was fetched beside the page itself."""
        words = []
        for event in self.events:
            method, details = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                words.append(details["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                words.append(details["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
                words.append(str([one.get("value") for one in details["args"]]))
            elif method == "Network.requestWillBeSent" and not details["documentURL"] == details["request"]["url"].split("#")[0]:
                words.append("fetched " + details["request"]["url"][:100])
        return words

    def nameless(self):
        """Controls that a screen reader has no name for."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "link", "searchbox", "textbox", "combobox", "slider", "checkbox", "img", "image", "region"}
        return [node["role"]["value"] for node in nodes
                if not node.get("ignored") and node.get("role", {}).get("value") in roles
                and not node.get("name", {}).get("value")]
