"""szlaunch as a user sees it: what it prints, its exit codes, and that it leaves no process behind.

$SZLAUNCH is the program under test, $SZ_WORKER the stand-in for szworker (fake_worker.cpp says what it can do).
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SZLAUNCH = os.environ["SZLAUNCH"]
LIMIT = 60  # seconds, for what takes one or two


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, what):
    until = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"waited {LIMIT} s for {what}")
        time.sleep(0.02)


class LauncherTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="launcher-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.config = self.folder / "fake.toml"
        self.environment = os.environ | {"FAKE_FOLDER": str(self.folder), "TMPDIR": str(self.temporary)}
        self.environment.pop("OMP_NUM_THREADS", None)

    def launch(self, *arguments):
        """Runs szlaunch to its end."""
        return subprocess.run([SZLAUNCH, *map(str, arguments)], env=self.environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)

    def run_ranks(self, ranks, *actions, options=()):
        self.config.write_text("\n".join(actions) + "\n")
        result = self.launch("run", self.config, "-n", ranks, *options)
        self.assert_nothing_left(ranks)
        return result

    def start_ranks(self, ranks, *actions, before=()):
        """Starts szlaunch, by the command `before` if any, and waits until all ranks are about to act."""
        self.config.write_text("\n".join(actions) + "\n")
        for old in self.folder.glob("pid-*"):
            old.unlink()
        process = subprocess.Popen([*before, SZLAUNCH, "run", str(self.config), "-n", str(ranks)], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, process)
        wait_until(lambda: all((self.folder / f"pid-{rank}").exists() for rank in range(ranks)), "the ranks to start")
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def pid(self, rank):
        return int((self.folder / f"pid-{rank}").read_text())

    def mpirun_pid(self, process):
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1, "szlaunch has one child, mpirun")
        return int(children[0])

    def assert_nothing_left(self, ranks):
        for rank in range(ranks):
            if (self.folder / f"pid-{rank}").exists():
                wait_until(lambda: not alive(self.pid(rank)), f"rank {rank} to be gone")
        self.assertEqual(list(self.temporary.iterdir()), [], "szlaunch and mpirun remove their folders")


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

    def test_cores_are_shared_among_ranks(self):
        cores = len(os.sched_getaffinity(0))
        self.assertIn(f"threads {cores}\n", self.run_ranks(1).stdout)
        self.assertIn(f"threads {max(1, cores // 2)}\n", self.run_ranks(2).stdout)
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


class LossTest(LauncherTest):
    def assert_lost(self, process, ranks, pattern):
        output, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, errors)
        self.assertRegex(errors, pattern)
        self.assert_nothing_left(ranks)

    def test_a_killed_rank_ends_the_others(self):
        process = self.start_ranks(3, "0 barrier", "1 stubborn", "2 stubborn")
        os.kill(self.pid(1), signal.SIGKILL)
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
        os.kill(self.mpirun_pid(process), signal.SIGKILL)
        self.assert_lost(process, 2, r"szlaunch: mpirun, and all ranks with it, was killed by signal 9")

    def test_launcher_killed(self):
        process = self.start_ranks(2, "0 stubborn", "1 stubborn")
        mpirun = self.mpirun_pid(process)
        process.kill()
        for pid in (mpirun, self.pid(0), self.pid(1)):
            wait_until(lambda pid=pid: not alive(pid), f"{pid} to be gone")

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


class StopTest(LauncherTest):
    def stop_with(self, number, *actions):
        process = self.start_ranks(len(actions), *actions)
        process.send_signal(number)
        output, errors = process.communicate(timeout=LIMIT)
        self.assert_nothing_left(len(actions))
        return process.returncode, errors

    def test_sigterm_lets_ranks_save(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 save", "1 save")
        self.assertEqual(code, 143, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_sigint_is_130(self):
        code, errors = self.stop_with(signal.SIGINT, "0 save", "1 save")
        self.assertEqual(code, 130, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_hang_up_is_a_stop(self):
        code, errors = self.stop_with(signal.SIGHUP, "0 save", "1 save")
        self.assertEqual(code, 143, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_nohup_is_respected(self):
        process = self.start_ranks(2, "0 save", "1 save", before=["nohup"])
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)  # heard after it
        while (line := process.stdout.readline()) != "saving on request\n":
            self.assertTrue(line, "szlaunch ended")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)

    def test_sigusr1_asks_to_save_and_the_run_goes_on(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.start_ranks(ranks, *[f"{rank} save" for rank in range(ranks)])
                for _ in range(2):
                    process.send_signal(signal.SIGUSR1)
                    while (line := process.stdout.readline()) != "saving on request\n":
                        self.assertTrue(line, "szlaunch ended")
                process.send_signal(signal.SIGTERM)
                output, errors = process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 143, errors)
                self.assertNotIn("saving on request", output, "one rank asks for all")
                self.assert_nothing_left(ranks)

    def test_sigusr1_before_a_rank_can_save_is_harmless(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.start_ranks(ranks, *[f"{rank} finish" for rank in range(ranks)])
                process.send_signal(signal.SIGUSR1)
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 0, errors)

    def test_a_stop_in_preparation_saved_nothing(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 prepare", "1 load")
        self.assertEqual(code, 143, errors)
        self.assertNotIn("saved their state", errors)
        code, errors = self.stop_with(signal.SIGINT, "0 prepare", "1 prepare")
        self.assertEqual(code, 130, errors)
        self.assertIn("interrupted (SIGINT); data: stopped while preparing; nothing of it is kept\n", errors)

    def test_the_others_that_an_ending_rank_ends_are_not_lost(self):
        for first, second in (("0 prepare", "1 stubborn"), ("0 stubborn", "1 prepare")):
            code, errors = self.stop_with(signal.SIGTERM, first, second)
            self.assertEqual(code, 143, errors)
            self.assertIn("nothing of it is kept", errors)

    def test_a_stop_while_ranks_load(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 load", "1 load")
        self.assertEqual(code, 143, errors)
        self.assertIn("asked to stop (SIGTERM) before training began", errors)

    def test_a_run_that_was_done_before_it_could_stop(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 finish", "1 finish")
        self.assertEqual(code, 0, errors)
        self.assertIn("done before it could stop", errors)

    def test_a_burst_of_signals_is_one_request(self):
        process = self.start_ranks(2, "0 save", "1 save")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertIn(process.returncode, (130, 143), errors)
        self.assertIn("the ranks saved their state", errors)

    def test_error_while_saving_wins(self):
        self.config.write_text("")
        process = self.start_ranks(2, "0 save", "1 stubborn")
        process.send_signal(signal.SIGTERM)
        os.kill(self.pid(1), signal.SIGKILL)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, errors)
        self.assert_nothing_left(2)

    def test_second_signal_kills(self):
        process = self.start_ranks(2, "0 stubborn", "1 stubborn")
        process.send_signal(signal.SIGTERM)
        while "once more" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        time.sleep(0.6)  # within half a second it is the same request
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)
        self.assertIn("killed", errors)
        self.assert_nothing_left(2)

    def test_one_rank_gets_the_signal_itself(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 save")
        self.assertEqual(code, 143, errors)
        self.assertNotIn("szlaunch:", errors)

    def test_ranks_stopped_by_somebody_else(self):
        process = self.start_ranks(2, "0 save", "1 save")
        for rank in (0, 1):
            os.kill(self.pid(rank), signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)


class VerbTest(LauncherTest):
    def test_version_and_help(self):
        self.assertRegex(self.launch("--version").stdout, r"^szlaunch \d+\.\d+\.\d+\n$")
        result = self.launch("--help")
        self.assertEqual(result.returncode, 0)
        for verb in ("run", "check", "plugins", "data", "doctor", "Examples:"):
            self.assertIn(verb, result.stdout)
        self.assertEqual(self.launch("help").stdout, result.stdout)
        self.assertIn("--resume", self.launch("help", "run").stdout)

    def test_no_verb_is_a_usage_error(self):
        self.assertEqual(self.launch().returncode, 2)

    def test_unknown_verb_names_the_nearest(self):
        result = self.launch("chekc", "x.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("Did you mean 'check'?", result.stderr)
        self.assertNotIn("Did you mean", self.launch("zzzzzzzz").stderr)

    def test_wrong_options(self):
        self.config.write_text("")
        for arguments in (["-n", "0"], ["-n", "two"], ["--set", "novalue"], ["--set", "=1"], ["--nonsense"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.launch("run", self.config, *arguments).returncode, 2)

    def test_verbs_of_the_worker(self):
        for words in (["check", "a.toml"], ["plugins", "plan", "a.toml"], ["data", "prepare", "a.toml", "--set", "a=1"]):
            with self.subTest(words=words):
                self.assertEqual(self.launch(*words).stdout.split(), words)
        self.assertEqual(self.launch("check").returncode, 2)

    def test_help_of_the_workers_verbs_speaks_of_szlaunch(self):
        help = self.launch("plugins", "--help").stdout
        self.assertIn("szlaunch plugins info NAME", help)
        for words in (["plugins", "info", "--help"], ["plugins", "plan", "a.toml", "-h"], ["help", "plugins"]):
            with self.subTest(words=words):
                self.assertEqual(self.launch(*words).stdout, help)
        for words in (["check", "a.toml", "--help"], ["data", "prepare", "--help"]):
            with self.subTest(words=words):
                self.assertIn(f"szlaunch {' '.join(words[:-1]).replace('a.toml', 'CONFIG')}", self.launch(*words).stdout)

    def test_a_verb_that_is_not_there_is_not_promised(self):
        self.assertNotIn("estimate", self.launch("--help").stdout)
        self.assertEqual(self.launch("estimate", "a.toml").returncode, 2)

    def test_external_command(self):
        program = self.folder / "szlaunch-greet"
        program.write_text('#!/bin/sh\necho "hello $1"\nexit 5\n')
        program.chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        result = self.launch("greet", "世界")
        self.assertEqual((result.returncode, result.stdout), (5, "hello 世界\n"))

    def test_missing_worker(self):
        self.environment["SZ_WORKER"] = str(self.folder / "nothing")
        result = self.launch("check", "a.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("SZ_WORKER", result.stderr)

    def test_doctor(self):
        result = self.launch("doctor")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"ok +MPI +mpirun \(Open MPI\)")


if __name__ == "__main__":
    unittest.main()
