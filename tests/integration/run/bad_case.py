"""What the tests of bad input share: a verb that must refuse, and that nothing half-made stays behind."""
from harness import RunCase


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
