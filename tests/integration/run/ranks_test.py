"""What ranks are to each other: their share of the machine, the same data, and whose lines are whose."""
import os
import pathlib
import re
import subprocess
import unittest

from harness import LIMIT, SZLAUNCH, TEST_PLUGINS, RunCase, write_corpus

WORKER = pathlib.Path(SZLAUNCH).parent / "szworker"

# szworker, but that rank 1 is given other text.
OTHER_TEXT = """#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then set -- "$@" --set 'data.paths=["OTHER"]'; fi
exec "WORKER" "$@"
"""

# A machine whose control group grants one CPU, by the files of both versions.
ONE_CPU = """
mount --bind "$0" /sys/fs/cgroup && exec "$@"
"""


class ThreadsTest(RunCase):
    def setUp(self):
        super().setUp()
        del self.environment["OMP_NUM_THREADS"]
        self.write(train={"steps": 1})

    def on_cpus(self, cpus):
        self.addCleanup(os.sched_setaffinity, 0, os.sched_getaffinity(0))
        os.sched_setaffinity(0, cpus)

    def threads(self, result):
        (count,) = re.findall(r"threads of a rank: (\d+)$", result.stderr, re.MULTILINE)
        return int(count)

    def siblings(self, cpu):
        path = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        return path.read_text() if path.exists() else str(cpu)

    def test_one_cpu_is_one_thread(self):
        self.on_cpus({min(os.sched_getaffinity(0))})
        for ranks in (1, 2):
            self.assertEqual(self.threads(self.train(ranks=ranks)), 1)
        self.assertRegex(self.launch("doctor").stdout, r"ok +processor +1 cores with 1 threads")

    def test_hyperthreads_of_one_core_are_one_thread(self):
        allowed = os.sched_getaffinity(0)
        groups = {}
        for cpu in allowed:
            groups.setdefault(self.siblings(cpu), set()).add(cpu)
        core = max(groups.values(), key=len)
        if len(core) < 2:
            self.skipTest("no core here has two hardware threads")
        self.on_cpus(core)
        self.assertEqual(self.threads(self.train()), 1)

    def test_a_quota_is_kept_to(self):
        group = self.folder / "cgroup"
        (group / "cpu").mkdir(parents=True)
        (group / "cpu.max").write_text("100000 100000\n")
        (group / "cpu" / "cpu.cfs_quota_us").write_text("100000\n")
        (group / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
        inside = ["unshare", "--mount", "sh", "-c", ONE_CPU, str(group)]
        if subprocess.run([*inside, "true"], capture_output=True, timeout=LIMIT).returncode != 0:
            self.skipTest("no folder can be mounted over /sys/fs/cgroup here (root?)")
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU alone tells nothing of a quota of one")
        result = subprocess.run([*inside, SZLAUNCH, "run", str(self.config)], env=self.environment, cwd=self.folder,
                                stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.threads(result), 1)

    def test_the_users_word_comes_first(self):
        self.environment["OMP_NUM_THREADS"] = "3"
        self.assertEqual(self.threads(self.train(ranks=2)), 3)
        self.assertEqual(self.threads(self.train("--set", "launch.threads=2", ranks=2)), 2)


class DataOfRanksTest(RunCase):
    def test_other_text_on_one_rank(self):
        other = self.folder / "other"
        write_corpus(other, count=30)
        wrapper = self.folder / "worker.sh"
        wrapper.write_text(OTHER_TEXT.replace("OTHER", str(other)).replace("WORKER", str(WORKER)))
        wrapper.chmod(0o755)
        self.environment["SZ_WORKER"] = str(wrapper)
        self.write()
        result = self.train(ranks=2, code=4)
        self.assertIn("the ranks hold different data; give all hosts the same text", result.stderr)
        self.assertIn("rank 1: documents is '60', on rank 0 '120'", result.stderr)
        self.assertNotIn("plugins", result.stderr)
        self.assertFalse((self.folder / "runs").exists())


class LinesTest(RunCase):
    def test_lines_of_ranks_but_the_first_say_whose_they_are(self):
        self.write(train={"steps": 5}, plugins={"search": [TEST_PLUGINS]},
                   **{"plugins.test_failing": {"enabled": True}})
        result = self.train(ranks=3)
        said = "plugin test_failing failed in STEP_END"
        whose = [re.match(r"(?:\[rank (\d+)\] )?\d\d:\d\d:\d\d warn", line) for line in result.stderr.splitlines()
                 if said in line]
        self.assertTrue(all(whose), result.stderr)
        self.assertEqual(sorted(match.group(1) or "0" for match in whose), ["0", "1", "2"])
        for line in result.stderr.splitlines():
            self.assertLessEqual(len(re.findall(r"\d\d:\d\d:\d\d (?:info|warn)", line)), 1, "one message a line")


if __name__ == "__main__":
    unittest.main()
