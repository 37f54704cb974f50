"""Faults that users of other trainers have reported, looked for in ours. Those of the loop itself are in
tests/unit/train: accumulation that does not divide an epoch, masked ranks, means over tokens, NaN."""
import math
import os
import pathlib
import signal
import subprocess
import unittest

from events import scalars
from harness import LIMIT, RunCase, relative_difference

PYTHON = os.environ.get("SZ_PEERS_PYTHON", "")  # of .deps/venv, where scripts/peers.sh has run

READ_BACK = """
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
log = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
log.Reload()
for tag in log.Tags()["scalars"]:
    for event in log.Scalars(tag):
        print(tag, event.step, repr(event.value))
"""


# Of an attempt's line in metrics.jsonl.
PLOTTED = ("loss", "lr", "grad_norm", "clip", "scale", "tokens_per_s", "memory_bytes")


def state_of_process(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def can_import_tensorboard():
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, "-c", "import tensorboard"], capture_output=True,
                                                     timeout=LIMIT).returncode == 0


def flattened(events):
    return [(tag, step, value) for step, values in events for tag, value in values.items()]


class ReportedTest(RunCase):
    def event_file(self, name="tiny"):
        (path,) = (self.run_folder(name) / "tb").iterdir()
        return path

    def expected_events(self, name):
        """{(tag, step): value} as metrics.jsonl has them."""
        events = {}
        for line in self.metrics(name):
            events |= {(f"train/{key}", line["step"]): line[key] for key in PLOTTED}
        for line in self.evaluations(name):
            events |= {(f"eval/{key[5:]}", line["step"]): value for key, value in line.items()
                       if key.startswith("eval_") and not key.endswith("_tokens")}
        return events

    def assert_each_step_once(self, last, name="tiny"):
        """In metrics.jsonl, and under every tag of TensorBoard's."""
        self.assertEqual([line["step"] for line in self.metrics(name)], list(range(1, last + 1)))
        evaluated = [line["step"] for line in self.evaluations(name)]
        self.assertEqual(sorted(set(evaluated)), evaluated)
        events, expected = flattened(scalars(self.event_file(name))), self.expected_events(name)
        self.assertEqual(sorted((tag, step) for tag, step, _ in events), sorted(expected))
        for tag, step, value in events:
            self.assertTrue(math.isclose(value, expected[tag, step], rel_tol=1e-6, abs_tol=1e-30), (tag, step))

    def kill_past_a_checkpoint(self, process):
        """Kills the run, which is szlaunch's own process, once it has written steps and an evaluation that the newest
        checkpoint knows nothing of."""
        checkpoints = self.run_folder() / "checkpoints"

        def caught():
            if not checkpoints.exists():
                return False
            process.send_signal(signal.SIGSTOP)
            self.wait_until(lambda: state_of_process(process.pid) == "T", "the run to stand still")
            saved = [int(path.name[5:]) for path in checkpoints.glob("step-*") if path.name[5:].isdigit()]
            if saved and self.evaluations()[-1]["step"] > max(saved):
                return True
            process.send_signal(signal.SIGCONT)
            return False

        self.wait_until(caught, "an evaluation past a checkpoint", process)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_no_step_twice_after_a_killed_run_is_resumed(self):
        self.write(train={"steps": 1000000}, checkpoint={"every": 20}, eval={"every": 3, "samples": 4})
        self.kill_past_a_checkpoint(self.start())
        done = self.metrics()[-1]["step"]
        self.train("--resume", "auto", "--set", f"train.steps={done + 3}")
        self.assert_each_step_once(done + 3)

    def test_tensorboard_reads_the_events_back(self):
        if not can_import_tensorboard():
            self.skipTest("no tensorboard: scripts/peers.sh fetches it (our own reader is used in the other tests)")
        self.write(eval={"every": 2}, **{"plugins.gradient_zscore": {"enabled": True, "window": 2}})
        self.train()
        result = subprocess.run([PYTHON, "-c", READ_BACK, self.event_file().parent], check=True, capture_output=True,
                                text=True, timeout=LIMIT)
        read = [line.split() for line in result.stdout.splitlines()]
        ours = flattened(scalars(self.event_file()))
        self.assertEqual(sorted((tag, int(step), float(value)) for tag, step, value in read), sorted(ours))
        tags = {tag for tag, _, _ in ours}
        self.assertLessEqual({"train/loss", "train/lr", "train/grad_norm", "eval/loss", "eval/language_zh_loss"}, tags)
        self.assertTrue(any(tag.startswith("gradient_zscore/") for tag in tags), tags)

    def test_keep_one_in_an_empty_folder(self):
        """The newest stays, whatever was there before."""
        self.write(train={"steps": 5}, checkpoint={"every": 1, "keep": 1})
        self.train(ranks=2)
        self.assertEqual(self.checkpoints(), ["step-5"])
        self.train("--resume", "auto", "--set", "train.steps=7", ranks=2)
        self.assertEqual(self.checkpoints(), ["step-7"])
        self.assert_each_step_once(7)

    def test_uneven_shards_and_equal_learning_rates(self):
        """An epoch that no number of ranks divides; the schedule counts steps, not samples of a rank."""
        schedule = {"decay_type": "cosine", "warmup_steps": 2, "min_lr": 1e-5}
        for ranks in (1, 4):
            self.write(train={"steps": 0, "epochs": 2, "micro_batch": 5, "accumulation": 4 // ranks},
                       run={"name": f"r{ranks}"}, **{"optimizer.schedule": schedule})
            self.train(ranks=ranks)
        one, four = self.metrics("r1"), self.metrics("r4")
        for key in ("step", "lr", "tokens", "epoch"):
            self.assertEqual([line[key] for line in one], [line[key] for line in four], key)
        last = one[-1]["step"]
        self.assertLess(relative_difference(self.state(last, "r1"), self.state(last, "r4")), 1e-5)
        self.assertGreater(len({line["tokens"] for line in one}), 1, "steps are of unequal size")

    def test_tensorboard_can_be_left_out(self):
        self.write(log={"tensorboard": False})
        self.train()
        self.assertFalse(pathlib.Path(self.run_folder() / "tb").exists())


if __name__ == "__main__":
    unittest.main()
