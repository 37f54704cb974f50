"""Data of the tasks: graded additions, German-Chinese pairs, and the mixed text that scripts/fetch_corpus.sh brings."""
import html
import json
import os
import random
import re
import subprocess


def spaced(number):
    """Digit by digit, so that each is a token of its own."""
    return " ".join(str(number))


def write_additions(path, documents, seed=1, lines=4, digits=5):
    """Documents of `lines` sums, all of as many digits; grades 1 to `digits`, equally many of each. The heading in
    words gives the tokenizer the pieces that its least vocabulary asks for."""
    task = "Write figures apart, with blanks, and put the answer behind its mark."
    names = ["one digit", "two digits", "three digits", "four digits", "five digits", "six digits"]
    stream = random.Random(seed)
    seen = set()
    with open(path + ".part", "w", encoding="utf-8") as out:
        for i in range(documents):
            grade = 1 + i % digits
            low, high = (0, 9) if grade == 1 else (10 ** (grade - 1), 10**grade - 1)
            rows = []
            for _ in range(lines):
                a, b = stream.randint(low, high), stream.randint(low, high)
                rows.append(f"{spaced(a)} + {spaced(b)} = {spaced(a + b)}")
            heading = f"Add these pairs of numbers, {names[grade - 1]} each. {task}\n"
            text = heading + "\n".join(rows)
            if text not in seen:
                seen.add(text)
                out.write(text + "\n\n")
    os.replace(path + ".part", path)


PACKAGES = ["libreoffice-help-de", "libreoffice-help-zh-cn"]
PARAGRAPH = re.compile(r'<p[^>]*\bid="(par_id[^"]+)"[^>]*>(.*?)</p>', re.S)


def paragraphs(path):
    with open(path, encoding="utf-8") as page:
        found = {}
        for key, body in PARAGRAPH.findall(page.read()):
            text = html.unescape(re.sub(r"<[^>]+>", "", body))
            found[key] = re.sub(r"\s+", " ", text).strip()
        return found


def is_pair(german, chinese):
    """Translated, and of a length that a small context holds."""
    if not 12 <= len(german) <= 160 or not 4 <= len(chinese) <= 80:
        return False
    return sum("\u4e00" <= c <= "\u9fff" for c in chinese) >= len(chinese) // 2


def write_pairs(folder, test_pairs=200, seed=1):
    """train.jsonl and test.jsonl of {"prompt": German, "response": Chinese} from the same paragraphs of two manuals."""
    if os.path.exists(folder + "/train.jsonl"):
        return
    packages = folder + "/packages"
    os.makedirs(packages, exist_ok=True)
    subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *PACKAGES], cwd=packages, check=True)
    for name in os.listdir(packages):
        if name.endswith(".deb"):
            subprocess.run(["dpkg", "-x", name, "x"], cwd=packages, check=True)
    root = packages + "/x/usr/share/libreoffice/help"
    pairs = {}
    for where, _, names in sorted(os.walk(root + "/de/text")):
        for name in sorted(names):
            other = os.path.join(where.replace("/de/text", "/zh-CN/text"), name)
            if not name.endswith(".html") or not os.path.exists(other):
                continue
            german, chinese = paragraphs(os.path.join(where, name)), paragraphs(other)
            for key in german:
                if key in chinese and is_pair(german[key], chinese[key]):
                    pairs[german[key]] = chinese[key]
    rows = [{"prompt": de + "\n", "response": zh} for de, zh in sorted(pairs.items())]
    random.Random(seed).shuffle(rows)
    for name, part in (("test", rows[:test_pairs]), ("train", rows[test_pairs:])):
        with open(f"{folder}/{name}.jsonl.part", "w", encoding="utf-8") as out:
            for row in part:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
        os.replace(f"{folder}/{name}.jsonl.part", f"{folder}/{name}.jsonl")


def shorten(source, target, share):
    """The first `share` of the lines: rows are shuffled already."""
    with open(source, encoding="utf-8") as rows:
        lines = rows.readlines()
    with open(target + ".part", "w", encoding="utf-8") as out:
        out.writelines(lines[: max(1, int(len(lines) * share))])
    os.replace(target + ".part", target)
