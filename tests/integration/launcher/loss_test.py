"""Lost ranks, mpirun or launcher: the others end, and the exit code says so."""
import os
import signal
import time
import unittest

from launched import LIMIT, PROMISE, LauncherTest, alive, wait_until


class LossTest(LauncherTest):
    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)
        self.killed_at = time.monotonic()

    def assert_kept_promise(self):
        self.assertLess(time.monotonic() - self.killed_at, PROMISE)

    def assert_lost(self, process, ranks, pattern):
        output, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, errors)
        self.assertRegex(errors, pattern)
        self.assert_nothing_left(ranks)
        self.assert_kept_promise()

    def test_a_killed_rank_ends_the_others(self):
        process = self.start_ranks(3, "0 barrier", "1 stubborn", "2 stubborn")
        self.kill(self.pid(1))
        self.assert_lost(process, 3, r"^szlaunch: rank 1 was killed by signal 9")

    def test_a_rank_that_crashes(self):
        result = self.run_ranks(2, "0 barrier", "1 raise 11")
        self.assertEqual(result.returncode, 7)
        self.assertIn("szlaunch: rank 1 was killed by signal 11 (Segmentation fault)", result.stderr)

    def test_a_rank_that_ends_without_a_report(self):
        result = self.run_ranks(2, "0 barrier", "1 silent 0")
        self.assertEqual(result.returncode, 7)
        self.assertIn("rank 1", result.stderr)

    def test_a_failing_rank_does_not_wait_for_a_stubborn_one(self):
        result = self.run_ranks(2, "0 exit 8 no space left on runs/", "1 stubborn")
        self.assertEqual(result.returncode, 8)
        self.assertIn("rank 0: no space left on runs/", result.stderr)

    def test_mpirun_killed(self):
        process = self.start_ranks(2, "0 stubborn", "1 stubborn")
        self.kill(self.mpirun_pid(process))
        self.assert_lost(process, 2, r"szlaunch: mpirun, and all ranks with it, was killed by signal 9")

    def test_launcher_killed(self):
        process = self.start_ranks(2, "0 stubborn", "1 stubborn")
        mpirun = self.mpirun_pid(process)
        self.kill(process.pid)
        for pid in (mpirun, self.pid(0), self.pid(1)):
            wait_until(lambda pid=pid: not alive(pid), f"{pid} to be gone")
        self.assert_kept_promise()

    def test_the_next_launcher_removes_what_a_killed_one_left(self):
        left, young = self.temporary / "szlaunch.left", self.temporary / "szlaunch.young"
        for folder in (left, young):
            folder.mkdir()
            (folder / "pid-0").write_text("1 1")
        os.utime(left, (0, 0))
        self.config.write_text("")
        self.assertEqual(self.launch("run", self.config, "-n", 2).returncode, 0)
        self.assertEqual(list(self.temporary.iterdir()), [young])

    def test_a_living_launcher_keeps_its_folder(self):
        process = self.start_ranks(2, "0 save", "1 save")
        (own,) = self.temporary.iterdir()
        os.utime(own, (0, 0))
        other = self.folder / "other.toml"
        other.write_text("")
        self.assertEqual(self.launch("run", other, "-n", 2).returncode, 0)
        self.assertTrue(own.exists())
        process.terminate()
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143)


if __name__ == "__main__":
    unittest.main()
