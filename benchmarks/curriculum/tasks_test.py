"""python3 -m unittest discover -s benchmarks/curriculum -p '*_test.py'"""
import json
import os
import tempfile
import unittest

import tasks


def rows_of(path):
    with open(path, encoding="utf-8") as rows:
        return [json.loads(row) for row in rows]


class Tasks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_additions_are_right_and_none_comes_twice(self):
        tasks.write_additions(self.path("sums.jsonl"), 1000, 3)
        rows = rows_of(self.path("sums.jsonl"))
        self.assertEqual(len(rows), 1000)
        self.assertEqual(len({row["prompt"] for row in rows}), 1000)
        lengths = []
        for row in rows:
            a, b = (int(part[::-1]) for part in row["prompt"].rstrip("=").split("+"))
            self.assertEqual(row["response"], str(a + b)[::-1])
            self.assertEqual(len(str(a)), len(str(b)))
            lengths.append(len(str(a)))
        self.assertEqual([lengths.count(digits) for digits in (1, 2, 3)], [100, 450, 450])

    def test_there_are_only_so_many_short_sums(self):
        tasks.write_additions(self.path("sums.jsonl"), 30_000, 3)
        lengths = [len(row["prompt"]) for row in rows_of(self.path("sums.jsonl"))]
        self.assertEqual([lengths.count(length) for length in (4, 6, 8)], [100, 6480, 14_950])

    def test_text_of_each_language_up_to_a_size(self):
        for language, paragraph in (("en", "a few words"), ("zh", "几个字")):
            os.makedirs(self.path(f"corpus/{language}"))
            with open(self.path(f"corpus/{language}/a.txt"), "w", encoding="utf-8") as out:
                out.write("\n\n".join(f"{paragraph} {i}" for i in range(200)))
        tasks.write_text(self.path("text"), self.path("corpus"), 1000)
        for language in ("en", "zh"):
            with open(self.path(f"text/{language}/text.txt"), encoding="utf-8") as text:
                paragraphs = text.read().strip().split("\n\n")
            self.assertEqual(len(set(paragraphs)), len(paragraphs))
            self.assertLess(1000, sum(len(part.encode()) + 2 for part in paragraphs))
            self.assertLess(sum(len(part.encode()) + 2 for part in paragraphs), 1100)

    def test_pairs_are_the_same_paragraphs_of_two_manuals(self):
        pages = {"de": {"one": "Speichert das Dokument im <b>aktuellen</b> Ordner.", "two": "Zu kurz"},
                 "zh-CN": {"one": "将文档保存在当前文件夹中。", "two": "太短", "three": "没有对应的德文段落。"}}
        for language, paragraphs in pages.items():
            os.makedirs(self.path(f"x/{language}"))
            with open(self.path(f"x/{language}/page.html"), "w", encoding="utf-8") as out:
                for key, text in paragraphs.items():
                    out.write(f'<p id="par_id{key}" class="x">\n {text}\n</p>\n')
        pairs = tasks.pairs_of(self.path("x/de"), self.path("x/zh-CN"))
        self.assertEqual(pairs, {"Speichert das Dokument im aktuellen Ordner.": "将文档保存在当前文件夹中。"})

    def test_a_tenth(self):
        tasks.write_rows(self.path("all.jsonl"), [(str(i), "x") for i in range(50)])
        tasks.shorten(self.path("all.jsonl"), self.path("tenth.jsonl"), 0.1)
        self.assertEqual([row["prompt"] for row in rows_of(self.path("tenth.jsonl"))], ["0", "1", "2", "3", "4"])


if __name__ == "__main__":
    unittest.main()
