#!/usr/bin/env python3
"""Rules of the house that a compiler does not check: includes go one way, and a name stands for one type."""
import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
# What each layer may include besides itself: base <- comm, data <- ops <- model, optim, checkpoint <- train
# <- plugin_host <- app.
LEVEL = {"base": 0, "comm": 1, "data": 1, "ops": 2, "model": 3, "optim": 3, "checkpoint": 3, "train": 4,
         "plugin_host": 5, "app": 6}
SOURCES = {".h", ".hpp", ".cpp", ".c", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
TYPE = re.compile(r"^(?:struct|class|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?(\w+)\b(?!::)[^;()]*\{")


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES)


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1)


def upward(layer, path):
    for number, target in includes(path):
        other = target.split("/")[0]
        if other not in LEVEL or other == layer:
            continue
        if LEVEL[other] >= LEVEL[layer]:
            yield f"{path.relative_to(ROOT)}:{number} includes {target}"


def namespace_types(path):
    """Types at namespace scope, leaving unnamed namespaces out: what the linker may merge."""
    hidden = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"^namespace \{", line):
            hidden += 1
        elif re.match(r"^\}  // namespace$", line):
            hidden -= 1
        elif hidden == 0:
            found = TYPE.match(line)
            if found:
                yield found.group(1)


class House(unittest.TestCase):
    maxDiff = None

    def test_includes_go_one_way(self):
        wrong = [fault for layer in LEVEL for path in sources(f"runtime/{layer}") for fault in upward(layer, path)]
        self.assertEqual(wrong, [])

    def test_plugins_and_launcher_take_nothing_of_runtime(self):
        wrong = [f"{path.relative_to(ROOT)}:{number} includes {target}"
                 for folder in ("plugins", "launcher", "sdk") for path in sources(folder)
                 for number, target in includes(path)
                 if target.startswith("runtime/")
                 or (target.split("/")[0] in LEVEL and not (path.parent / target).exists()
                     and (ROOT / "runtime" / target).exists())]
        self.assertEqual(wrong, [])

    def test_a_name_stands_for_one_type(self):
        """Two types of one name in one program: the linker keeps one destructor for both."""
        where = collections.defaultdict(set)
        for path in sources("runtime"):
            for name in namespace_types(path):
                where[name].add(str(path.relative_to(ROOT)))
        twice = {name: sorted(paths) for name, paths in where.items() if len(paths) > 1}
        self.assertEqual(twice, {})

    def test_readme_shows_the_template_whole(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertIn((ROOT / "sdk/template/gradient_zscore.c").read_text(encoding="utf-8"), readme)

    def test_files_stay_readable(self):
        long = [f"{path.relative_to(ROOT)}: {lines} lines"
                for folder in ("runtime", "plugins", "launcher", "sdk") for path in sources(folder)
                if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400]
        self.assertEqual(long, [])


if __name__ == "__main__":
    unittest.main()
