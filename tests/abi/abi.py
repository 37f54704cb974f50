#!/usr/bin/env python3
"""The SDK's binary interface as text: every field of every struct with offset, size and type, every constant.

abi.py dump  CC INCLUDE_DIR               prints it
abi.py check CC INCLUDE_DIR GOLDEN        compares it with the golden file
abi.py update CC INCLUDE_DIR GOLDEN LAYOUT   rewrites the golden file and the folder of static asserts, one file a
                                          header (a deliberate change)
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

STRUCT = re.compile(r"(?:typedef )?struct (\w+) \{(.*?)\n\}\s*(\w*);", re.S)
CONSTANTS = re.compile(r"\benum \{(.*?)\};", re.S)
FUNCTION_TYPE = re.compile(r"typedef ([^;{}]*?\(\*(\w+)\)\([^;{}]*\));")
ALIAS = re.compile(r"typedef (u?int\d+_t) (\w+);")
MACRO = re.compile(r'^#define (SZ_\w+) ("[^"]*"|\d+u|UINT64_C\(\w+\))', re.M)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def headers(include):
    return sorted(p for p in pathlib.Path(include, "sz").rglob("*.h") if p.name != "easy.h")


def code_of(header):
    return re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)


def fields_of(body):
    """(name, declaration) of each field; an inner union or struct counts as one field."""
    body = re.sub(r"(union|struct) \{[^}]*\}", lambda m: squeeze(m[0]).replace(";", ","), body)
    for declaration in filter(None, map(squeeze, body.split(";"))):
        function = re.search(r"\(\*(\w+)\)\(", declaration)
        if function:
            yield function[1], declaration
            continue
        type_and_first, *others = declaration.split(", ") if "{" not in declaration else [declaration]
        first = re.search(r"(\w+)(\[\w+\])?$", type_and_first)
        yield first[1], type_and_first
        for other in others:
            name = re.search(r"\w+", other)[0]
            yield name, type_and_first[: first.start()] + other


def parse(include):
    """Structs as (tag, fields, header), names of constants, and lines for all else."""
    structs, constants, types = [], [], []
    for header in headers(include):
        code = code_of(header)
        for tag, body, _ in STRUCT.findall(code):
            structs.append((tag, list(fields_of(body)), header.relative_to(include)))
        for group in CONSTANTS.findall(code):
            constants += re.findall(r"\b(SZ_\w+)", group)
        types += [f"type {name} = {squeeze(text)}" for text, name in FUNCTION_TYPE.findall(code)]
        types += [f"type {name} = {text}" for text, name in ALIAS.findall(code)]
        types += [f"macro {name} = {value}" for name, value in MACRO.findall(code)]
    return structs, constants, types


def program(include, structs, constants):
    lines = [f"#include <{h.relative_to(include)}>" for h in headers(include)]
    lines += ["#include <stdio.h>", "int main(void) {"]
    for tag, fields, _ in structs:
        lines.append(f'printf("%zu\\n", sizeof(struct {tag}));')
        for name, _ in fields:
            slot = f"offsetof(struct {tag}, {name}), sizeof(((struct {tag}*)0)->{name})"
            lines.append(f'printf("%zu %zu\\n", {slot});')
    lines += [f'printf("%lld\\n", (long long)({name}));' for name in constants]
    return "\n".join(lines + ["return 0;", "}"])


def measure(compiler, include, structs, constants):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "dump.c"), pathlib.Path(folder, "dump")
        source.write_text(program(include, structs, constants), encoding="utf-8")
        subprocess.run([compiler, "-std=c11", "-w", f"-I{include}", source, "-o", binary], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout.split("\n")


def refuse_embedded(structs):
    growing = {tag for tag, fields, _ in structs if fields[0][0] == "struct_size"}
    for tag, fields, _ in structs:
        for name, declaration in fields:
            if re.sub(r"^const ", "", declaration).split(" ")[0] in growing:
                sys.exit(f"{tag}.{name}: a struct that grows stands inside another: use a pointer")


def dump(compiler, include):
    """The golden text, and {header: static asserts}."""
    structs, constants, types = parse(include)
    refuse_embedded(structs)
    numbers = iter(measure(compiler, include, structs, constants))
    lines, asserts = [], {}
    for tag, fields, header in structs:
        own = asserts.setdefault(header, [])
        size, end = int(next(numbers)), 0
        lines.append(f"struct {tag} size {size}")
        for name, declaration in fields:
            offset, width = map(int, next(numbers).split())
            end = offset + width
            lines.append(f"  {offset:4} {width:3} {declaration}")
            own.append(f'_Static_assert(offsetof(struct {tag}, {name}) == {offset}, "{tag}.{name}");')
        if end != size:
            sys.exit(f"{tag}: its last field ends at {end} but its size is {size}: padding at the tail would be taken "
                     "for a later field. Add a reserved field.")
        own.append(f'_Static_assert(sizeof(struct {tag}) == {size}, "{tag}");\n')
    lines += [f"constant {name} = {next(numbers)}" for name in constants]
    return "\n".join(lines + sorted(types)) + "\n", asserts


def write_layout(folder, asserts):
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.c"):
        old.unlink()
    for header, lines in asserts.items():
        top = ["/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */",
               f"#include <{header}>", ""]
        name = "_".join(header.with_suffix("").parts[1:])  # sz/host/run.h: host_run.c
        (folder / f"{name}.c").write_text("\n".join(top + lines), encoding="utf-8")


def main():
    command, compiler, include, *files = sys.argv[1:]
    text, asserts = dump(compiler, include)
    if command == "dump":
        print(text, end="")
    elif command == "update":
        pathlib.Path(files[0]).write_text(text, encoding="utf-8")
        write_layout(pathlib.Path(files[1]), asserts)
    elif command == "check":
        golden = pathlib.Path(files[0]).read_text(encoding="utf-8")
        changes = list(difflib.unified_diff(golden.splitlines(), text.splitlines(), "frozen", "now", lineterm="", n=1))
        if changes:
            sys.exit("\n".join(changes) + "\n\nThe SDK's binary interface changed. If that is meant: raise SZ_DRAFT "
                     "(or SZ_ABI_VERSION), then run abi.py update.")
        print(f"{len(text.splitlines())} lines as frozen")
    else:
        sys.exit(__doc__)


main()
