"""Bad input, each with a message that says where and what, the right exit code, and nothing half-written."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import unittest

from harness import LIMIT, TEST_PLUGINS, RunCase, documents


class BadCase(RunCase):
    def assert_refused(self, code, patterns, verb=("check",), ranks=None):
        """The verb ends with `code`, names every pattern, and leaves neither a run folder nor half-made data."""
        command = [*verb, self.config] + (["-n", ranks] if ranks else [])
        result = self.launch(*command, code=code)
        for pattern in patterns:
            self.assertRegex(result.stderr, pattern)
        self.assertNotIn("internal error", result.stderr)
        return result

    def assert_nothing_made(self):
        self.assertFalse((self.folder / "runs").exists(), "no run folder")
        self.assert_no_half_made_data()

    def assert_no_half_made_data(self, cache=None):
        cache = cache or self.shared / "cache"
        for folder in cache.iterdir() if cache.exists() else []:
            if folder.is_dir():
                self.assertTrue((folder / "manifest.json").exists(), f"{folder} is half-made")


class ConfigurationTest(BadCase):
    def test_toml_syntax(self):
        self.write()
        text = self.config.read_text()
        self.config.write_text(text + "[eval\nevery = 1\n")
        line = text.count("\n") + 1
        self.assert_refused(2, [rf"tiny\.toml:{line}:\d+: "])
        self.assert_refused(2, [rf"tiny\.toml:{line}:\d+: "], verb=("run",), ranks=2)
        self.assert_nothing_made()

    def test_not_utf8_and_utf16(self):
        self.write()
        text = self.config.read_text()
        for data in (text.encode() + b'[log]\nlanguage = "\xff"\n', text.encode("utf-16")):
            self.config.write_bytes(data)
            self.assert_refused(2, [r"tiny\.toml:\d+:\d+: "])

    def test_three_wrong_keys_are_reported_at_once(self):
        self.write(train={"accumulatoin": 2}, optimizer={"lrr": 0.1}, modell={"layers": 2})
        lines = self.config.read_text().splitlines()
        where = {key: lines.index(f"{key} = {value}") + 1 for key, value in (("accumulatoin", 2), ("lrr", 0.1))}
        table = lines.index("[modell]") + 1
        self.assert_refused(2, [rf"tiny\.toml:{where['accumulatoin']}:1: train\.accumulatoin: .*accumulation",
                                rf"tiny\.toml:{where['lrr']}:1: optimizer\.lrr: .*optimizer\.lr|lr",
                                rf"tiny\.toml:({table}|{table + 1}):\d+: modell.*model"])

    def test_values(self):
        cases = [("optimizer.lr=nan", "nan"), ("optimizer.lr=-0.1", "-0.1"),
                 ("optimizer.lr=1e9", "1e\\+?0?9|1000000000"),
                 ("optimizer.lr=inf", "inf"), ("optimizer.lr='fast'", "fast"), ("optimizer.eps=-nan", "nan"),
                 ("train.accumulation=0", "0"), ("train.micro_batch=-1", "-1"), ("train.context=0", "0"),
                 ("train.context=1.5", "1\\.5"), ("train.precision=fp8", "bf16"), ("model.dropout=1.0", "1"),
                 ("model.heads=3", "width"), ("model.type=GTP-2", "GPT-2"), ("optimizer.betas=[0.9]", "two"),
                 ("optimizer.betas=[0.9, 1.0]", "1"), ("data.validation=1", "0\\.9"), ("launch.device=cuda:9", "cpu"),
                 ("run.name=../x", "folder"), ("train.epochs=1", "train\\.steps"), ("train.steps=0", "train\\.epochs"),
                 ("checkpoint.keep=0", "1"), ("data.paths=[]", "data\\.paths"), ("optimizer.type=Adamw", "AdamW"),
                 ("train.loss=cross_entropi", "cross_entropy"), ("run.matrix_route=fastest", "mkl")]
        for assignment, expected in cases:
            with self.subTest(assignment=assignment):
                self.write()
                key = assignment.split("=")[0]
                result = self.launch("run", self.config, "--set", assignment, code=2)
                self.assertRegex(result.stderr, key.replace(".", r"\."))
                self.assertRegex(result.stderr, expected)

    def test_unknown_file_and_include(self):
        result = self.launch("check", self.folder / "none.toml", code=2)
        self.assertIn("none.toml", result.stderr)
        self.write()
        self.config.write_text('include = ["other.toml"]\n' + self.config.read_text())
        self.assert_refused(2, [r"tiny\.toml:1:\d+: .*other\.toml"])


class TextCase(BadCase):
    def text(self, data, name="text.txt"):
        """A corpus of one file that holds `data`; the configuration of it."""
        folder = self.folder / "text"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if data is not None:
            (folder / name).write_bytes(data)
        self.cache = self.folder / "cache"
        self.write(data={"paths": [str(folder)], "cache": str(self.cache), "validation": 0.0})
        return folder / name

    def assert_bad(self, data, *patterns, name="text.txt", code=4):
        self.text(data, name)
        for verb, ranks in ((("data", "prepare"), None), (("run",), 1)):
            self.assert_refused(code, patterns, verb=verb, ranks=ranks)
            self.assert_no_half_made_data(self.cache)

    def good_text(self):
        english, chinese = documents(30)
        return "\n\n".join(english + chinese) + "\n"

    def prepared(self, data, name="text.txt"):
        """The tokens that come of `data`."""
        self.text(data, name)
        folder = pathlib.Path(self.launch("data", "prepare", self.config).stdout.strip())
        return [path.read_bytes() for path in sorted(folder.glob("tokens-*.bin"))]


class TextTest(TextCase):
    def test_empty(self):
        self.assert_bad(None, "text")
        self.assert_bad(b"", "no documents|empty")
        self.assert_bad(b"\n \n\t\n\n", "no documents|empty")

    def test_missing_path(self):
        self.write(data={"paths": [str(self.folder / "nowhere")]})
        for verb, ranks in ((("data", "prepare"), None), (("run",), 2)):
            self.assert_refused(4, ["nowhere"], verb=verb, ranks=ranks)

    def test_not_utf8(self):
        good = self.good_text().encode()
        self.assert_bad(good + b"caf\xe9 au lait\n", rf"text\.txt:{good.count(10) + 1}: .*UTF-8")
        self.assert_bad(good + "中文".encode("gb18030"), rf"text\.txt:{good.count(10) + 1}: .*UTF-8")

    def test_utf16(self):
        for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-32"):
            with self.subTest(encoding=encoding):
                self.assert_bad(self.good_text().encode(encoding), r"text\.txt.*(UTF-16|UTF-32|UTF-8|NUL)")

    def test_nul_bytes(self):
        good = self.good_text().encode()
        self.assert_bad(good + b"a\0b\n", rf"text\.txt:{good.count(10) + 1}: .*NUL")

    def test_bom_and_crlf_make_no_difference(self):
        good = self.good_text()
        plain = self.prepared(good.encode())
        self.assertEqual(self.prepared(b"\xef\xbb\xbf" + good.encode()), plain, "byte order mark")
        self.assertEqual(self.prepared(good.replace("\n", "\r\n").encode()), plain, "CRLF")

    def test_broken_json_at_line_70000(self):
        lines = [b'{"text": "a small river"}'] * 69999 + [b'{"text": "a small'] + [b'{"text": "x"}'] * 10
        self.assert_bad(b"\n".join(lines), r"text\.jsonl:70000(:\d+)?: ", name="text.jsonl")

    def test_json_without_the_field(self):
        self.assert_bad(b'{"text": "a"}\n{"body": "b"}\n', r"text\.jsonl:2: .*text", name="text.jsonl")
        self.assert_bad(b'{"text": "a"}\n{"text": 3}\n', r"text\.jsonl:2: .*text", name="text.jsonl")
        self.assert_bad(b'{"text": "a"}\n[1]\n', r"text\.jsonl:2: ", name="text.jsonl")

    def test_vocabulary_that_the_text_does_not_fill(self):
        self.text(self.good_text().encode())
        self.launch("run", self.config, "--set", "data.vocabulary=20000", code=4)

    def test_a_tokenizer_that_is_none(self):
        self.text(self.good_text().encode())
        broken = self.folder / "broken.model"
        broken.write_bytes(b"not a model")
        for path, code in ((broken, 4), (self.folder / "nothing.model", 2)):
            result = self.launch("run", self.config, "--set", f"data.tokenizer={path}", code=code)
            self.assertIn(path.name, result.stderr)

    def test_shorter_than_one_context(self):
        self.text(self.good_text().encode())
        self.train("--set", "train.context=4096", "--set", "train.steps=1")

    def test_no_training_samples_left(self):
        self.text(("春天 a small river. " * 40).encode())  # one document, held out whole
        self.launch("run", self.config, "--set", "data.validation=0.9", "--set", "data.seed=1", "--set",
                    "data.vocabulary=300", code=4)

    def test_more_ranks_than_samples(self):
        english, chinese = documents(8)
        self.text("\n\n".join([" ".join(english), "".join(chinese)]).replace(".\n", ". ").encode())  # two documents
        small = ["--set", "data.vocabulary=300", "--set", "train.context=4096", "--set", "train.steps=3"]
        self.train(*small, ranks=3)
        self.assertEqual([line["step"] for line in self.metrics()], [1, 2, 3])
        one = self.state(3)
        self.train(*small, "--set", "train.accumulation=3", ranks=1)
        for name, values in self.state(3).items():
            self.assertTrue(all(abs(x - y) < 1e-5 for x, y in zip(values, one[name], strict=True)), name)


class LongTextTest(TextCase):
    def test_one_line_of_200_mb(self):
        line = self.good_text().replace("\n", " ").encode()
        self.text(line * (200_000_000 // len(line)) + b"\n")
        folder = pathlib.Path(self.launch("data", "prepare", self.config).stdout.strip())
        tokens = sum(path.stat().st_size for path in folder.glob("tokens-*.bin"))
        self.assertGreater(tokens, 1_000_000)
        self.train("--set", "train.steps=1")


class PluginFileTest(BadCase):
    def refuse(self, name, *patterns, code=3, **keys):
        self.write(**{f"plugins.{name}": {"enabled": True, **keys}})
        line = self.config.read_text().splitlines().index(f"[plugins.{name}]") + 1
        for verb, ranks in ((("check",), None), (("run",), 2)):
            self.assert_refused(code, [rf"tiny\.toml:({line}|{line + 1}|{line + 2}):\d+: plugins\.{name}", *patterns],
                                verb=verb, ranks=ranks)
        self.assert_nothing_made()

    def copy(self, name="test_failing"):
        to = self.folder / f"{name}.so"
        shutil.copy(f"{TEST_PLUGINS}/{name}.so", to)
        to.chmod(0o644)
        return to

    def test_missing(self):
        self.refuse("gradient_zcsore", "gradient_zscore")
        self.refuse("mine", "nowhere/mine\\.so", path=str(self.folder / "nowhere/mine.so"))

    def test_truncated(self):
        path = self.copy()
        whole = path.read_bytes()
        for size in (0, 3, 64, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size):
                path.write_bytes(whole[:size])
                self.refuse("test_failing", "test_failing\\.so", path=str(path))

    def test_foreign(self):
        path = self.folder / "foreign.so"
        path.write_text("not a library\n")
        self.refuse("foreign", "foreign\\.so.*ELF", path=str(path))
        libc = next(line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()
                    if "libc.so" in line)
        shutil.copy(libc, path)
        path.chmod(0o644)
        self.refuse("foreign", "foreign\\.so", path=str(path))
        data = bytearray(self.copy().read_bytes())
        data[18:20] = b"\xb7\x00"  # aarch64
        path.write_bytes(data)
        self.refuse("foreign", "foreign\\.so", path=str(path))

    def test_wrong_abi_and_no_note(self):
        for name in ("test_wrong_abi", "test_no_note"):
            self.refuse(name, f"{name}\\.so", path=f"{TEST_PLUGINS}/{name}.so")

    def test_world_writable(self):
        path = self.copy()
        path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o002)
        self.refuse("test_failing", "test_failing\\.so.*writ", path=str(path))

    def test_checksum(self):
        path = self.copy()
        self.refuse("test_failing", "sha256", path=str(path), sha256="0" * 64)

    def test_named_twice(self):
        self.write(**{"plugins.gradient_zscore": {"enabled": True}})
        self.config.write_text(self.config.read_text() + "[plugins.gradient_zscore]\nenabled = true\n")
        self.assert_refused(2, [r"tiny\.toml:\d+:\d+: .*gradient_zscore"])
        # The same library under another name: it says itself who it is.
        self.refuse("another", "test_failing", path=f"{TEST_PLUGINS}/test_failing.so")

    def test_two_owners_of_one_slot(self):
        owner = {"enabled": True}
        self.write(plugins={"search": [TEST_PLUGINS]},
                   **{"plugins.test_slot_a": owner, "plugins.test_slot_b": owner})
        self.assert_refused(3, ["precision", "test_slot_a", "test_slot_b"])

    def test_a_key_of_a_plugin(self):
        self.write(**{"plugins.gradient_zscore": {"enabled": True, "windw": 3, "threshold": -1.0}})
        self.assert_refused(2, [r"plugins\.gradient_zscore\.windw: .*window", r"plugins\.gradient_zscore\.threshold: "])


class DiskTest(BadCase):
    """What is full, read-only or taken. A small tmpfs stands in for a disk, which takes root."""

    def disk(self, size):
        place = self.folder / "disk"
        place.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True,
                              text=True, timeout=LIMIT)
        if made.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here (root?): {made.stderr.strip()}")
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
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, timeout=LIMIT)
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


if __name__ == "__main__":
    unittest.main()
