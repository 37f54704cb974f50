"""Whole runs over mpirun: what they leave behind, how they add up, stop, fail and go on."""
import os
import re
import shutil
import signal
import time
import unittest

from harness import TEST_PLUGINS, RunCase, alive, descendants, relative_difference, write_corpus

METRICS = ("step", "attempt", "loss", "lr", "grad_norm", "tokens", "tokens_per_s", "seconds",
           "cpu_seconds", "memory_bytes")


class FolderTest(RunCase):
    def assert_complete(self, ranks):
        folder = self.run_folder()
        lines = self.metrics()
        self.assertEqual([line["step"] for line in lines], [1, 2, 3, 4])
        for line in lines:
            for key in METRICS:
                self.assertIsInstance(line[key], (int, float), key)
                self.assertGreater(line[key], 0, key)
        self.assertEqual([line["step"] for line in self.evaluations()], [2, 4])
        for line in self.evaluations():
            self.assertIn("eval_language_en_loss", line)
            self.assertIn("eval_language_zh_loss", line)
        self.assertEqual(self.checkpoints(), ["step-2", "step-4"])
        self.assertIn("matrix_route", [decision["what"] for decision in self.decisions()])
        for decision in self.decisions():
            self.assertTrue(decision["text_en"] and decision["text_zh"])
        self.assertIn("seed = 7", (folder / "config.toml").read_text())
        self.assertTrue((folder / "plan.json").read_text().startswith("{"))
        self.assertEqual(sorted(path.name for path in (folder / "logs").iterdir()),
                         [f"rank-{rank}.log" for rank in range(ranks)])

    def test_one_and_two_ranks_leave_a_complete_folder(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.write(eval={"every": 2}, checkpoint={"every": 2}, run={"name": "tiny"})
                result = self.train("--set", f"run.out={self.folder}/runs", ranks=ranks)
                self.assert_complete(ranks)
                self.assertNotIn("\r", result.stdout + result.stderr, "no progress line without a terminal")
                self.assertNotIn("tokens/s", result.stdout + result.stderr)
                self.assertIn("run folder: ", result.stdout + result.stderr)
        self.assertTrue(self.run_folder("tiny.1").exists(), "the first run was moved aside, not written over")

    def test_a_sample_in_both_languages(self):
        self.write(eval={"prompts": ["the small river", "春天"], "sample_tokens": 5})
        result = self.train()
        samples = [line for line in (result.stdout + result.stderr).splitlines() if "sample: " in line]
        self.assertEqual(len(samples), 2, result.stderr)
        self.assertIn("sample: the small river", samples[0])
        self.assertIn("sample: 春天", samples[1])

    def test_a_sample_may_take_the_likeliest_tokens(self):
        said = []
        for temperature in (0.0, 0.0, 100.0):
            self.write(eval={"prompts": ["the small river"], "sample_tokens": 20, "temperature": temperature})
            said += [line.split("sample: ")[1] for line in self.train().stderr.splitlines() if "sample: " in line]
        self.assertEqual(len(said), 3)
        self.assertEqual(said[0], said[1])
        self.assertNotEqual(said[0], said[2])

    def test_decisions_are_told_in_chinese(self):
        self.write(log={"language": "zh"})
        self.assertIn("设为", self.train().stderr)


class ArithmeticTest(RunCase):
    def test_one_rank_with_accumulation_equals_two_ranks(self):
        """Over MPI, with dropout, 5 samples short of a whole number of micro-batches an epoch."""
        self.write(train={"steps": 20, "accumulation": 4}, run={"name": "one"})
        self.train()
        self.write(train={"steps": 20, "accumulation": 2}, run={"name": "two"})
        self.train(ranks=2)
        self.assertEqual([line["tokens"] for line in self.metrics("one")],
                         [line["tokens"] for line in self.metrics("two")])
        self.assertEqual([line["lr"] for line in self.metrics("one")], [line["lr"] for line in self.metrics("two")])
        self.assertLess(relative_difference(self.state(20, "one"), self.state(20, "two")), 1e-5)

    def test_resume_is_bit_exact(self):
        self.write(train={"steps": 20}, run={"name": "whole"})
        self.train(ranks=2)
        # A run that ends at step 7 would have another schedule; so one is ended at step 7 by its checkpoint instead.
        self.write(train={"steps": 20}, run={"name": "parts"}, checkpoint={"every": 7, "keep": 9})
        self.train(ranks=2)
        checkpoint = self.run_folder("parts") / "checkpoints" / "step-7"
        kept = self.metrics("parts")
        self.train("--resume", checkpoint, ranks=2)
        self.assert_same_state(self.state(20, "whole"), self.state(20, "parts"))
        again = self.metrics("parts")
        self.assertEqual([line["step"] for line in again], list(range(1, 21)), "no step twice, none missing")
        self.assertEqual([line["loss"] for line in kept], [line["loss"] for line in again])

    def test_bf16_trains_and_differs(self):
        self.write(run={"name": "fp32"})
        self.train()
        self.write(train={"precision": "bf16"}, run={"name": "bf16"})
        self.train()
        difference = relative_difference(self.state(4, "fp32"), self.state(4, "bf16"))
        self.assertGreater(difference, 0)
        self.assertLess(difference, 1e-2)


class StopTest(RunCase):
    def started(self, ranks):
        self.write(train={"steps": 1000000}, checkpoint={"every": 0}, run={"name": f"tiny{ranks}"})
        process = self.start(ranks=ranks)
        metrics = self.run_folder(f"tiny{ranks}") / "metrics.jsonl"
        self.wait_until(lambda: metrics.exists() and metrics.read_bytes().count(b"\n") >= 3, "three steps", process)
        return process

    def test_sigterm_saves_and_the_run_goes_on(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.started(ranks)
                process.send_signal(signal.SIGTERM)
                output, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 143, errors)
                name = f"tiny{ranks}"
                last = self.metrics(name)[-1]["step"]
                self.assertRegex(errors, rf"training stopped after .* step {last}\n")
                self.assertEqual(self.checkpoints(name), [f"step-{last}"])
                resumed = self.train("--resume", "auto", "--set", f"train.steps={last + 2}", ranks=ranks).stderr
                saved_by = "1 rank" if ranks == 1 else "2 ranks"
                self.assertRegex(resumed, rf"resuming from .*/checkpoints/step-{last}: step {last}, saved by {saved_by}\n")
                self.assertRegex(resumed, rf"training done in .* step {last + 2}\n")
                self.assertEqual([line["step"] for line in self.metrics(name)], list(range(1, last + 3)))

    def test_sigint_is_130(self):
        process = self.started(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)

    def test_hang_up_saves(self):
        process = self.started(1)
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, errors)
        self.assertEqual(len(self.checkpoints("tiny1")), 1)

    def test_sigusr1_saves_once_and_the_run_goes_on(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.started(ranks)
                process.send_signal(signal.SIGUSR1)
                name = f"tiny{ranks}"
                folder = self.run_folder(name) / "checkpoints"
                saved = lambda: {path.name for path in folder.glob("step-*") if path.name[5:].isdigit()}
                self.wait_until(saved, "a checkpoint", process)
                asked = saved()
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 143, errors)
                last = f"step-{self.metrics(name)[-1]['step']}"
                self.assertEqual(len(asked), 1)
                self.assertEqual(set(self.checkpoints(name)), asked | {last})

    def test_a_stop_while_data_is_prepared_leaves_nothing(self):
        corpus = self.folder / "large"
        write_corpus(corpus, count=6000)
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                cache = self.folder / f"cache{ranks}"
                self.write(data={"paths": [str(corpus)], "cache": str(cache)})
                process = self.start(ranks=ranks)
                self.wait_until(lambda: list(cache.glob("*.lock")), "the preparation to begin", process)
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 143, errors)
                self.assertEqual(errors.count("stopped while preparing; nothing of it is kept"), 1, errors)
                self.assertNotIn("saved their state", errors)
                self.assertEqual([path.name for path in cache.iterdir() if path.suffix != ".lock"], [])

    def test_a_killed_rank_ends_the_run(self):
        process = self.started(2)
        everybody = descendants(process.pid)
        workers = [pid for pid, command in everybody.items() if os.path.basename(command[0]) == "szworker"]
        self.assertEqual(len(workers), 2, everybody)
        with open(f"/proc/{workers[1]}/environ", "rb") as file:
            (rank,) = [e.split(b"=")[1].decode() for e in file.read().split(b"\0")
                       if e.startswith(b"OMPI_COMM_WORLD_RANK=")]
        os.kill(workers[1], signal.SIGKILL)
        killed_at = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 7, errors)
        self.assertIn(f"rank {rank} was killed by signal 9", errors)
        self.wait_until(lambda: not any(map(alive, everybody)), "all processes of the run to be gone")
        self.assertLess(time.monotonic() - killed_at, 10, "a lost rank ends all others within 10 s")


class PluginTest(RunCase):
    def plugin(self, name, **keys):
        return {"plugins": {"search": [TEST_PLUGINS]}, f"plugins.{name}": {"enabled": True, **keys}}

    def test_the_template_plugin_writes_its_metric(self):
        self.write(train={"steps": 8}, **{"plugins.gradient_zscore": {"enabled": True, "window": 3, "threshold": 0.1}})
        self.train(ranks=2)
        lines = self.metrics()
        self.assertEqual([any("z" in key.split(".") for key in line) for line in lines], [False] * 3 + [True] * 5)
        jumps = [decision for decision in self.decisions() if decision["plugin"] == "gradient_zscore"]
        self.assertTrue(jumps, "a threshold of 0.1 is crossed")
        self.assertEqual(jumps[0]["what"], "gradient_norm")
        self.assertIn('"gradient_zscore"', (self.run_folder() / "plan.json").read_text())

    def test_a_plugin_that_fails_on_one_rank_changes_nothing(self):
        self.write(train={"steps": 10}, run={"name": "plain"})
        self.train(ranks=2)
        self.write(train={"steps": 10}, run={"name": "failing"}, **self.plugin("test_failing", fail_rank=1))
        self.train(ranks=2)
        self.assert_same_state(self.state(10, "plain"), self.state(10, "failing"))
        (decision,) = [d for d in self.decisions("failing") if d["plugin"] == "test_failing"]
        self.assertEqual((decision["what"], decision["step"]), ("observer_disabled", 3))
        self.assertEqual((decision["rank"], decision["hook"]), (1, "STEP_END"))
        self.assertEqual(decision["cause"], "rank 1, STEP_END: it was told to fail at its third step")
        log = (self.run_folder("failing") / "logs" / "rank-1.log").read_text()
        self.assertIn("it was told to fail at its third step", log)

    def test_a_plugin_that_fails_at_start_ends_the_run(self):
        self.write(**self.plugin("test_failing", fail_start=True))
        for ranks in (1, 2):
            result = self.train(ranks=ranks, code=4)  # the plugin blames the data
            self.assertIn("test_failing", result.stderr)
            self.assertIn("told to fail at start", result.stderr)


class VerbTest(RunCase):
    def test_check_reports_all_or_is_fine(self):
        self.write()
        self.assertIn("fine", self.launch("check", self.config).stdout)
        self.write(train={"stepz": 3, "context": -1})
        errors = self.launch("check", self.config, code=2).stderr
        self.assertIn("train.stepz", errors)
        self.assertIn("train.context", errors)

    def test_check_warns_of_text_that_is_not_there(self):
        self.write(data={"paths": ["nowhere"]})
        said = self.launch("check", self.config).stdout
        self.assertIn(f"warning: on this machine: data.paths: nowhere: no such file or folder (from {self.folder})", said)
        self.assertIn(": fine", said)

    def test_a_run_that_has_nothing_left_to_do_says_so(self):
        self.write()
        self.train()
        self.assertNotIn("nothing is left to train", self.train("--resume", "auto", "--set", "train.steps=6").stderr)
        self.assertIn("nothing is left to train: the checkpoint is at step 6 of 6",
                      self.train("--resume", "auto", "--set", "train.steps=6").stderr)

    def test_plugins(self):
        self.assertRegex(self.launch("plugins", "list").stdout, r"gradient_zscore +1\.0\.0")
        info = self.launch("plugins", "info", "gradient_zscore").stdout
        for word in ("VERDICT", "window", "threshold", "Apache-2.0"):
            self.assertIn(word, info)
        self.assertIn("nonesuch", self.launch("plugins", "info", "nonesuch", code=3).stderr)
        self.write(**{"plugins.gradient_zscore": {"enabled": True}})
        plan = self.launch("plugins", "plan", self.config).stdout
        self.assertIn("gradient_zscore", plan)
        self.assertIn("residency", plan)

    def test_plugins_whose_file_the_configuration_names(self):
        path = self.folder / "elsewhere" / "test_failing.so"
        path.parent.mkdir()
        shutil.copy(f"{TEST_PLUGINS}/test_failing.so", path)
        self.write(**{"plugins.test_failing": {"enabled": False, "path": str(path)}})
        self.assertNotIn("test_failing", self.launch("plugins", "list").stdout)
        self.assertRegex(self.launch("plugins", "list", self.config).stdout, r"(?m)^test_failing +1\.0\.0")
        self.assertIn(f"file: {path}\n", self.launch("plugins", "info", "test_failing", self.config).stdout)

    def test_doctor_looks_at_all_that_a_run_needs(self):
        result = self.launch("doctor")
        found = dict(re.match(r"(ok|note|FAIL) +(.{14}) (.+)", line).group(2, 3) for line in result.stdout.splitlines())
        found = {name.strip(): text for name, text in found.items()}
        for name in ("processor", "memory", "shared memory", "locked memory", "open files", "ports", "io_uring",
                     "folder", "MPI", "szworker", "LibTorch", "SIMD", "matrix route", "CUDA", "NCCL", "plugins"):
            self.assertTrue(found.get(name), name)
        self.assertRegex(found["matrix route"], r"\d+ GFLOP/s|none could be measured")

    def test_data_prepare(self):
        self.write(data={"cache": str(self.folder / "cache")})
        folder = self.launch("data", "prepare", self.config).stdout.strip()
        files = {path.name: path.stat().st_mtime_ns for path in (self.folder / folder).iterdir()}
        self.assertIn("tokenizer.model", files)
        self.assertEqual(self.launch("data", "prepare", self.config).stdout.strip(), folder, "reused")
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in (self.folder / folder).iterdir()}, files)


if __name__ == "__main__":
    unittest.main()
