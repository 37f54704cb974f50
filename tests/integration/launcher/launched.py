"""What the launcher's tests share: szlaunch as a user starts it, and checks that it leaves no process behind.

$SZLAUNCH is the program under test, $SZ_WORKER the stand-in for szworker (fake_worker.cpp says what it can do).
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SZLAUNCH = os.environ["SZLAUNCH"]
LIMIT = 60  # seconds, for what takes one or two
PROMISE = 10  # seconds from a rank's death to the last process's end


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
