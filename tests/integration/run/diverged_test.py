"""A loss that is no number is shown as such wherever a run shows its loss."""
import math
import unittest

from events import scalars
from harness import RunCase


class DivergedTest(RunCase):
    def diverge(self, *options):
        """Decay beyond all measure: parameters grow a thousandfold a step until their products overflow."""
        self.write(train={"steps": 1000, "max_bad": 3, "stable_after": 0}, checkpoint={"every": 1, "keep": 1},
                   optimizer={"lr": 10.0, "weight_decay": 100.0})
        result = self.train(*options, code=5)
        self.assertRegex(result.stderr, r"train\.max_bad")
        return result

    def test_in_metrics_tensorboard_and_progress(self):
        self.diverge()
        lines = self.metrics()
        bad = [line for line in lines if line["verdict"] != "apply"]
        self.assertEqual([line["loss"] for line in bad], ["nan"] * 3)
        self.assertEqual(lines[-3:], bad)
        last = lines[-4]["step"]
        self.assertEqual([line["step"] for line in lines[:-3]], list(range(1, last + 1)))

        (path,) = (self.run_folder() / "tb").iterdir()
        events = scalars(path)
        applied = [step for step, values in events if "train/loss" in values]
        self.assertEqual(applied, list(range(1, last + 1)))
        ((step, value),) = [(step, values["train/loss_of_bad_attempts"]) for step, values in events
                            if "train/loss_of_bad_attempts" in values]
        self.assertEqual(step, last + 1)
        self.assertTrue(math.isnan(value))

        # The first progress line is always drawn: that of a run whose first attempt is a bad one.
        self.environment["SZ_PROGRESS"] = "tty"
        resumed = self.diverge("--resume", "auto")
        self.assertIn("  loss nan  ", resumed.stderr)
        self.assertNotIn("-nan", resumed.stderr)


if __name__ == "__main__":
    unittest.main()
