"""Sharded runs over mpirun: the same as replicated ones, and what happens when a rank dies or memory runs out."""
import time
import unittest

from harness import TEST_PLUGINS, RunCase, alive, descendants


class ShardedCase(RunCase):
    def write_sharded(self, stage=3, threshold=0, keys=None, **changes):
        table = {"enabled": True, "stage": stage, "persist_threshold": threshold} | (keys or {})
        self.write(**changes, **{"plugins.zero3_async_io": table})


class SameAsReplicated(ShardedCase):
    def test_two_ranks_in_all_stages(self):
        self.write(train={"steps": 6}, run={"name": "replicated"}, eval={"every": 3})
        self.train(ranks=2)
        for stage in (1, 2, 3):
            name = f"stage{stage}"
            self.write_sharded(stage, train={"steps": 6}, run={"name": name},
                               eval={"every": 3, "prompts": ["the bird"]})
            result = self.train(ranks=2)
            self.assertIn("sample: ", result.stdout + result.stderr)
            self.assert_same_state(self.state(6, "replicated"), self.state(6, name))
            self.assertEqual([line["loss"] for line in self.metrics("replicated")],
                             [line["loss"] for line in self.metrics(name)])
            self.assertEqual([line["eval_loss"] for line in self.evaluations("replicated")],
                             [line["eval_loss"] for line in self.evaluations(name)])
            (sharding,) = [d for d in self.decisions(name) if d["what"] == "sharding"]
            self.assertIn(f"第 {stage} 阶段", sharding["text_zh"])
            for key in ("gather_wait_s", "gather_hidden_s", "reduce_wait_s", "reduce_hidden_s"):
                self.assertGreaterEqual(self.metrics(name)[-1][f"zero3_async_io.{key}"], 0)

    def test_resume_on_another_number_of_ranks(self):
        self.write_sharded(train={"steps": 3, "micro_batch": 6})
        self.train(ranks=1)
        before = self.state(3)
        self.write_sharded(train={"steps": 5, "micro_batch": 2})
        self.train("--resume", "auto", ranks=3)
        self.assertEqual([line["step"] for line in self.metrics()], [1, 2, 3, 4, 5])
        self.assertNotEqual(before, self.state(5))


class Failures(ShardedCase):
    def test_a_rank_killed_in_the_middle_of_a_gather(self):
        for backward in (False, True):
            with self.subTest(backward=backward):
                self.write_sharded(run={"name": f"killed-{backward}"}, plugins={"search": [TEST_PLUGINS]},
                                   **{"plugins.test_killer": {"enabled": True, "kill_rank": 1, "backward": backward}})
                process = self.start(ranks=3)
                metrics = self.run_folder(f"killed-{backward}") / "metrics.jsonl"
                everybody = {}

                def first_step():
                    everybody.update(descendants(process.pid))
                    return process.poll() is not None or (metrics.exists() and metrics.read_bytes().count(b"\n") >= 1)

                self.wait_until(first_step, "the first step")
                seen = time.monotonic()
                _, errors = process.communicate(timeout=60)
                self.assertLess(time.monotonic() - seen, 10, "the promise is 10 seconds")
                self.assertEqual(process.returncode, 7, errors)
                self.assertIn("rank 1 was killed by signal 9", errors)
                self.wait_until(lambda: not any(map(alive, everybody)), "all processes of the run to be gone")


# 3.3 M parameters: 53 MB replicated in fp32 with Adam, half of it a rank when sharded over two.
MIDDLE = {"model": {"layers": 4, "width": 256, "heads": 2, "dropout": 0.0}}


class Limits(ShardedCase):
    def test_it_trains_where_a_replicated_run_ends_out_of_memory(self):
        model = MIDDLE | {"launch": {"memory_limit_mb": 46}}
        self.write(run={"name": "replicated"}, **model)
        result = self.train(ranks=2, code=8)
        self.assertIn("out of memory", result.stderr)
        self.assertIn("shards", result.stderr)
        self.write_sharded(run={"name": "sharded"}, keys={"prefetch_segments": 1}, **model)
        self.train(ranks=2)
        self.assertEqual([line["step"] for line in self.metrics("sharded")], [1, 2, 3, 4])
        self.assertLess(max(line["memory_bytes"] for line in self.metrics("sharded")), 46 << 20)

    def test_too_small_a_limit_is_said_to_be_one(self):
        self.write_sharded(model={"layers": 4, "width": 256, "heads": 2}, launch={"memory_limit_mb": 8})
        self.assertIn("out of memory", self.train(ranks=2, code=8).stderr)


if __name__ == "__main__":
    unittest.main()
