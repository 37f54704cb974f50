"""Mixed precision over mpirun: overflow on one rank, the end of a run that cannot go on, resume, configuration."""
import unittest

from harness import TEST_PLUGINS, RunCase


class AmpOverMpi(RunCase):
    def write_amp(self, keys=None, bad=None, **changes):
        tables = {"plugins.amp_o2": {"enabled": True} | (keys or {})}
        if bad:
            tables["plugins"] = {"search": [TEST_PLUGINS]}
            tables["plugins.test_bad_gradient"] = {"enabled": True} | bad
        self.write(**changes, **tables)

    def told(self, what, name="tiny"):
        return [decision for decision in self.decisions(name) if decision["what"] == what]

    def test_inf_on_rank_1_skips_skips_and_rolls_back_on_all(self):
        self.write_amp(bad={"first": 5, "last": 7, "rank": 1}, train={"steps": 6, "stable_every": 3},
                       log={"language": "zh"})
        result = self.train(ranks=2)
        self.assertEqual([line["verdict"] for line in self.metrics()],
                         ["apply"] * 4 + ["skip", "skip", "roll back"] + ["apply"] * 3)
        self.assertEqual([line["step"] for line in self.metrics()], [1, 2, 3, 4, 4, 4, 3, 4, 5, 6])
        (scale,) = self.told("loss_scale")
        self.assertEqual((scale["from"], scale["to"], scale["attempt"]), (4096, 2048, 7))
        (clip,) = self.told("clip")
        self.assertIn("gradient clipping at norm 1 goes on", clip["text_en"])
        self.assertIn("损失缩放 4096 -> 2048", result.stderr)
        (plan,) = self.told("dtype_plan")
        self.assertEqual(plan["to"], "O2 fp16")

    def test_what_never_ends_exits_with_5_and_names_the_place(self):
        self.write_amp(bad={"kind": "nan", "segment": "block.1.mlp", "rank": 1}, keys={"max_rollbacks": 1})
        result = self.train(ranks=2, code=5)
        self.assertIn("first in block.1.mlp.norm.weight of segment block.1.mlp", result.stdout + result.stderr)

    def test_resume_is_bit_identical(self):
        for dtype in ("fp16", "bf16"):
            whole, half = f"whole-{dtype}", f"half-{dtype}"
            keys = {"dtype": dtype, "growth_interval": 2}
            self.write_amp(keys, run={"name": whole}, train={"steps": 8})
            self.train(ranks=2)
            self.write_amp(keys, run={"name": half}, train={"steps": 5})
            self.train(ranks=2)
            self.write_amp(keys, run={"name": half}, train={"steps": 8})
            self.train("--resume", "auto", ranks=2)
            self.assert_same_state(self.state(8, whole), self.state(8, half))
            scales = [[line["scale"] for line in self.metrics(name)] for name in (whole, half)]
            self.assertEqual(scales[0], scales[1])

    def test_sharded_and_replicated_agree(self):
        self.write_amp(run={"name": "replicated"})
        self.train(ranks=2)
        self.write_amp(run={"name": "sharded"})
        self.config.write_text(self.config.read_text() +
                               "[plugins.zero3_async_io]\nenabled = true\nstage = 3\npersist_threshold = 0\n")
        self.train(ranks=2)
        self.assert_same_state(self.state(4, "replicated"), self.state(4, "sharded"))

    def test_configuration(self):
        self.write_amp({"loss_scale": 512})
        self.train()
        self.assertEqual({line["scale"] for line in self.metrics()}, {512})
        self.write_amp({"loss_scale": "dynamik"})
        self.assertIn('must be "dynamic" or a number', self.train(code=2).stderr)
        self.write_amp({"initial_scale": 8, "min_scale": 16})
        self.assertIn("initial_scale must be within min_scale and max_scale", self.train(code=2).stderr)
        self.write_amp(train={"precision": "bf16"})
        self.assertIn("precision", self.train(code=2).stderr)


if __name__ == "__main__":
    unittest.main()
