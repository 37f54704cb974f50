"""curriculum_dual_loop in whole runs over mpirun: what check says, resume bit for bit, one order on any rank count."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "run"))
import unittest

from harness import TEST_PLUGINS, RunCase, relative_difference


class CurriculumTest(RunCase):
    def write(self, **curriculum):
        keys = {"enabled": True, "difficulty_metric": "length", "warmup_epochs": 1, "inner_every": 3,
                "smoothing_window": 2, "buckets": 4, "inner_low": 0.0, "inner_high": 0.001, "stall_slope": 1.0, "adversarial_fraction": 0.25}
        super().write(plugins={"search": [TEST_PLUGINS]}, **{
            "train": {"steps": 40, "micro_batch": 16, "accumulation": 1}, "checkpoint": {"every": 15, "keep": 10},
            "plugins.test_length_scorer": {"enabled": True}, "plugins.curriculum_dual_loop": keys | curriculum})

    def taken(self):
        """Decisions of the curriculum, without what a resumed run says again."""
        return [line for line in self.decisions() if line["plugin"] == "curriculum_dual_loop"
                and line["what"] not in ("loops_cannot_act", "data_hidden")]

    def test_check_warns_of_a_run_that_is_too_short(self):
        self.write(inner_every=2000)
        said = self.launch("check", self.config).stdout
        self.assertRegex(said, "warning: plugin curriculum_dual_loop: the run ends after .* inner loop can act")
        self.launch("data", "prepare", self.config)
        self.assertRegex(self.launch("check", self.config).stdout, "final release left out")
        self.write(adjustment_strategy="fixed_linear")
        self.assertNotIn("warning", self.launch("check", self.config).stdout)

    def test_resume_is_bit_exact(self):
        self.write()
        self.train(ranks=2)
        whole, decided = self.state(40), self.taken()
        self.assertIn("review", [line["what"] for line in decided])
        self.assertTrue(all(line["cause"] and line["text_zh"] for line in decided))
        for step in (30, 40):
            shutil.rmtree(self.run_folder() / "checkpoints" / f"step-{step}")
        self.train("--resume", "auto", ranks=2)
        self.assert_same_state(self.state(40), whole)
        self.assertEqual(self.taken(), decided)

    def test_one_rank_and_two_take_the_same_samples(self):
        self.write()
        self.train("--set", "train.accumulation=2", ranks=1)
        one, decided = self.state(40), self.taken()
        self.train("--set", "run.name=two", "--set", "checkpoint.keep=1", ranks=2)
        self.assertLess(relative_difference(one, self.state(40, name="two")), 1e-4)
        self.assertEqual([line["what"] for line in decided],
                         [line["what"] for line in self.decisions("two") if line["plugin"] == "curriculum_dual_loop"
                          and line["what"] not in ("loops_cannot_act", "data_hidden")])


if __name__ == "__main__":
    unittest.main()
