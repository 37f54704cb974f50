"""Runs under the memory limit of a control group: the runtime stays below it, so that a run which needs more ends with
a message; where the kernel kills all the same, szlaunch says why.

`Pretended` shows the runtime limits that are files of the test's own, in a name space of mounts of its own; the kernel
does not enforce them. `Enforced` makes a real group. That takes a group which was handed over to this user: one that is
marked as delegated (systemd does that), or the folder in $SZ_TEST_CGROUP.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from harness import LIMIT, SZLAUNCH, alive, descendants
from zero3_test import MIDDLE, ShardedCase

UNSHARE = ["unshare", "--mount", "--propagation", "private"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
MIB = 1 << 20


def memberships():
    """{"v1" or "v2": path of this process's group in the hierarchy that can limit memory}"""
    found = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            found["v2"] = path
        elif "memory" in controllers.split(","):
            found["v1"] = path
    return found


def why_mounts_are_refused():
    if not shutil.which("unshare"):
        return "there is no unshare (util-linux)"
    result = subprocess.run([*UNSHARE, "mount", "--bind", "/tmp", "/sys/fs/cgroup"], capture_output=True, text=True)
    return result.stderr.strip() if result.returncode else None


class Pretended(ShardedCase):
    """A group of `limit` bytes of which `used` are in use, as files over /sys/fs/cgroup that only the run sees."""

    def setUp(self):
        super().setUp()
        if why := why_mounts_are_refused():
            self.skipTest(f"mounts of its own are refused: {why}")

    def pretend(self, limit, used=0, version=None):
        groups = memberships()
        version = version or sorted(groups)[-1]
        if version not in groups:
            self.skipTest(f"this process is in no control group of {version}")
        self.mounts = self.folder / "cgroup"
        self.group = self.mounts / ("memory" if version == "v1" else "") / groups[version].lstrip("/")
        self.group.mkdir(parents=True)
        files = ({"memory.limit_in_bytes": f"{limit}\n", "memory.stat": f"total_rss {used}\ntotal_shmem 0\n"}
                 if version == "v1" else {"memory.max": f"{limit}\n", "memory.stat": f"anon {used}\nfile 123456789\n"})
        self.kills = self.group / ("memory.oom_control" if version == "v1" else "memory.events")
        for name, text in files.items():
            (self.group / name).write_text(text)
        self.kills.write_text("oom_kill 2\n")

    def inside(self, ranks):
        script = 'mount --bind "$1" /sys/fs/cgroup && shift && exec "$@"'
        run = [SZLAUNCH, "run", str(self.config), "-n", str(ranks)]
        return [*UNSHARE, "sh", "-c", script, "sh", str(self.mounts), *run]

    def train_inside(self, code=0):
        result = subprocess.run(self.inside(2), env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                capture_output=True, encoding="utf-8", timeout=LIMIT)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def test_it_trains_where_a_replicated_run_ends_out_of_memory(self):
        for version in ("v1", "v2"):
            with self.subTest(version=version):
                shutil.rmtree(self.folder / "cgroup", ignore_errors=True)
                # A rank gets 96 MiB: 48 of them for what is no tensor, 48 for tensors.
                self.pretend(400 * MIB, used=208 * MIB, version=version)
                self.write(run={"name": f"replicated-{version}"}, **MIDDLE)
                result = self.train_inside(code=8)
                self.assertIn("out of memory (this rank's share of the control group's limit of 400 MiB for 2 ranks",
                              result.stderr)
                self.assertIn("shards", result.stderr)
                self.write_sharded(run={"name": f"sharded-{version}"}, keys={"prefetch_segments": 1}, **MIDDLE)
                self.train_inside()
                self.assertEqual([line["step"] for line in self.metrics(f"sharded-{version}")], [1, 2, 3, 4])
                (limit,) = [d for d in self.decisions(f"sharded-{version}") if d["what"] == "memory_limit"]
                self.assertLess(limit["to"], 100 * MIB)
                self.assertIn("控制组", limit["text_zh"])

    def test_a_group_that_is_full_before_training_begins(self):
        self.pretend(300 * MIB, used=290 * MIB)
        self.write()
        self.assertIn("leaves nothing for tensors", self.train_inside(code=8).stderr)

    def killed(self, kills):
        self.pretend(4096 * MIB)
        self.write_sharded(train={"steps": 100000}, checkpoint={"every": 0})
        process = subprocess.Popen(self.inside(2), env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.stop, process)
        metrics = self.run_folder() / "metrics.jsonl"
        self.wait_until(lambda: metrics.exists() and metrics.stat().st_size > 0, "the first step", process)
        self.kills.write_text(f"oom_kill {kills}\n")
        workers = [pid for pid, command in descendants(process.pid).items()
                   if command[0].endswith("szworker") and alive(pid)]
        self.assertEqual(len(workers), 2)
        os.kill(max(workers), signal.SIGKILL)
        _, errors = process.communicate(timeout=LIMIT)
        return process.returncode, errors

    def test_a_rank_that_the_kernel_killed_for_want_of_memory(self):
        code, errors = self.killed(kills=3)
        self.assertEqual(code, 8, errors)
        self.assertRegex(errors, r"szlaunch: rank \d was killed by signal 9: the kernel ran out of memory in its "
                                 r"control group, limit 4096 MiB")

    def test_a_rank_that_somebody_else_killed(self):
        code, errors = self.killed(kills=2)
        self.assertEqual(code, 7, errors)
        self.assertRegex(errors, r"szlaunch: rank \d was killed by signal 9")
        self.assertNotIn("the kernel ran out of memory", errors)


def delegated_group():
    """A folder in which this process may make groups that limit memory, or None."""
    if given := os.environ.get("SZ_TEST_CGROUP"):
        return pathlib.Path(given)
    path = memberships().get("v2")
    own = pathlib.Path("/sys/fs/cgroup") / (path or "").lstrip("/")
    for mark in ("user.delegate", "trusted.delegate"):
        try:
            if path and os.getxattr(own, mark) == b"1":
                return own
        except OSError:
            pass
    return None


class Enforced(ShardedCase):
    """What the kernel counts, it counts with all that is no tensor: so the model is larger here."""
    LARGE = {"model": {"layers": 6, "width": 768, "heads": 2, "dropout": 0.0}, "train": {"steps": 2}}

    def setUp(self):
        super().setUp()
        parent = delegated_group()
        if parent is None:
            self.skipTest("no control group was handed over to this user; $SZ_TEST_CGROUP may name one")
        self.group = parent / f"sz-test-{os.getpid()}"
        self.group.mkdir()
        self.addCleanup(self.group.rmdir)
        self.limit_file = next((self.group / name for name in ("memory.max", "memory.limit_in_bytes")
                                if (self.group / name).exists()), None)
        if self.limit_file is None:
            self.skipTest(f"{parent} cannot limit memory: its controller is not handed down")

    def train_inside(self, limit, code):
        self.limit_file.write_text(str(limit))
        enter = f"echo $$ > {self.group}/cgroup.procs && exec \"$@\""
        result = subprocess.run(["sh", "-c", enter, "sh", SZLAUNCH, "run", str(self.config), "-n", "2"],
                                env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                encoding="utf-8", timeout=LIMIT)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def test_it_trains_where_a_replicated_run_ends_out_of_memory(self):
        # 43 M parameters: 690 MB a rank replicated, 345 MB and the live segments sharded.
        limit = 1500 * MIB
        self.write(run={"name": "replicated"}, **self.LARGE)
        self.assertIn("control group", self.train_inside(limit, code=8).stderr)
        self.write_sharded(run={"name": "sharded"}, keys={"prefetch_segments": 1}, **self.LARGE)
        self.train_inside(limit, code=0)


if __name__ == "__main__":
    unittest.main()
