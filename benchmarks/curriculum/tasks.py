"""Data of the tasks: graded additions, German-Chinese pairs, and text that scripts/fetch_corpus.sh brings."""
import html
import json
import os
import random
import re
import subprocess


def lowest_first(number):
    """Its digits from the ones on, the order in which a sum is found (Lee et al., "Teaching arithmetic to small
    transformers", 2023)."""
    return str(number)[::-1]


def write_additions(path, sums, digits, seed=1):
    """{"prompt": "21+43=", "response": "64"}: 12 + 34 = 46; so only the answer counts. All 100 sums of one digit, and
    as many of each greater length up to `digits` (at most four in five of those there are), none twice."""
    stream = random.Random(seed)
    chosen = {(1, a, b) for a in range(10) for b in range(10)}
    for grade in range(2, digits + 1):
        low, high = 10 ** (grade - 1), 10**grade
        wanted = len(chosen) + min((sums - 100) // (digits - 1), (high - low) ** 2 * 4 // 5)
        while len(chosen) < wanted:
            chosen.add((grade, stream.randrange(low, high), stream.randrange(low, high)))
    rows = sorted(chosen)
    stream.shuffle(rows)
    write_rows(path, [(f"{lowest_first(a)}+{lowest_first(b)}=", lowest_first(a + b)) for _, a, b in rows])


def write_tokenizer_text(path, seed=1):
    """For the additions' tokenizer: figures one by one, so that each is a token, and words for the pieces that its
    least vocabulary asks for."""
    words = "Write figures apart, with blanks, and put the answer behind its mark."
    names = ["one digit", "two digits", "three digits", "four digits", "five digits", "six digits"]
    stream = random.Random(seed)
    with open(path + ".part", "w", encoding="utf-8") as out:
        for i in range(400):
            figures = " ".join(lowest_first(stream.randrange(10**6)))
            out.write(f"Add these pairs of numbers, {names[i % 6]} each. {words}\n"
                      f"{figures} + {figures[::-1]} = {figures}\n\n")
    os.replace(path + ".part", path)


def write_text(folder, corpus, size, seed=1):
    """Paragraphs of the corpus, drawn until there are `size` bytes of each of its folders (languages)."""
    for language in sorted(os.listdir(corpus)):
        paragraphs = []
        for name in sorted(os.listdir(f"{corpus}/{language}")):
            with open(f"{corpus}/{language}/{name}", encoding="utf-8") as text:
                paragraphs += [part.strip("\n") for part in text.read().split("\n\n") if part.strip()]
        random.Random(seed).shuffle(paragraphs)
        os.makedirs(f"{folder}/{language}", exist_ok=True)
        path = f"{folder}/{language}/text.txt"
        with open(path + ".part", "w", encoding="utf-8") as out:
            while paragraphs and out.tell() < size:
                out.write(paragraphs.pop() + "\n\n")
        os.replace(path + ".part", path)


def write_rows(path, rows):
    """Pairs as lines of JSON: the loss counts the response alone."""
    with open(path + ".part", "w", encoding="utf-8") as out:
        for prompt, response in rows:
            out.write(json.dumps({"prompt": prompt, "response": response}, ensure_ascii=False) + "\n")
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


def pairs_of(german_root, chinese_root):
    """{German: Chinese} of the paragraphs that both manuals have under one name."""
    pairs = {}
    for where, _, names in sorted(os.walk(german_root)):
        for name in sorted(names):
            other = os.path.join(chinese_root, os.path.relpath(where, german_root), name)
            if not name.endswith(".html") or not os.path.exists(other):
                continue
            german, chinese = paragraphs(os.path.join(where, name)), paragraphs(other)
            for key in german:
                if key in chinese and is_pair(german[key], chinese[key]):
                    pairs[german[key]] = chinese[key]
    return pairs


def write_pairs(folder, test_pairs, seed=1):
    """train.jsonl and test.jsonl of {"prompt": German, "response": Chinese} from two manuals in Debian packages."""
    packages = folder + "/packages"
    os.makedirs(packages, exist_ok=True)
    subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *PACKAGES], cwd=packages, check=True)
    for name in os.listdir(packages):
        if name.endswith(".deb"):
            subprocess.run(["dpkg", "-x", name, "x"], cwd=packages, check=True)
    root = packages + "/x/usr/share/libreoffice/help"
    pairs = pairs_of(root + "/de/text", root + "/zh-CN/text")
    if len(pairs) <= test_pairs:
        raise SystemExit(f"{packages}: only {len(pairs)} pairs of paragraphs in {', '.join(PACKAGES)}")
    rows = [(german + "\n", chinese) for german, chinese in sorted(pairs.items())]
    random.Random(seed).shuffle(rows)
    write_rows(f"{folder}/test.jsonl", rows[:test_pairs])
    write_rows(f"{folder}/train.jsonl", rows[test_pairs:])


def shorten(source, target, share):
    """The first `share` of the lines: rows are shuffled already."""
    with open(source, encoding="utf-8") as rows:
        lines = rows.readlines()
    with open(target + ".part", "w", encoding="utf-8") as out:
        out.writelines(lines[: max(1, int(len(lines) * share))])
    os.replace(target + ".part", target)
