"""Chromium without a window, driven by its own protocol over two pipes."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="edgetwin-chromium-")
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()
        wanted = {3: os.dup(to_read), 4: os.dup(from_write)}

        def place():
            for fd, source in wanted.items():
                os.dup2(source, fd)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-quic", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.next, self.answers, self.text = 1, {}, b""
        self.session = None
        self.problems = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **params):
        number = self.next
        self.next += 1
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        end = time.time() + 30
        while number not in self.answers:
            self.read(end)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def read(self, end):
        if not select.select([self.from_read], [], [], max(0, end - time.time()))[0]:
            raise TimeoutError("Chromium does not answer")
        self.text += os.read(self.from_read, 1 << 20)
        *whole, self.text = self.text.split(b"\0")
        for part in whole:
            message = json.loads(part)
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("method") == "Runtime.exceptionThrown":
                self.problems.append(message["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.problems.append(message["params"]["entry"]["text"] + " " + message["params"]["entry"].get("url", ""))

    def run(self, script):
        made = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in made:
            raise RuntimeError(str(made["exceptionDetails"].get("exception", made["exceptionDetails"])))
        return made["result"].get("value")

    def wait(self, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if self.run(condition):
                return
            time.sleep(0.05)
        raise AssertionError("never true: " + condition)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def choose_file(self, selector, path):
        self.choose_files(selector, [path])

    def choose_files(self, selector, paths):
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=paths)

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
