"""docs/ says what the programs do: keys, tables and examples are compared with them.

$SZLAUNCH and $SZ_WORKER are the programs, $DOCS the folder, $PLUGINS the plugins whose keys configuration.md tells.
"""
import difflib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

DOCS = pathlib.Path(os.environ["DOCS"])
WORKER, SZLAUNCH = os.environ["SZ_WORKER"], os.environ["SZLAUNCH"]
PLUGINS = os.environ["PLUGINS"].split()
LIMIT = 60


def schema():
    return subprocess.run([WORKER, "schema", *PLUGINS], check=True, capture_output=True, encoding="utf-8",
                          timeout=LIMIT).stdout


def keys(markdown):
    """Every key of configuration.md, dotted."""
    found, table = set(), ""
    for line in markdown.splitlines():
        if heading := re.match(r"## \[(.+)\]", line):
            table = heading[1]
        elif row := re.match(r"\| `([a-z0-9_.]+)` \|", line):
            found.add(f"{table}.{row[1]}")
    return found


class DocsTest(unittest.TestCase):
    def test_configuration_is_what_the_schemas_say(self):
        written, made = (DOCS / "configuration.md").read_text(encoding="utf-8"), schema()
        if written != made:
            lines = difflib.unified_diff(written.splitlines(), made.splitlines(), "docs", "schemas", n=0, lineterm="")
            differences = "\n".join(lines)
            self.fail(f"docs/configuration.md is out of date: build/bin/szworker schema {' '.join(PLUGINS)} "
                      f"> docs/configuration.md\n{differences}")

    def test_keys_that_other_pages_name_are_there(self):
        known = keys(schema())
        self.assertIn("train.micro_batch", known)
        tables = {key.split(".")[0] for key in known} - {"plugins"}
        plugins = {f"plugins.{name}" for name in PLUGINS}  # of those that aren't built, nothing is known
        known |= {f"{table}.{key}" for table in plugins for key in ("enabled", "path", "sha256")}
        for page in DOCS.glob("*.md"):
            text = page.read_text(encoding="utf-8")
            if page.name == "migrate.md":  # the left column has others' keys
                text = "\n".join(re.sub(r"^\|.*?(?<!\\)\|", "|", line) for line in text.splitlines())
            for key in re.findall(r"`([a-z_]+(?:\.[a-z_0-9]+)+)(?: = [^`]*)?`", text):
                is_file = key.endswith((".json", ".jsonl", ".toml", ".md"))
                ours = key.split(".")[0] in tables or key.rpartition(".")[0] in plugins
                if ours and key not in known and not is_file:
                    self.fail(f"{page.name} names `{key}`, which is no key")

    def test_the_example_is_a_configuration(self):
        text = (DOCS / "getting_started.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "my.toml")
            path.write_text(example, encoding="utf-8")
            result = subprocess.run([SZLAUNCH, "check", path], capture_output=True, encoding="utf-8", timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_links_lead_somewhere(self):
        for page in DOCS.glob("*.md"):
            for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")


if __name__ == "__main__":
    unittest.main()
