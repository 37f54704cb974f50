"""Verbs, options and their errors."""
import unittest

from launched import LauncherTest


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
        for words in (["check", "a.toml"], ["plugins", "plan", "a.toml"],
                      ["data", "prepare", "a.toml", "--set", "a=1"]):
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
                usage = f"szlaunch {' '.join(words[:-1]).replace('a.toml', 'CONFIG')}"
                self.assertIn(usage, self.launch(*words).stdout)

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
