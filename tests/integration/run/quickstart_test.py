"""The quickstart as its user runs it: configs/quickstart.toml on the real text, with two ranks."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import SZLAUNCH, json_lines

ROOT = pathlib.Path(__file__).resolve().parents[3]
MARGIN = 0.5  # nats a token below the text's unigram entropy
LIMIT = 840


def fetch_text():
    """Does nothing where the text is there."""
    fetched = subprocess.run(["./scripts/fetch_corpus.sh"], cwd=ROOT, capture_output=True, encoding="utf-8")
    if fetched.returncode != 0:
        raise unittest.SkipTest(f"no text to train on: {fetched.stderr.strip()}")


class Quickstart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fetch_text()
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="quickstart-"))
        cls.addClassCleanup(shutil.rmtree, cls.out, ignore_errors=True)

    def train(self, *settings):
        options = [word for setting in settings for word in ("--set", setting)]
        result = subprocess.run([SZLAUNCH, "run", "configs/quickstart.toml", "-n", "2", "--set", f"run.out={self.out}",
                                 *options], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                                timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout + result.stderr

    def assert_learnt(self, said):
        lines = re.findall(r"validation (\w+): loss (\S+) nats a token, unigram entropy of the text (\S+)", said)
        self.assertEqual([language for language, _, _ in lines], ["en", "zh"], said)
        for language, loss, entropy in lines:
            self.assertLess(float(loss), float(entropy) - MARGIN, language)

    def decisions(self):
        return json_lines(self.out / "quickstart" / "decisions.jsonl")


class QuickstartTest(Quickstart):
    def test_english_and_chinese_are_learnt(self):
        said = self.train()
        self.assert_learnt(said)
        samples = re.findall(r"sample: (.*)", said)
        self.assertEqual(len(samples), 2, said)
        self.assertGreater(len(samples[1]), len("春天来了，"))


class QuickstartInHalfPrecisionTest(Quickstart):
    """A healthy run: the scale's watchers find nothing to do."""

    def test_english_and_chinese_are_learnt_in_fp16(self):
        self.assert_learnt(self.train("plugins.amp_o2.enabled=true", 'plugins.amp_o2.dtype="fp16"'))
        told = {decision["what"] for decision in self.decisions()}
        self.assertIn("dtype_plan", told)
        self.assertFalse(told & {"gradient_instability", "loss_scale", "verdict", "rollback", "clip", "vanishing"}, told)


if __name__ == "__main__":
    unittest.main()
