"""`szlaunch data scores` and the scores that a run's plugins ask for, on a tiny text."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
import harness

SCORERS = ["tfidf", "syntax", "embed"]


class ScoresTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sz_scores_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        harness.write_corpus(self.folder / "text", 30)
        self.config = self.folder / "run.toml"
        self.config.write_text(harness.toml({
            "run": {"name": "scores", "out": str(self.folder / "runs")},
            "model": {"layers": 1, "width": 16, "heads": 2},
            "data": {"paths": [str(self.folder / "text")], "cache": str(self.folder / "cache"), "vocabulary": 400,
                     "validation": 0.1},
            "train": {"context": 32, "steps": 2, "micro_batch": 4},
            "launch": {"threads": 1},
            "plugins": {"search": [harness.TEST_PLUGINS]},
        }), encoding="utf-8")

    def command(self, *sets, verb=("data", "scores"), ranks=()):
        arguments = [harness.SZLAUNCH, *verb, str(self.config), *ranks]
        for one in sets:
            arguments += ["--set", one]
        return arguments

    def look(self, *sets, code=0):
        done = subprocess.run(self.command(*sets), capture_output=True, text=True, timeout=harness.LIMIT)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def score_files(self, end):
        return sorted(self.folder.glob(f"cache/*/scores/*{end}"))

    def test_all_three_scorers_are_shown_and_reused(self):
        enabled = [f"plugins.scorer_{name}.enabled=true" for name in SCORERS]
        text, _ = self.look(*enabled)
        for name in SCORERS:
            for language in ("en", "zh"):
                self.assertRegex(text, rf"{name}, {language}: \d+ samples, mean")
        for word in ("easiest", "middle", "hardest", "█", "rank correlation", "routes: chinese"):
            self.assertIn(word, text)
        self.assertEqual(len(self.score_files(".bin")), 6)
        before = {path: path.stat().st_mtime_ns for path in self.score_files(".bin")}
        again, log = self.look(*enabled)
        self.assertEqual(text, again)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in self.score_files(".bin")})
        self.assertNotIn("scorer tfidf: train", log)

    def test_a_third_partys_scorer_is_one_by_name(self):
        text, _ = self.look("plugins.scorer_length.enabled=true")
        self.assertRegex(text, r"length, en: \d+ samples")
        self.assertIn("routes: characters", text)

    def test_without_a_scorer_it_says_what_to_enable(self):
        _, log = self.look(code=2)
        self.assertIn("plugins.scorer_tfidf.enabled=true", log)

    def test_a_killed_pass_goes_on_to_the_same_scores(self):
        whole, _ = self.look("plugins.scorer_syntax.enabled=true")
        for path in self.score_files(".bin"):
            path.unlink()
        process = subprocess.Popen(self.command("plugins.scorer_syntax.enabled=true"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + harness.LIMIT
        while process.poll() is None and time.monotonic() < deadline:
            if any(path.stat().st_size > 0 for path in self.score_files(".part")):
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
        process.wait(timeout=harness.LIMIT)
        resumed, _ = self.look("plugins.scorer_syntax.enabled=true")
        self.assertEqual(whole, resumed)
        self.assertEqual(self.score_files(".part"), [])

    def test_a_missing_model_names_the_command(self):
        _, log = self.look("plugins.scorer_embed.enabled=true", "plugins.scorer_embed.models=/nowhere", code=3)
        self.assertIn("./scripts/setup.sh", log)

    def test_plugins_of_a_run_get_the_scores_on_every_rank(self):
        sets = ["plugins.scorer_length.enabled=true", "plugins.test_score_reader.enabled=true"]
        done = subprocess.run(self.command(*sets, verb=("run",), ranks=("-n", "2")), capture_output=True, text=True,
                              timeout=harness.LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = [line for line in harness.json_lines(self.folder / "runs/scores/metrics.jsonl") if "loss" in line]
        text, _ = self.look("plugins.scorer_length.enabled=true")
        found = [(int(n), float(mean)) for n, mean in re.findall(r"length, \w+: (\d+) samples, mean ([\d.e+]+),", text)]
        mean = sum(n * value for n, value in found) / sum(n for n, _ in found)
        published = [value for line in steps for key, value in line.items() if key == "test_score_reader.train"]
        self.assertTrue(published, steps)
        self.assertAlmostEqual(published[0], mean, delta=2e-3 * mean)


if __name__ == "__main__":
    unittest.main()
