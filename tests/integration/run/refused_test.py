"""Runs that are refused leave nothing: no run folder, no lock, no half-made data."""
import unittest

from harness import TEST_PLUGINS, RunCase, toml


class RefusedTest(RunCase):
    def assert_nothing_made(self, *options, code, expected):
        for ranks in (1, 2):
            with self.subTest(options=options, ranks=ranks):
                result = self.train(*options, ranks=ranks, code=code)
                self.assertRegex(result.stderr, expected)
                self.assertNotIn("internal error", result.stderr)
                self.assertNotIn("report it", result.stderr)
                made = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))
                self.assertEqual(made, sorted(self.before))

    def refuse(self, *assignments, code, expected):
        self.before = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*")]
        options = [word for assignment in assignments for word in ("--set", assignment)]
        self.assert_nothing_made(*options, code=code, expected=expected)

    def test_keys_without_a_value(self):
        self.write()
        for key in ("data.cache", "run.out", "data.text_field"):
            self.refuse(f"{key}=", code=2, expected=rf"--set {key}=: {key}: must not be empty")
        for name in ("", "a/b", "..", ".x"):
            self.refuse(f"run.name={name}", code=2, expected=rf"run\.name={name}: run\.name: must be a plain folder name")
        self.refuse("data.paths=[]", code=2, expected=r"data\.paths: must not be empty")

    def test_text_that_cannot_be_read(self):
        self.write()
        (self.folder / "empty").mkdir()
        (self.folder / "bad.txt").write_bytes(b"caf\xe9 au lait\n")
        (self.folder / "bad.jsonl").write_text('{"text": "a"}\n{"text": \n')
        self.refuse(f"data.paths={self.folder}/empty", code=4, expected=r"no \.txt or \.jsonl file")
        self.refuse(f"data.paths={self.folder}/nowhere", code=4, expected="no such file or folder")
        # Their lock stays in the cache, as it does after a preparation that went well.
        for name in ("bad.txt", "bad.jsonl"):
            self.refuse(f"data.paths={self.folder}/{name}", code=4, expected=rf"{name}:[12]")

    def test_plugins_that_fail_at_start(self):
        self.write(plugins={"search": [TEST_PLUGINS]}, **{"plugins.test_failing": {"enabled": True}})
        self.refuse("plugins.test_failing.fail_start=true", code=4, expected="told to fail at start")

    def test_folders_that_were_there_before_stay(self):
        self.write()
        (self.run_folder() / "notes").mkdir(parents=True)
        self.refuse(f"data.paths={self.folder}/nowhere", code=4, expected="no such file or folder")


class OneReportTest(RunCase):
    def place(self, line):
        (number,) = [i for i, written in enumerate(self.config.read_text().splitlines(), 1) if written == line]
        return f"tiny.toml:{number}:1: "

    def report(self, verb, code):
        result = self.launch(*verb, self.config, code=code)
        return [line[line.index("tiny.toml:"):] for line in result.stderr.splitlines()]

    def test_keys_pairs_of_keys_services_and_plugins(self):
        owner = {"enabled": True}
        self.write(model={"heads": 3, "type": "GTP-2"}, train={"accumulatoin": 2}, optimizer={"type": "Adamw"})
        keys = [self.place("heads = 3") + "model.heads: 3 does not divide model.width = 32",
                self.place('type = "GTP-2"') + "model.type: nobody offers 'GTP-2'; offered: GPT-2",
                self.place("accumulatoin = 2") + "train.accumulatoin: unknown key; did you mean train.accumulation?",
                self.place('type = "Adamw"') + "optimizer.type: nobody offers 'Adamw'; offered: AdamW"]
        for verb in (("check",), ("run",)):
            self.assertEqual(sorted(self.report(verb, 2)), sorted(keys))
        self.config.write_text(self.config.read_text() +
                               toml({"plugins": {"search": [TEST_PLUGINS]}, "plugins.test_slot_a": owner}) +
                               "[plugins.test_slot_b]\n\nenabled = true\n")
        report = self.report(("check",), 2)
        self.assertEqual(len(report), 3, report)  # who offers what is not known without a plan
        self.assertTrue(report[2].endswith("'; a slot has one owner: switch one of them off"))
        last = self.config.read_text().count("\n")
        self.assertTrue(report[2].startswith(f"tiny.toml:{last}:1: plugins.test_slot_b.enabled: slot 'precision'"))

    def test_plugins_alone_are_the_plugins_fault(self):
        owner = {"enabled": True}
        self.write(plugins={"search": [TEST_PLUGINS]}, **{"plugins.test_slot_a": owner, "plugins.test_slot_b": owner})
        (line,) = self.report(("check",), 3)
        self.assertRegex(line, r"tiny\.toml:\d+:1: plugins\.test_slot_b\.enabled: slot 'precision' is claimed by both")


if __name__ == "__main__":
    unittest.main()
