"""The page of `edgetwin serve` in Chromium, as a user works with it. usage: page_test.py PROGRAM FILES"""
import os
import signal
import subprocess
import re
import sys
import unittest

from browser import Browser, find_chromium

PROGRAM, FILES = sys.argv[1], os.path.abspath(sys.argv[2])
MODES = ["PatternTracker", "LoomingDetector", "OpticalFlow", "VisualCompass", "MatMulEngine", "ReservoirComputer",
         "EmbeddingSimilarity", "SimpleInvoker", "SpotTracker"]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--width", "320", "--height", "240",
                                       FILES + "/add.tflite"],
                                      stdout=subprocess.PIPE, text=True)
        url = re.match(r"open (\S+)", cls.server.stdout.readline()).group(1)
        cls.b = Browser(find_chromium())
        cls.b.size(1280, 900)
        cls.b.open(url)
        cls.b.wait("document.getElementById('algorithm').options.length === 9")

    @classmethod
    def tearDownClass(cls):
        cls.b.close()
        cls.server.send_signal(signal.SIGTERM)
        cls.server.wait(5)
        cls.server.stdout.close()

    def text(self, name):
        return self.b.run(f"document.getElementById('{name}').textContent")

    def choose(self, name, value):
        self.b.run(f"(()=>{{const e=document.getElementById('{name}');e.value='{value}';e.dispatchEvent(new Event('change'))}})()")

    def test_1_all_modes(self):
        for mode in MODES:
            self.choose("algorithm", mode)
            self.b.wait(f"fetch('api/state').then(r=>r.json()).then(j=>j.algorithm === '{mode}')")
        self.b.wait("document.getElementById('values').textContent.includes('direction')")
        self.b.wait("document.getElementById('video').naturalWidth === 320")
        self.assertIn("TWIN", self.text("badge"))

    def test_2_apply_a_parameter(self):
        self.choose("algorithm", "OpticalFlow")
        self.b.wait("document.getElementById('param-search_range') !== null")
        self.assertTrue(self.b.run("document.getElementById('apply').disabled"))
        self.b.run("(()=>{const e=document.getElementById('param-search_range');e.value=3;e.dispatchEvent(new Event('input',{bubbles:true}))})()")
        self.b.run("document.getElementById('apply').click()")
        self.b.wait("document.getElementById('apply').disabled")
        self.assertEqual(self.b.run("fetch('api/state').then(r=>r.json()).then(j=>j.params.search_range)"), 3)

    def test_3_drag_a_template(self):
        self.choose("algorithm", "PatternTracker")
        self.b.wait("document.getElementById('values').textContent.includes('pattern chosenno')")
        box = self.b.run("(()=>{const r=document.getElementById('video').getBoundingClientRect();return [r.x,r.y,r.width,r.height]})()")
        at = lambda x, y: (box[0] + box[2] * x, box[1] + box[3] * y)
        # Places that come while the start is on its way do not overtake it.
        self.b.run("(()=>{window.plainFetch=window.fetch;window.fetch=async(path,...rest)=>{"
                   "if(path==='drag_start')await new Promise(done=>setTimeout(done,300));"
                   "return window.plainFetch(path,...rest)}})()")
        self.b.mouse("mousePressed", *at(0.3, 0.3))
        for share in (0.4, 0.5, 0.6):
            self.b.mouse("mouseMoved", *at(share, share))
        self.b.mouse("mouseReleased", *at(0.6, 0.6))
        self.b.wait("document.getElementById('values').textContent.includes('pattern chosenyes')")
        self.b.run("(()=>{window.fetch=window.plainFetch})()")
        self.assertEqual(self.b.problems, [])

    def test_4_file_and_layer(self):
        self.b.run("document.getElementById('tab-files').click()")
        self.b.choose_file("#file", FILES + "/add.tflite")
        # The list has it and the graph is drawn; findings may come later.
        self.b.wait("document.getElementById('opened').options.length === 2 && document.getElementById('opened').value === '2'"
                    " && document.querySelectorAll('.node').length === 1"
                    " && document.getElementById('file-text').textContent.endsWith('1 operator')")
        self.b.run("document.getElementById('run').click()")
        self.b.wait("document.getElementById('file-text').textContent.includes('computed on twin')")
        x, y = self.b.run("(()=>{const r=document.querySelector('.node').getBoundingClientRect();return [r.x+20,r.y+10]})()")
        self.b.mouse("mousePressed", x, y)
        self.b.mouse("mouseReleased", x, y)
        self.b.wait("document.querySelectorAll('#layer .histogram').length > 0")
        self.assertIn("#0 ADD", self.text("layer"))
        name = self.b.run("document.getElementById('opened').value")
        value = self.b.run(f"fetch('api/info?id={name}').then(r=>r.json()).then(j=>j.network.operators[0].outputs[0])")
        elements = self.b.run(f"fetch('api/tensor?id={name}&value={value}').then(r=>r.json()).then(j=>j.stats.elements)")
        self.assertIn(f"values{elements}", self.text("layer"))

    def test_5_description_and_chips(self):
        self.b.run("document.getElementById('tab-files').click()")
        for name in ("small_test.yaml", "net.onnx", "net_samples.npy"):
            self.b.choose_file("#file", FILES + "/" + name)
            self.b.wait(f"document.getElementById('file-text').textContent.startsWith('{name}')")
        self.b.run("(()=>{const o=document.getElementById('opened');o.value=[...o.options].find(x=>x.textContent.includes('yaml')).value;o.dispatchEvent(new Event('change'))})()")
        self.b.wait("!document.getElementById('max78').hidden")
        self.b.run("(()=>{const e=document.getElementById('max78-input_shape');e.value='2x8x8';e.dispatchEvent(new Event('change',{bubbles:true}))})()")
        self.b.wait("document.querySelectorAll('.node').length === 3")
        self.b.wait("document.querySelector('#special .drawing') && document.querySelector('#special .drawing').naturalWidth > 0")
        self.b.run("document.getElementById('tab-chips').click()")
        self.b.wait("!document.getElementById('chips-go').disabled")
        self.b.run("document.getElementById('chips-go').click()")
        self.b.wait("document.querySelectorAll('#chips-answers .curves path').length >= 3")
        self.assertIn("chips give the best answer of float32", self.text("chips-answers"))
        self.b.run("document.getElementById('chips-live').click()")
        self.b.wait("document.getElementById('chips-answers').textContent.includes(\"camera's picture\")")
        self.b.run("document.getElementById('chips-live').click()")

    def test_6_several_files_search_and_estimate(self):
        self.b.run("document.getElementById('tab-files').click()")
        self.b.choose_files("#file", [FILES + "/color.png", FILES + "/residual.onnx"])
        self.b.wait("document.getElementById('file-text').textContent.startsWith('residual.onnx') && document.querySelectorAll('.node').length > 5")
        # The line of the residual goes around the convolution between its ends.
        self.b.wait("[...document.querySelectorAll('.edge')].some(e => (e.getAttribute('d').match(/C/g) || []).length >= 2)")
        self.b.run("(()=>{const e=document.getElementById('search');e.value='maxpool';e.dispatchEvent(new Event('input'))})()")
        self.b.wait("document.querySelectorAll('.node.found').length === 1")
        self.b.run("document.getElementById('graph').focus()")
        self.b.run("document.getElementById('graph').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}))")
        self.b.wait("document.getElementById('layer').textContent.includes('#0 Conv')")
        self.b.run("document.getElementById('estimate-go').click()")
        self.b.wait("document.getElementById('estimated').textContent.includes('quantize')")
        # A picture is among what calibrates.
        self.b.run("document.getElementById('tab-chips').click()")
        self.b.wait("[...document.getElementById('chips-samples').options].some(o => o.textContent === 'color.png')")

    def test_7_a_recording_is_replayed(self):
        self.b.run("document.getElementById('tab-live').click()")
        self.b.choose_file("#replay-file", FILES + "/session.json")
        self.b.wait("document.getElementById('replayed').textContent.includes('gave the same bytes')")
        self.b.choose_file("#replay-file", FILES + "/train_cases.json")
        self.b.wait("document.getElementById('message').textContent.includes('recording')")
        self.b.problems = [p for p in self.b.problems if "api/replay" not in p and "api/estimate" not in p]

    def test_9_nothing_wide_nothing_wrong(self):
        for view in ("live", "files", "chips"):
            self.b.run(f"document.getElementById('tab-{view}').click()")
            for width in (390, 1280, 2560):
                for dark in (False, True):
                    self.b.size(width, 900, dark)
                    self.assertLessEqual(self.b.run("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0, (view, width))
        unnamed = self.b.run("[...document.querySelectorAll('button,select,input')].filter(e=>!e.textContent.trim()&&!e.labels?.length&&!e.getAttribute('aria-label')).length")
        self.assertEqual(unnamed, 0)
        self.assertEqual(self.b.problems, [])


if __name__ == "__main__":
    if find_chromium() is None:
        print("skipped: Chromium is not installed")
        sys.exit(77)
    unittest.main(argv=["page_test"])
