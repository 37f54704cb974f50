"""szlaunch doctor where something is missing: the line says how to get it, and the exit code is of its kind."""
import os
import re
import resource
import subprocess
import unittest

from launched import LIMIT, LauncherTest, SZLAUNCH


class DoctorTest(LauncherTest):
    def doctor(self, code, limits=(), **environment):
        """{name: (state, text)} of all findings. `limits`: (resource, value) of the process."""
        def lower():
            for which, value in limits:
                resource.setrlimit(which, (value, value))

        result = subprocess.run([SZLAUNCH, "doctor"], env=self.environment | environment, cwd=self.folder,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                                preexec_fn=lower)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        found = re.findall(r"^(ok|note|FAIL) +(.{14}) (.+)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(found), len(result.stdout.splitlines()), result.stdout)
        return {name.strip(): (state, text) for state, name, text in found}

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def assert_failed(self, found, names):
        self.assertEqual([name for name, (state, _) in found.items() if state == "FAIL"], names, found)

    def test_all_is_well(self):
        self.assert_failed(self.doctor(0), [])

    def test_without_mpirun(self):
        found = self.doctor(7, PATH="/nowhere")
        self.assert_failed(found, ["MPI"])
        self.assertIn("apt-get install openmpi-bin", found["MPI"][1])

    def test_an_mpirun_that_starts_nothing(self):
        self.program("mpirun", "[ $1 = --version ] || { echo no slots >&2; exit 1; }")
        found = self.doctor(7, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assert_failed(found, ["MPI"])
        self.assertIn(f"{self.folder}/mpirun cannot start two processes: no slots", found["MPI"][1])

    def test_few_open_files(self):
        found = self.doctor(8, limits=[(resource.RLIMIT_NOFILE, 64)])
        self.assertEqual(found["open files"][0], "FAIL")
        self.assertRegex(found["open files"][1], "^nofile 64; .*ulimit -n 4096, or nofile in /etc/security/limits.conf")

    def test_little_locked_memory_is_no_failure(self):
        found = self.doctor(0, limits=[(resource.RLIMIT_MEMLOCK, 64 << 10)])
        self.assertEqual(found["locked memory"][0], "note")
        self.assertIn("ulimit -l unlimited", found["locked memory"][1])

    def test_without_a_worker(self):
        found = self.doctor(2, SZ_WORKER=str(self.folder / "nowhere"))
        self.assert_failed(found, ["szworker"])
        self.assertEqual(found["szworker"][1], "build it with scripts/quickstart.sh")

    def test_a_worker_that_does_not_start(self):
        worker = self.program("worker", "printf 'libtorch_cpu.so: no such file' >&2; exit 127")
        found = self.doctor(2, SZ_WORKER=str(worker))
        self.assert_failed(found, ["szworker"])
        self.assertEqual(found["szworker"][1], f"{worker} does not start: libtorch_cpu.so: no such file")

    def test_what_the_worker_finds(self):
        worker = self.program("worker", r"printf 'ok\tSIMD\tavx2\nnote\tNCCL\tnone\nFAIL\tLibTorch\told; get 2.11\n'")
        found = self.doctor(1, SZ_WORKER=str(worker))
        self.assert_failed(found, ["LibTorch"])
        self.assertEqual([found[name] for name in ("SIMD", "NCCL", "LibTorch")],
                         [("ok", "avx2"), ("note", "none"), ("FAIL", "old; get 2.11")])

    def test_the_first_failure_gives_the_exit_code(self):
        self.assert_failed(self.doctor(7, PATH="/nowhere", SZ_WORKER=str(self.folder / "nowhere")), ["MPI", "szworker"])


if __name__ == "__main__":
    unittest.main()
