#!/usr/bin/env python3
"""Turns unpacked Debian packages into clean training text.

  extract_corpus.py PACKAGES OUT [--megabytes N]

PACKAGES holds one folder a package, as `dpkg -x` left it. OUT gets LANGUAGE/SOURCE.txt in UTF-8: documents separated
by a blank line, single newlines within a document. Of each language at most N megabytes (default 1.5) are kept, shared
among its sources, chosen by each document's hash so that the choice is the same everywhere. No document comes twice.
"""
import argparse
import hashlib
import html.parser
import os
import pathlib
import re
import sys
import unicodedata

CJK = "\u3400-\u4dbf\u4e00-\u9fff"
CJK_WIDE = CJK + "\u3000-\u303f\uff00-\uffef\u2018-\u201d\u2026\u2014"  # with Chinese punctuation
BETWEEN_CJK = re.compile(f"(?<=[{CJK_WIDE}])[ \t]+(?=[{CJK_WIDE}])")

# ---------------------------------------------------------------------------------------------------------------------
# Text


def join(first, second):
    """Joins two pieces of one sentence: a space between words of Latin script, none between Chinese characters."""
    if re.search(f"[{CJK_WIDE}]$", first) and re.match(f"[{CJK_WIDE}]", second):
        return first + second
    return f"{first} {second}" if first and second else first + second


def tidy(line):
    line = unicodedata.normalize("NFC", line)
    line = re.sub(r"[\s\u200b\ufeff]+", " ", line).strip()
    return BETWEEN_CJK.sub("", line)


def display_width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def unwrap(text):
    """Undoes hard wrapping: a line goes on in the next one if it is about as long as the text is wide.

    Short lines (verse, dialogue, attributions) stay lines of their own, and so does what follows a blank line.
    """
    lines = text.expandtabs().split("\n")
    width = max((display_width(line.rstrip()) for line in lines), default=0)
    wrapped_from = max(0.75 * width, 50)
    out, goes_on = [], False
    for raw in lines:
        line = tidy(raw)
        if not line:
            goes_on = False
            continue
        indented = raw.startswith("    ") or line.startswith(("--", "- ", "* "))
        if goes_on and not indented:
            out[-1] = join(out[-1], line)
        else:
            out.append(line)
        goes_on = display_width(raw.rstrip()) >= wrapped_from
    return "\n".join(out)


def is_prose(line, language):
    """Tells sentences from drawings, tables, shell commands and text of another language."""
    visible = [c for c in line if not c.isspace()]
    chinese = len(re.findall(f"[{CJK}]", line))
    letters = sum(c.isalpha() for c in visible)
    if language == "zh":
        return chinese >= 2 and chinese >= 0.4 * len(visible)
    return letters >= 0.6 * len(visible) and chinese == 0


# ---------------------------------------------------------------------------------------------------------------------
# Readers: each yields a package's documents

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
OVERSTRIKE = re.compile(r".\x08")
TABLE_DRAWING = re.compile("[\u2500-\u257f]")
# Drawings, riddles in other languages, and jokes about groups of people teach a model nothing that it should know.
SKIPPED_FORTUNES = {"ascii-art", "translate-me", "ethnic", "men-women"}


def read_fortunes(package):
    """fortune(6) files: documents separated by a line with a lone %."""
    for path in files(package / "usr/share/games/fortunes"):
        if path.suffix or path.name in SKIPPED_FORTUNES:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        text = OVERSTRIKE.sub("", ANSI.sub("", text))
        for document in re.split(r"^%\n", text, flags=re.MULTILINE):
            if not TABLE_DRAWING.search(document):
                yield unwrap(document)


class ParagraphParser(html.parser.HTMLParser):
    """Collects paragraphs of running text; a heading starts a new document."""

    SKIP = {"script", "style", "pre", "nav", "head", "svg", "table"}
    BLOCKS = {"p", "li", "dd", "dt", "div", "br", "blockquote", "section", "article", "ul", "ol", "hr"}
    HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.documents = [[]]
        self.paragraph = ""
        self.skipped = 0

    def end_paragraph(self):
        line = tidy(self.paragraph)
        self.paragraph = ""
        if line:
            self.documents[-1].append(line)

    def is_skipped(self, tag, attributes):
        contents = tag == "dl" and ("class", "toc") in attributes
        return tag in self.SKIP or contents or (tag == "dl" and self.skipped > 0)

    def handle_starttag(self, tag, attributes):
        if self.is_skipped(tag, attributes):
            self.skipped += 1
        if tag in self.BLOCKS | self.HEADINGS:
            self.end_paragraph()
        if tag in self.HEADINGS:
            self.documents.append([])

    def handle_startendtag(self, tag, attributes):  # <br/>: opens nothing
        if tag in self.BLOCKS:
            self.end_paragraph()

    def handle_endtag(self, tag):
        if (tag in self.SKIP or tag == "dl") and self.skipped:
            self.skipped -= 1
        if tag in self.BLOCKS | self.HEADINGS:
            self.end_paragraph()

    def handle_data(self, data):
        if self.skipped:
            return
        # A newline in the source is a space in Latin text and nothing in Chinese: tidy() removes it there.
        self.paragraph += re.sub(r"\s+", " ", data)


def read_html(package):
    for path in files(package):
        if path.suffix not in (".html", ".htm"):
            continue
        parser = ParagraphParser()
        parser.feed(path.read_text(encoding="utf-8", errors="replace"))
        parser.close()
        parser.end_paragraph()
        for paragraphs in parser.documents:
            yield from in_pieces(paragraphs)


def in_pieces(paragraphs, characters=4000):
    """Long sections become several documents, so that a split by document can be even."""
    piece, size = [], 0
    for paragraph in paragraphs:
        piece.append(paragraph)
        size += len(paragraph)
        if size >= characters:
            yield "\n".join(piece)
            piece, size = [], 0
    if piece:
        yield "\n".join(piece)


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


SOURCES = [  # language, package, reader
    ("en", "fortunes", read_fortunes),
    ("en", "fortunes-min", read_fortunes),
    ("en", "anarchism", read_html),
    ("zh", "fortunes-zh", read_fortunes),
    ("zh", "debian-reference-zh-cn", read_html),
]

# ---------------------------------------------------------------------------------------------------------------------
# Selection and output


def clean_documents(language, documents, seen):
    """Drops lines that are not prose, documents too short to learn from, and copies."""
    shortest = 16 if language == "zh" else 60  # characters
    for document in documents:
        text = "\n".join(line for line in document.split("\n") if is_prose(line, language))
        digest = hashlib.sha256(re.sub(r"\W", "", text).encode()).hexdigest()
        if len(text) < shortest or digest in seen:
            continue
        seen.add(digest)
        yield digest, text


def choose(documents, budget):
    """Picks documents in the order of their hash until the budget (bytes) is spent; gives them in the source's order."""
    chosen, spent = set(), 0
    for digest, text in sorted(documents):
        size = len(text.encode()) + 2
        if spent + size <= budget:
            chosen.add(digest)
            spent += size
    return [text for digest, text in documents if digest in chosen], spent


def write(path, documents):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with open(part, "w", encoding="utf-8") as file:
        file.write("\n\n".join(documents) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def extract_language(language, packages, out, budget):
    seen, found = set(), []
    for source_language, package, reader in SOURCES:
        if source_language != language:
            continue
        if not (packages / package).is_dir():
            sys.exit(f"extract_corpus: {packages / package} is missing; run scripts/fetch_corpus.sh")
        found.append((package, list(clean_documents(language, reader(packages / package), seen))))
    # The smallest source first: what it leaves of its share goes to the larger ones.
    found.sort(key=lambda source: sum(len(text) for _, text in source[1]))
    for index, (package, documents) in enumerate(found):
        chosen, spent = choose(documents, budget // (len(found) - index))
        budget -= spent
        if not chosen:
            sys.exit(f"extract_corpus: no text in {packages / package}; remove it and run scripts/fetch_corpus.sh")
        write(out / language / f"{package}.txt", chosen)
        print(f"{language}  {package:24} {len(chosen):6} documents  {spent / 1e6:5.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=1.5, help="of each language (default 1.5)")
    arguments = parser.parse_args()
    for language in ("en", "zh"):
        extract_language(language, arguments.packages, arguments.out, int(arguments.megabytes * 1e6))


if __name__ == "__main__":
    main()
