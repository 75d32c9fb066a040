"""`edgetwin serve` against a scripted client. usage: server_test.py PROGRAM FILES"""
import http.client
import json
import math
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

PROGRAM, FILES = sys.argv[1], sys.argv[2]
MODES = ["SpotTracker", "PatternTracker", "LoomingDetector", "OpticalFlow", "VisualCompass", "MatMulEngine",
         "ReservoirComputer", "EmbeddingSimilarity", "SimpleInvoker"]


def start(*options):
    process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *options], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    # What it says before that line is kept for the message: a program that goes on running would
    # never end what is read here.
    said = ""
    guard = threading.Timer(60, process.kill)
    guard.start()
    for line in process.stdout:
        found = re.match(r"open http://([^:/]+):(\d+)/(?:\?token=(\w+))?", line)
        if found:
            guard.cancel()
            return process, int(found.group(2)), found.group(3)
        said += line
    raise AssertionError("never opened: " + said)


class Client:
    def __init__(self, port, **headers):
        self.port, self.headers = port, {k.replace("_", "-"): v for k, v in headers.items()}

    def raw(self, method, path, body=None, headers=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        link.request(method, path, body, {**self.headers, **(headers or {})})
        answer = link.getresponse()
        data = answer.read()
        link.close()
        return answer, data

    def get(self, path):
        answer, data = self.raw("GET", path)
        return answer.status, json.loads(data)

    def post(self, path, body):
        answer, data = self.raw("POST", path, body if isinstance(body, bytes) else json.dumps(body),
                                {"Content-Type": "application/json"})
        return answer.status, json.loads(data)

    def metrics(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        link.request("GET", "/metrics", headers=self.headers)
        line = link.getresponse().readline()
        link.close()
        return json.loads(line[len("data: "):])


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process, cls.port, _ = start("--width", "320", "--height", "240", FILES + "/add.tflite")
        cls.client = Client(cls.port)

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGINT)
        try:
            cls.process.wait(20)
        except subprocess.TimeoutExpired:
            cls.process.kill()
            raise
        cls.process.stdout.close()

    def wait_for(self, condition):
        until = time.time() + 60  # a sanitizer's build on a busy machine takes seconds for a picture
        while time.time() < until:
            made = self.client.metrics()
            if condition(made):
                return made
            time.sleep(0.05)
        self.fail("never: " + json.dumps(made))

    def wait_for_frames(self, count):
        until = self.client.metrics()["frame"] + count
        self.wait_for(lambda m: m["frame"] >= until)

    def test_page_and_security_headers(self):
        answer, data = self.client.raw("GET", "/")
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<title>edgetwin</title>", data)
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])

    def test_openapi_is_what_the_server_has(self):
        _, document = self.client.get("/openapi.json")
        for path, methods in document["paths"].items():
            if path in ("/video_feed", "/metrics"):
                continue
            for method in methods:
                body = b"{" if method == "post" else None
                answer, _ = self.client.raw(method.upper(), path, body)
                self.assertNotEqual(answer.status, 404, path)
            other = "GET" if "get" not in methods else "POST"
            self.assertEqual(self.client.raw(other, path, b"")[0].status, 404, path)
        self.client.post("/switch_algorithm", {"algorithm": "SpotTracker"})
        if self.client.metrics()["paused"]:
            self.client.post("/pause", {})

    def test_all_modes(self):
        for mode in MODES:
            status, made = self.client.post("/switch_algorithm", {"algorithm": mode})
            self.assertEqual((status, made["success"], made["algorithm"]), (200, True, mode))
            self.assertEqual(set(made["schema"]), set(made["params"]))
            self.assertEqual(self.client.get("/param_schema?algorithm=" + mode)[1], made["schema"])
            seen = self.wait_for(lambda m: m["algorithm"] == mode and (m["values"] or m["message"]))
            self.assertGreater(seen["latency_ms"], 0)

    def test_spot_is_where_the_dot_is(self):
        self.client.post("/switch_algorithm", {"algorithm": "SpotTracker", "params": {"variant": "green"}})
        self.wait_for(lambda m: m["algorithm"] == "SpotTracker" and "x" in m)
        for _ in range(5):
            time.sleep(0.1)
            made = self.client.metrics()
            at = (made["camera_frame"] - 1) / 30  # the dot's own formula
            self.assertAlmostEqual(made["x"], 0.5 * math.sin(2 * at), delta=0.15, msg=made)
            self.assertAlmostEqual(made["y"], 0.5 * math.cos(2.8 * at), delta=0.15, msg=made)

    def test_flow_goes_to_the_right(self):
        self.client.post("/switch_algorithm", {"algorithm": "OpticalFlow"})
        self.assertEqual(self.wait_for(lambda m: m.get("vx", 0) != 0)["direction"], "right")

    def test_virtual_device_beside_the_twin(self):
        for mode in ("SpotTracker", "LoomingDetector", "OpticalFlow"):
            status, made = self.client.post("/switch_algorithm", {"algorithm": mode, "device": "virtual", "beside": True})
            self.assertEqual(status, 200, made)
            seen = self.wait_for(lambda m: m["algorithm"] == mode and m["comparison"] and m["comparison"]["runs"] > 2)
            self.assertEqual((seen["comparison"]["different"], seen["comparison"]["runs_different"]), (0, 0))
            self.assertIn("VIRTUAL", seen["mode"])
        status, made = self.client.post("/switch_algorithm", {"algorithm": "MatMulEngine"})
        self.assertEqual((status, made["device"]), (200, "virtual"), made)
        seen = self.wait_for(lambda m: m["algorithm"] == "MatMulEngine" and m["comparison"] and m["comparison"]["runs"] > 2)
        self.assertEqual(seen["comparison"]["runs_different"], 0)
        self.client.post("/switch_algorithm", {"algorithm": "SpotTracker", "device": "twin"})

    def test_drag_sets_a_pattern(self):
        self.client.post("/switch_algorithm", {"algorithm": "PatternTracker"})
        self.wait_for(lambda m: m.get("has_pattern") is False)
        for path, x, y in (("drag_start", 100, 80), ("drag_move", 150, 120), ("drag_end", 180, 160)):
            self.assertEqual(self.client.post("/" + path, {"x": x, "y": y})[0], 200)
        self.wait_for(lambda m: m.get("has_pattern") is True and "x" in m)

    def test_click_keeps_pictures(self):
        self.client.post("/switch_algorithm", {"algorithm": "EmbeddingSimilarity"})
        self.wait_for(lambda m: m.get("kept") == 0)
        self.client.post("/click", {"x": 5, "y": 5})
        made = self.wait_for(lambda m: m.get("kept") == 1)
        self.assertEqual(made["matches"][0]["label"], "0")

    def test_pause_and_step(self):
        self.assertEqual(self.client.post("/api/step", {})[0], 400)
        self.assertTrue(self.client.post("/pause", {})[1]["paused"])
        self.assertEqual(self.client.post("/api/step", {})[0], 200)
        self.assertFalse(self.client.post("/pause", {})[1]["paused"])

    def test_wrong_input(self):
        wrong = [("/switch_algorithm", {"algorithm": "Nope"}), ("/switch_algorithm", b"{"), ("/switch_algorithm", []),
                 ("/apply_params", {"algorithm": "SpotTracker", "params": {"image_size": 3, "size": 1}}),
                 ("/apply_params", {"params": 7}), ("/apply_params", {"device": "gpu"}),
                 ("/apply_params", {"algorithm": "OpticalFlow", "params": {"pool_factor": 8}}),
                 ("/click", {"x": "here", "y": 1}), ("/click", {}), ("/drag_end", {"x": 1, "y": 1}),
                 ("/api/camera", {"source": "/etc"}), ("/api/camera", {"source": "synthetic:nope"}),
                 ("/api/record", {}), ("/api/replay", {"format": "x"}), ("/api/open?name=x", b"nothing"),
                 ("/api/open?name=x.tflite", b"\x1c\0\0\0TFL3" + b"\xff" * 64), ("/api/run", {"id": "999"}),
                 ("/api/close", {"id": "-"}), ("/api/chips", {"id": "999"})]
        for path, body in wrong:
            status, made = self.client.post(path, body)
            self.assertEqual(status, 400, (path, body, made))
            self.assertTrue(made["error"])
        for path in ("/param_schema?algorithm=x", "/api/info?id=x", "/api/tensor?id=1&value=x", "/api/tensor?id=1&value=99999",
                     "/api/diff?a=1&b=9", "/api/check?id=9", "/api/estimate?id=9", "/api/explain?rule=x"):
            self.assertEqual(self.client.get(path)[0], 400, path)
        _, made = self.client.post("/apply_params", {"algorithm": "SpotTracker", "params": {"image_size": 3, "size": 1}})
        self.assertEqual(made["error"], "there is no parameter 'size'; image_size: '3' is not one of 64, 128")
        self.assertEqual(self.client.raw("GET", "/../etc/passwd")[0].status, 404)

    def test_files(self):
        with open(FILES + "/add.tflite", "rb") as file:
            data = file.read()
        status, made = self.client.post("/api/open?name=../../second.tflite", data)
        self.assertEqual((status, made["name"], made["kind"]), (200, "second.tflite", "tflite"))
        second = made["id"]
        network = self.client.get("/api/info?id=1")[1]["network"]
        self.assertEqual(network["operators"][0]["type"], "ADD")
        out = network["operators"][0]["outputs"][0]
        self.assertEqual(self.client.get(f"/api/tensor?id={second}&value={out}")[0], 400)
        self.assertEqual(self.client.post("/api/run", {"id": second, "input": "xs32:1"})[0], 200)
        tensor = self.client.get(f"/api/tensor?id={second}&value={out}")[1]
        self.assertEqual(sum(tensor["stats"]["histogram"]), tensor["stats"]["elements"])
        self.assertTrue(self.client.get(f"/api/diff?a=1&b={second}")[1]["equal"])
        self.assertEqual(self.client.get("/api/check?id=1&target=edgetpu")[0], 200)
        self.assertEqual(self.client.post("/api/close", {"id": second})[0], 200)
        self.assertEqual(self.client.get(f"/api/info?id={second}")[0], 400)

    def test_chips(self):
        ids = []
        for name in ("net.onnx", "net_samples.npy"):
            with open(FILES + "/" + name, "rb") as file:
                ids.append(self.client.post("/api/open?name=" + name, file.read())[1]["id"])
        status, made = self.client.post("/api/chips", {"id": ids[0], "calibration": ids[1]})
        self.assertEqual(status, 200, made)
        fits = {c["target"]: c["fits"] for c in made["chips"]}
        self.assertTrue(fits["esp32p4"] and fits["edgetpu"])
        self.assertFalse(fits["max78000"])
        self.assertTrue(all(c["reason"] for c in made["chips"] if not c["fits"]))
        for one in ids:
            self.client.post("/api/close", {"id": one})

    def test_recording_is_replayed(self):
        self.client.post("/switch_algorithm", {"algorithm": "OpticalFlow"})
        self.assertEqual(self.client.post("/api/record", {"on": True})[0], 200)
        self.wait_for_frames(4)
        self.client.post("/switch_algorithm", {"algorithm": "EmbeddingSimilarity"})
        self.client.post("/click", {"x": 9, "y": 9})
        self.wait_for_frames(4)
        self.client.post("/api/record", {"on": False})
        recording = self.client.get("/api/recording")[1]
        self.assertGreater(len(recording["digests"]), 5)
        made = self.client.post("/api/replay", recording)[1]
        self.assertEqual((made["equal"], made["frames"]), (True, len(recording["digests"])))
        recording["digests"][3] = "0" * 64
        made = self.client.post("/api/replay", recording)[1]
        self.assertEqual((made["equal"], made["first_difference"]), (False, 3))
        recording["camera"] = "/etc"
        self.assertEqual(self.client.post("/api/replay", recording)[0], 400)

    def test_other_sites_are_refused(self):
        self.assertEqual(Client(self.port, Host="evil.example:%d" % self.port).get("/api/state")[0], 403)
        self.assertEqual(Client(self.port, Origin="http://evil.example").post("/pause", {})[0], 403)
        self.assertEqual(Client(self.port, Sec_Fetch_Site="cross-site").post("/pause", {})[0], 403)
        self.assertEqual(Client(self.port, Origin="http://127.0.0.1:%d" % self.port).get("/api/state")[0], 200)

    def test_fifty_clients_and_one_that_never_reads(self):
        lazy = socket.create_connection(("127.0.0.1", self.port))
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lazy.sendall(b"GET /video_feed HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % self.port)
        before = self.client.metrics()["frame"]
        pictures, refused = [], []

        def watch():
            link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            link.request("GET", "/video_feed")
            data = b""
            answer = link.getresponse()
            while data.count(b"--frame") < 4:
                part = answer.read1(65536)
                if not part:  # the server ended the stream
                    refused.append((answer.status, data[:200]))
                    return
                data += part
            link.close()
            pictures.append(data)

        threads = [threading.Thread(target=watch) for _ in range(50)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((len(pictures), refused), (50, []))
        self.assertTrue(all(b"\xff\xd8" in p for p in pictures))
        self.assertGreater(self.client.metrics()["frame"], before)
        lazy.close()

    def test_clients_that_left_keep_no_place(self):
        for _ in range(300):  # each asks once and leaves
            link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            link.request("GET", "/metrics")
            answer = link.getresponse()
            self.assertEqual((answer.status, answer.readline()[:6]), (200, b"data: "))
            link.close()

    def test_many_switches(self):
        for i in range(1000):
            mode = MODES[i % 5]
            self.assertEqual(self.client.post("/switch_algorithm", {"algorithm": mode})[0], 200)


class Token(unittest.TestCase):
    def test_other_hosts_need_it(self):
        process, port, token = start("--host", "0.0.0.0", "--width", "64", "--height", "64")
        try:
            self.assertTrue(token)
            self.assertEqual(Client(port).get("/api/state")[0], 401)
            self.assertEqual(Client(port, Authorization="Bearer " + "0" * len(token)).get("/api/state")[0], 401)
            self.assertEqual(Client(port, Authorization="Bearer " + token).get("/api/state")[0], 200)
            self.assertEqual(Client(port, Cookie="a=b; edgetwin=" + token).get("/api/state")[0], 200)
            answer, _ = Client(port).raw("GET", "/?token=" + token)
            self.assertIn("HttpOnly", answer.headers["Set-Cookie"])
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=["server_test", *sys.argv[3:]])
