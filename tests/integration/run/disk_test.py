"""Disks that are full or read-only, and run folders that are taken."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from bad_case import BadCase
from harness import LIMIT

OWN_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount"]  # who starts so may mount, without root


class DiskTest(BadCase):
    """What is full, read-only or taken. A small tmpfs stands in for a disk."""

    def disk(self, size):
        place = self.folder / "disk"
        place.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True,
                              text=True, timeout=LIMIT)
        if made.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here, by root or in a user namespace: {made.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)], check=True, timeout=LIMIT)
        return place

    def test_full_while_preparing_data(self):
        disk = self.disk("32k")
        self.write(data={"cache": str(disk / "cache")})
        for verb, ranks in ((("data", "prepare"), None), (("run",), 2)):
            self.assert_refused(8, [r"No space left on device", r"disk/cache"], verb=verb, ranks=ranks)
            self.assert_no_half_made_data(disk / "cache")

    def test_full_while_saving(self):
        disk = self.disk("700k")  # the state takes about 400 KiB
        self.write(run={"out": str(disk / "runs")}, checkpoint={"every": 2, "keep": 9})
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                shutil.rmtree(disk / "runs", ignore_errors=True)
                self.assert_refused(8, [r"No space left on device", r"disk/runs/tiny/checkpoints"], verb=("run",),
                                    ranks=ranks)
                self.assertEqual([path.name for path in (disk / "runs/tiny/checkpoints").iterdir()], ["step-2"])
        os.remove(disk / "runs/tiny/logs/rank-1.log")
        self.launch("run", self.config, "--resume", "auto", "--set", "checkpoint.keep=1", "--set", "train.steps=2")

    def test_full_while_logging(self):
        disk = self.disk("256k")
        runs = disk / "runs"
        self.write(run={"out": str(runs)}, train={"steps": 100000})
        runs.mkdir()
        # All but a few KiB of the disk is taken: metrics.jsonl fills the rest.
        with open(disk / "ballast", "wb") as file:
            file.write(b"x" * (200 << 10))
        result = self.launch("run", self.config, code=8)
        self.assertRegex(result.stderr, r"No space left on device")
        self.assertRegex(result.stderr, r"disk/runs/tiny/")
        text = (runs / "tiny/metrics.jsonl").read_text()
        self.assertTrue(text.endswith("\n"), "the last line is whole")
        for line in text.splitlines():
            json.loads(line)

    def test_read_only(self):
        disk = self.disk("256k")
        (disk / "runs").mkdir()
        subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True, timeout=LIMIT)
        self.write(run={"out": str(disk / "runs")})
        for ranks in (1, 2):
            self.assert_refused(2, [r"Read-only file system", r"disk/runs"], verb=("run",), ranks=ranks)

    def test_a_run_folder_in_use(self):
        self.write(train={"steps": 1000000})
        process = self.start()
        self.wait_until((self.run_folder() / "metrics.jsonl").exists, "the first run to start", process)
        (lock,) = [self.run_folder() / ".lock"]
        self.assert_refused(2, ["runs/tiny", r"process \d+"], verb=("run",), ranks=2)
        self.assertIsNone(process.poll(), "the first run goes on")
        self.assertTrue(lock.exists())

    def test_the_run_folder_is_a_file(self):
        self.write()
        (self.folder / "runs").write_text("in the way")
        self.assert_refused(2, ["runs"], verb=("run",), ranks=1)


def can(*command):
    return subprocess.run([*command, "true"], capture_output=True, timeout=LIMIT).returncode == 0


if __name__ == "__main__":
    if not can("unshare", "--mount") and can(*OWN_MOUNTS):
        os.execvp(OWN_MOUNTS[0], [*OWN_MOUNTS, sys.executable, "-B", *sys.argv])
    unittest.main()
