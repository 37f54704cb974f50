"""Bad configurations: each fault named with its place, its key and what is expected, and nothing begun."""
import re
import unittest

from bad_case import BadCase

COUNT = "between 1 and 1000000"

# On the command line: (assignment, what the message says after the key).
SET = [
    ("optimizer.lr=nan", "must be between 1e-12 and 10, is nan"),
    ("optimizer.lr=-0.1", "must be between 1e-12 and 10, is -0.1"),
    ("optimizer.lr=1e9", "must be between 1e-12 and 10, is 1e+09"),
    ("optimizer.lr=inf", "must be between 1e-12 and 10, is inf"),
    ("optimizer.lr='fast'", 'expected a number, got the string "fast"'),
    ("optimizer.eps=-nan", "must be between 1e-16 and 1, is nan"),
    ("optimizer.betas=[0.9]", "expected two numbers"),
    ("optimizer.betas=[0.9, 1.0]", "element 2 must be between 0 and 0.999999, is 1.0"),
    ("train.accumulation=0", f"must be {COUNT}, is 0"),
    ("train.micro_batch=-1", f"must be {COUNT}, is -1"),
    ("train.context=0", "must be between 1 and 16777216, is 0"),
    ("train.context=1.5", "expected an integer, got the float 1.5"),
    ("train.precision=fp8", 'must be one of "fp32", "bf16", is "fp8"'),
    ("train.epochs=1", "train.steps is set as well; give one of the two"),
    ("train.steps=0", "neither train.steps nor train.epochs says how long to train; set one of them"),
    ("train.loss=cross_entropi", "nobody offers 'cross_entropi'; offered: cross_entropy"),
    ("model.type=GTP-2", "nobody offers 'GTP-2'; offered: GPT-2"),
    ("optimizer.type=Adamw", "nobody offers 'Adamw'; offered: AdamW"),
    ("model.dropout=1.0", "must be between 0 and 0.99, is 1.0"),
    ("model.heads=3", "3 does not divide model.width = 32"),
    ("data.validation=1", "must be between 0 and 0.9, is 1"),
    ("launch.device=cuda:9", 'must be "cpu", is "cuda:9"'),
    ("run.name=../x", 'must be a plain folder name, is "../x"'),
    ("checkpoint.keep=0", f"must be {COUNT}, is 0"),
    ("data.paths=[]", "must not be empty"),
    ("run.matrix_route=fastest", 'must be one of "mkl", "mkl_fast", "onednn", "blas", is "fastest"'),
]

# In the file: (table, key, value as TOML, what the message says after the key).
WRITTEN = [
    ("optimizer", "lr", "nan", "must be between 1e-12 and 10, is nan"),
    ("optimizer", "lr", "-1e-3", "must be between 1e-12 and 10, is -0.001"),
    ("optimizer", "lr", "1e9", "must be between 1e-12 and 10, is 1e+09"),
    ("train", "accumulation", "0", f"must be {COUNT}, is 0"),
]


class ConfigurationTest(BadCase):
    def line_of(self, text):
        (number,) = [i for i, line in enumerate(self.config.read_text().splitlines(), 1) if line == text]
        return number

    def report(self, result):
        """The lines of a report, without what stands before the configuration's name."""
        return [line[line.index(self.config.name):] for line in result.stderr.splitlines()]

    def write_value(self, table, key, value):
        """The tiny configuration with another value."""
        self.write()
        text, count = re.subn(rf"(\[{table}\]\n(?:\w.*\n)*?){key} = .*\n", rf"\g<1>{key} = {value}\n",
                              self.config.read_text())
        self.assertEqual(count, 1)
        self.config.write_text(text)

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
        expected = [
            f"tiny.toml:{self.line_of('accumulatoin = 2')}:1: train.accumulatoin: unknown key; "
            "did you mean train.accumulation?",
            f"tiny.toml:{self.line_of('lrr = 0.1')}:1: optimizer.lrr: unknown key; did you mean optimizer.lr?",
            f"tiny.toml:{self.line_of('[modell]')}:2: modell: unknown table; did you mean [model]?",
        ]
        for verb, ranks in ((("check",), None), (("run",), 1)):
            self.assertEqual(self.report(self.assert_refused(2, [], verb=verb, ranks=ranks)), expected)
        self.assert_nothing_made()

    def test_values_in_the_file(self):
        for table, key, value, expected in WRITTEN:
            with self.subTest(key=key, value=value):
                self.write_value(table, key, value)
                place = f"tiny.toml:{self.line_of(f'{key} = {value}')}:1: {table}.{key}: "
                for verb, ranks in ((("check",), None), (("run",), 1)):
                    result = self.assert_refused(2, [], verb=verb, ranks=ranks)
                    self.assertEqual(self.report(result), [place + expected])
                self.assert_nothing_made()

    def test_values_on_the_command_line(self):
        for assignment, expected in SET:
            with self.subTest(assignment=assignment):
                self.write()
                result = self.launch("run", self.config, "--set", assignment, code=2)
                key = assignment.split("=")[0]
                self.assertIn(f"--set {assignment}: {key}: {expected}", result.stderr)
                self.assert_nothing_made()

    def test_unknown_file_and_include(self):
        result = self.launch("check", self.folder / "none.toml", code=2)
        self.assertIn("none.toml", result.stderr)
        self.write()
        self.config.write_text('include = ["other.toml"]\n' + self.config.read_text())
        self.assert_refused(2, [r"tiny\.toml:1:\d+: .*other\.toml"])


if __name__ == "__main__":
    unittest.main()
