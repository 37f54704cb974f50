"""--resume: what it goes on from, and that a run which is refused changes nothing of the one before."""
import json
import re
import shutil
import unittest

from harness import TEST_PLUGINS, RunCase, toml


def enabled(name, **keys):
    """Assignments that switch a plugin of the tests on."""
    given = {"enabled": "true", **keys}
    return [f"plugins.search={TEST_PLUGINS}", *(f"plugins.{name}.{key}={value}" for key, value in given.items())]


class ResumeCase(RunCase):
    def checkpoint(self, step, name="tiny"):
        return self.run_folder(name) / "checkpoints" / f"step-{step}"

    def contents(self, name="tiny"):
        """Every file of the run folder but its lock and its logs, which tell of each try."""
        folder = self.run_folder(name)
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file() and path.name != ".lock" and path.parent.name != "logs"}

    def set(self, assignments):
        return [word for assignment in assignments for word in ("--set", assignment)]

    def train_six(self, **changes):
        self.write(train={"steps": 6}, checkpoint={"every": 2, "keep": 9}, eval={"every": 2}, **changes)
        self.train()
        self.assertEqual(self.checkpoints(), ["step-2", "step-4", "step-6"])

    def assert_untouched(self, before, *options, ranks, code, expected):
        result = self.train(*options, ranks=ranks, code=code)
        self.assertRegex(result.stderr, expected)
        self.assertNotIn("internal error", result.stderr)
        after = self.contents()
        self.assertEqual(sorted(after), sorted(before))
        for name, data in before.items():
            self.assertEqual(after[name], data, name)
        self.assertEqual([path.name for path in (self.folder / "runs").iterdir()], ["tiny"])


class RefusedResumeTest(ResumeCase):
    # What refuses the run, the exit code, what the message says.
    REFUSED = [
        (["model.width=64"], 2, r"step-2: parameter '.*' has shape \[.*32.*\], but this run's is \[.*64.*\]"),
        (["model.layers=3"], 2, r"step-2: has no parameter 'block\.2\."),
        (["data.seed=3"], 2, r"step-2: was trained on another data set"),
        (["run.matrix_route=mkl_fsat"], 2, r'run\.matrix_route: must be one of .*did you mean "mkl_fast"'),
        (["data.paths=/nowhere"], 4, r"/nowhere: no such file"),
        (enabled("test_sampler"), 2, r"step-2: was written with the sampler 'shuffle', this run has 'test_sampler'"),
        (enabled("test_failing", fail_start="true"), 4, r"told to fail at start"),
    ]

    def test_the_old_run_stays_as_it_was(self):
        self.train_six()
        before = self.contents()
        for number, (assignments, code, expected) in enumerate(self.REFUSED):
            with self.subTest(refused_for=assignments[-1]):
                self.assert_untouched(before, "--resume", self.checkpoint(2), *self.set(assignments),
                                      ranks=1 + number % 2, code=code, expected=expected)
        self.train("--resume", self.checkpoint(2), ranks=2)
        self.assertEqual([line["step"] for line in self.metrics()], list(range(1, 7)))
        self.assertEqual([line["step"] for line in self.evaluations()], [2, 4, 6])

    def test_a_new_run_of_that_name_that_is_refused(self):
        self.train_six()
        before = self.contents()
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                failing = self.set(enabled("test_failing", fail_start="true"))
                self.assert_untouched(before, *failing, ranks=ranks, code=4, expected="told to fail at start")

    def test_logs_tell_of_what_came_before_there_was_a_folder(self):
        self.write()
        self.train()
        log = (self.run_folder() / "logs" / "rank-0.log").read_text()
        self.assertRegex(log, r"rank 0 info +data: \d+ training and \d+ validation samples")
        self.assertLess(log.index("training and"), log.index("matrix_route"))


class DamagedCheckpointsTest(ResumeCase):
    def damage(self, step):
        (path,) = self.checkpoint(step).glob("state-*.safetensors")
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)

    def test_auto_does_not_train_anew_where_all_are_damaged(self):
        self.train_six()
        self.damage(2)
        self.damage(4)
        (self.checkpoint(6) / "manifest.json").unlink()
        before = self.contents()
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.assert_untouched(before, "--resume", "auto", ranks=ranks, code=6,
                                      expected=r"(?s)tiny/checkpoints is whole; .*--resume PATH.*step-6: .*step-4: .*"
                                               r"step-2: ")

    def test_auto_passes_over_the_damaged(self):
        self.train_six()
        self.damage(6)
        result = self.train("--resume", "auto", "--set", "train.steps=7")
        self.assertRegex(result.stderr, "passing over the damaged checkpoint .*step-6: ")
        self.assertEqual([line["step"] for line in self.metrics()], list(range(1, 8)))

    def test_auto_begins_a_new_run_where_there_has_been_no_checkpoint(self):
        self.write()
        self.assertIn("starting a new run", self.train("--resume", "auto").stderr)
        shutil.rmtree(self.run_folder() / "checkpoints" / "step-4")
        self.assertIn("starting a new run", self.train("--resume", "auto").stderr)
        self.assertTrue(self.run_folder("tiny.1").exists())
        self.assertEqual([line["step"] for line in self.metrics()], [1, 2, 3, 4])


class MatrixRouteTest(ResumeCase):
    def write_unpinned(self, **changes):
        tables = self.tables(**changes)
        del tables["run"]["matrix_route"]
        self.config.write_text(toml(tables), encoding="utf-8")

    def routes(self, name="tiny"):
        return [(d["to"], d["cause"]) for d in self.decisions(name) if d["what"] == "matrix_route"]

    def saved_route(self, step, name="tiny"):
        manifest = json.loads((self.checkpoint(step, name) / "manifest.json").read_text())
        return manifest["meta"]["matrix_route"]

    def test_it_is_measured_saved_and_reused(self):
        self.write_unpinned(train={"steps": 2})
        self.train(ranks=2)
        ((chosen, cause),) = self.routes()
        self.assertRegex(cause, r"^measured: ")
        self.assertEqual(self.saved_route(2), chosen)
        there = re.findall(r"(\w+) (?:\d+ GFLOP/s|not usable)", cause)
        self.assertIn(chosen, there)
        for route in there:  # whichever is measured to be the fastest: the checkpoint's is taken
            with self.subTest(route=route):
                self.write(run={"name": route, "matrix_route": route}, train={"steps": 2})
                self.train()
                self.assertEqual(self.routes(route), [(route, "run.matrix_route")])
                self.write_unpinned(run={"name": route}, train={"steps": 3})
                self.train("--resume", "auto", ranks=2)
                self.assertEqual(self.routes(route)[-1], (route, "saved in the checkpoint"))
                self.assertEqual(self.saved_route(3, route), route)

    def test_one_that_the_machine_has_not(self):
        self.write_unpinned(train={"steps": 1})
        self.train()
        ((_, cause),) = self.routes()
        absent = {"mkl", "mkl_fast", "onednn", "blas"} - set(re.findall(r"(\w+) (?:\d+ GFLOP/s|not usable)", cause))
        self.assertTrue(absent, "no LibTorch has both MKL and another library in its place")
        for route in absent:
            self.write(run={"matrix_route": route})
            line = self.config.read_text().splitlines().index(f'matrix_route = "{route}"') + 1
            for verb in (("check",), ("run",)):
                with self.subTest(route=route, verb=verb):
                    result = self.launch(*verb, self.config, code=0 if verb == ("check",) else 2)
                    self.assertRegex(result.stdout + result.stderr,
                                     rf"tiny\.toml:{line}:1: run\.matrix_route: .*\"{route}\".*leave the key out")


if __name__ == "__main__":
    unittest.main()
