"""Bad text and bad plugins: messages that say where and what, the right exit codes, and nothing half-written."""
import pathlib
import shutil
import stat
import unittest

from bad_case import BadCase
from harness import TEST_PLUGINS, documents


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
            self.assertFalse((self.folder / "runs").exists(), "no run folder")
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
        self.assert_bad(None, r"data\.paths: no \.txt or \.jsonl file in .*/text \(0 files of other kinds\)")
        self.assert_bad(b"", r"data\.paths: no documents in .*/text: 1 files without text")
        self.assert_bad(b"\n \n\t\n\n", r"data\.paths: no documents in .*/text: 1 files without text")

    def test_missing_path(self):
        self.write(data={"paths": [str(self.folder / "nowhere")]})
        for verb, ranks in ((("data", "prepare"), None), (("run",), 2)):
            self.assert_refused(4, [r"data\.paths: .*/nowhere: no such file or folder"], verb=verb, ranks=ranks)

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
        result = self.launch("run", self.config, "--set", "data.vocabulary=20000", code=4)
        self.assertRegex(result.stderr, r"data\.vocabulary = 20000 is too large for this corpus; at most \d+")

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

    def test_one_document_and_its_copies_train_whatever_share_is_held_out(self):
        one = self.good_text().replace("\n\n", "\n")
        for text in (one, f"{one}\n{one}\n{one}"):
            with self.subTest(bytes=len(text)):
                self.text(text.encode())
                result = self.train("--set", "data.validation=0.9")
                self.assertIn("no document is left for validation: the text is one document, or copies of one",
                              result.stderr)
                self.assertEqual([line["step"] for line in self.metrics()], [1, 2, 3, 4])
                self.assertEqual(self.evaluations(), [])

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


if __name__ == "__main__":
    unittest.main()
