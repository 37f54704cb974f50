"""scripts/skipped.awk lists what was skipped inside suites that ctest calls passed."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(os.environ["SCRIPTS"], "skipped.awk")

LOG = """\
1/5 Testing: ops.Matrix
1/5 Test: ops.Matrix
Command: "ops_test"
[ RUN      ] Matrix.Half
matrix_test.cpp:12: Skipped
the CPU has no AVX-512

[  SKIPPED ] Matrix.Half (0 ms)
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Matrix.Half
2/5 Testing: run.DiskTest
2/5 Test: run.DiskTest
Command: "python3"
test_full (__main__.DiskTest.test_full) ... skipped 'no tmpfs here: \\'mount\\' failed'
test_lock (__main__.DiskTest.test_lock)
A run folder in use. ... ok
test_told (__main__.DiskTest.test_told)
One with a description. ... skipped 'taken'
3/5 Testing: run.Quickstart
3/5 Test: run.Quickstart
Command: "python3"
setUpClass (__main__.Quickstart) ... skipped "it's offline"
4/5 Testing: abi.headers
4/5 Test: abi.headers
Command: "check_headers.sh"
skipped: clang is not installed
5/5 Testing: run.Fine
5/5 Test: run.Fine
Command: "python3"
test_fine (__main__.Fine.test_fine) ... ok
"""

LISTED = """\
skipped: ops.Matrix: Matrix.Half: the CPU has no AVX-512
skipped: run.DiskTest: test_full: no tmpfs here: \\'mount\\' failed
skipped: run.DiskTest: test_told: taken
skipped: run.Quickstart: setUpClass: it's offline
skipped: abi.headers: clang is not installed
"""


class SkippedTest(unittest.TestCase):
    def test_each_skip_with_its_suite_and_reason(self):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
            log.write(LOG)
            log.flush()
            result = subprocess.run(["awk", "-f", SCRIPT, log.name], check=True, capture_output=True, text=True,
                                    timeout=60)
        self.assertEqual(result.stdout, LISTED)

    def test_the_log_of_python_itself(self):
        """What unittest prints, in the version at hand."""
        with tempfile.TemporaryDirectory() as folder:
            program, log = pathlib.Path(folder, "probe.py"), pathlib.Path(folder, "log")
            program.write_text("import unittest\nclass Probe(unittest.TestCase):\n    def test_it(self):\n"
                               "        'Told.'\n        self.skipTest('why not')\nunittest.main()\n")
            ran = subprocess.run(["python3", program, "-v"], check=True, capture_output=True, text=True, timeout=60)
            log.write_text("1/1 Test: probe\n" + ran.stderr)
            listed = subprocess.run(["awk", "-f", SCRIPT, log], check=True, capture_output=True, text=True, timeout=60)
        self.assertEqual(listed.stdout, "skipped: probe: test_it: why not\n")


if __name__ == "__main__":
    unittest.main()
