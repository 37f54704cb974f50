"""szlaunch run: ranks that end by themselves, and what szlaunch prints and returns then."""
import os
import re
import subprocess
import unittest

from launched import LIMIT, LauncherTest, SZLAUNCH


class RunTest(LauncherTest):
    def test_all_ranks_done(self):
        result = self.run_ranks(2)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")

    def test_arguments_reach_the_worker_in_order(self):
        result = self.run_ranks(2, options=["--set", "a.b=1", "--resume", "auto", "--set", "text=x y"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(re.findall("argument (.*)", result.stdout),
                         ["--set", "a.b=1", "--set", "text=x y", "--resume", "auto"])

    def test_one_rank_needs_no_mpirun(self):
        self.environment["PATH"] = "/nowhere"
        self.assertEqual(self.run_ranks(1).returncode, 0)
        self.assertEqual(self.run_ranks(1, "0 exit 5 diverged").returncode, 5)

    def test_without_mpirun_two_ranks_say_how_to_get_it(self):
        self.environment["PATH"] = "/nowhere"
        result = self.run_ranks(2)
        self.assertEqual(result.returncode, 7)
        self.assertIn("openmpi-bin", result.stderr)

    def test_ranks_choose_their_threads_themselves(self):
        """They alone see quotas and hyperthreads of their machine; the user's word goes through."""
        self.assertIn("threads not set\nranks here not set\n", self.run_ranks(1).stdout)
        self.assertIn("threads not set\nranks here 2\n", self.run_ranks(2).stdout)
        self.environment["OMP_NUM_THREADS"] = "3"
        self.assertIn("threads 3\n", self.run_ranks(2).stdout)

    def test_output_passes_unchanged(self):
        self.config.write_text("0 babble\n")
        command = [SZLAUNCH, "run", str(self.config), "-n", "2"]
        result = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=LIMIT)
        fence = b"-" * 70 + b"\n"
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"output of rank 0\n", result.stdout)
        self.assertEqual(result.stderr,
                         b"\rstep 1\rstep 2\rstep 3\n[rank 0] warning\n" + fence + b"a sample\n" + fence)

    def test_more_ranks_than_cores(self):
        ranks = len(os.sched_getaffinity(0)) * 2 + 1
        result = self.run_ranks(ranks, *[f"{rank} barrier" for rank in range(ranks)])
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_ranks_own_error_is_the_runs(self):
        result = self.run_ranks(3, "0 exit 7 lost rank 1", "1 exit 4 data.jsonl:3: no field `text`", "2 barrier")
        self.assertEqual(result.returncode, 4)
        lines = result.stderr.splitlines()
        self.assertEqual(lines, ["szlaunch: rank 1: data.jsonl:3: no field `text` (exit code 4: data)"])

    def test_every_exit_code_comes_back(self):
        for code in range(1, 9):
            with self.subTest(code=code):
                result = self.run_ranks(2, f"0 exit {code} why", f"1 exit {code} why")
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertRegex(result.stderr, r"^szlaunch: rank [01]: why \(exit code \d: [a-z ]+\)\n$")

    def test_one_cause_is_told_once_and_another_besides(self):
        result = self.run_ranks(3, "0 exit 2 wrong key", "1 exit 2 wrong key", "2 exit 2 wrong key")
        self.assertRegex(result.stderr, r"^szlaunch: rank [012]: wrong key \(exit code 2: [a-z ]+\)\n$")
        result = self.run_ranks(2, "0 exit 4 no text", "1 exit 8 disk full")
        self.assertIn(result.returncode, (4, 8))
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        self.assertIn("rank 0: no text", result.stderr)
        self.assertIn("rank 1: disk full", result.stderr)

    def test_notices_of_open_mpi_are_kept_back(self):
        self.assertEqual(self.run_ranks(2, "0 notice", "1 notice").stderr, "")
        self.assertEqual(self.run_ranks(2, "1 notice", options=["-v"]).stderr.count("[[40353,0],0]"), 2)

    def test_missing_configuration(self):
        result = self.launch("run", "nowhere.toml", "-n", 2)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nowhere.toml", result.stderr)


if __name__ == "__main__":
    unittest.main()
