"""Time from a step that is asked for to its picture in the hands of a client of the page.

usage: serve_latency.py PROGRAM [RUNS]

The page is paused; each POST /api/step makes the camera's next picture, the module computes it, and the
JPEG comes on /video_feed. The time is that of the whole way over the loopback, without the browser's
drawing."""
import http.client
import json
import re
import statistics
import subprocess
import sys
import time

PROGRAM = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
MODES = ["SpotTracker", "PatternTracker", "LoomingDetector", "OpticalFlow", "VisualCompass", "MatMulEngine",
         "ReservoirComputer", "EmbeddingSimilarity"]


def post(port, path, body):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = link.getresponse()
    answer.read()
    link.close()
    assert answer.status == 200, (path, answer.status)


def next_picture(stream):
    length = None
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        found = re.match(rb"Content-Length: (\d+)", line, re.IGNORECASE)
        if found:
            length = int(found.group(1))
        if line == b"\r\n" and length is not None:
            return stream.read(length)


def main():
    server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--width", "640", "--height", "480"],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
        for mode in MODES:
            post(port, "/switch_algorithm", {"algorithm": mode})
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            link.request("GET", "/video_feed")
            stream = link.getresponse()
            next_picture(stream)
            post(port, "/pause", {})
            time.sleep(0.3)
            times = []
            for _ in range(RUNS):
                begin = time.perf_counter()
                post(port, "/api/step", {})
                next_picture(stream)
                times.append(1e3 * (time.perf_counter() - begin))
            times.sort()
            print(f"{mode:20} median {statistics.median(times):6.1f} ms, 95 % below {times[int(0.95 * RUNS)]:6.1f} ms")
            post(port, "/pause", {})
            link.close()
    finally:
        server.terminate()
        server.wait(10)


main()
