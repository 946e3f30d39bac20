#!/usr/bin/env python3
"""Reads the source as text and fails on what no compiler refuses. Usage: tidy.py ROOT

Rooms include only rooms to their left; installed headers include only the standard library and installed headers, the
other headers besides these Boost; every source is listed in CMake; files and functions stay short; every header says
its role in its first line; no two headers define a type of the same name.
"""

import pathlib
import re
import sys

ROOMS = ["base", "engine", "link", "fabric", "collective", "planner", "sim", "gxnet", "study", "apps"]
ANY_SOURCE = set(ROOMS)
THIRD_PARTY = {"fmt": ANY_SOURCE, "boost": ANY_SOURCE, "yaml-cpp": {"study"}, "nlohmann": {"study"}, "CLI": {"apps"}}
SYSTEM_FOLDERS = {"sys"}
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum) (?:[A-Z_]+ )?(\w+)(?: final)?(?: : [^;]*)? \{")
NOT_A_FUNCTION = re.compile(r"^(namespace|class|struct|enum|union|extern|#|//)")


def cpp_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".cpp", ".hpp", ".h"})


def room_of(path, root):
    """The room a file lives in; headers at the root of include/simlette count as base."""
    parts = path.relative_to(root).parts
    if parts[0] == "apps":
        return "apps"
    if parts[:2] == ("libsimlette", "src"):
        return parts[2]
    return parts[3] if len(parts) > 4 else "base"


def include_problem(kind, name, path, root):
    """What is wrong with one #include of `path`, or None."""
    room = room_of(path, root)
    folder, slash, _ = name.partition("/")
    if kind == '"':
        return None if (path.parent / name).is_file() and ".." not in name else "a quoted include leaves its folder"
    if folder == "simlette" and slash:
        parts = name.split("/")
        target = parts[1] if len(parts) > 2 else "base"
        if target not in ROOMS:
            return f"there is no room `{target}`"
        if ROOMS.index(target) > ROOMS.index(room):
            return f"an arrow the wrong way: `{room}` may not include `{target}`"
        return None
    if "include" in path.relative_to(root).parts and (slash or "." in name) and folder != "boost":
        return "a header includes only the standard library, Boost and Simlette"
    if name == "sqlite3.h" and room != "study":
        return f"the room `{room}` may not see SQLite"
    if slash and folder not in SYSTEM_FOLDERS and room not in THIRD_PARTY.get(folder, set()):
        return f"the room `{room}` may not see `{folder}`"
    return None


def check_includes(root):
    for folder in ("libsimlette", "apps"):
        for path in cpp_files(root / folder):
            room = room_of(path, root)
            if room not in ROOMS:
                yield path, 1, f"there is no room `{room}`"
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                problem = include_problem(found[1], found[2], path, root) if found else None
                if problem:
                    yield path, number, f"#include {found[2]}: {problem}"


def check_installed(root):
    """Installed headers are those that libsimlette/CMakeLists.txt names."""
    include = root / "libsimlette/include"
    names = set(re.findall(r"include/(simlette/[\w/]+\.hp?p?)", (root / "libsimlette/CMakeLists.txt").read_text()))
    for path in sorted(include / name for name in names):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and ("/" in found[2] or "." in found[2]) and found[2] not in names:
                yield path, number, f"#include {found[2]}: an installed header includes only installed ones"


def listed_sources(root, folder):
    """Every .cpp that a CMakeLists.txt under `folder` names, relative to that CMakeLists.txt."""
    for cmake in (root / folder).rglob("CMakeLists.txt"):
        for name in re.findall(r"[\w./-]+\.cpp", cmake.read_text()):
            yield (cmake.parent / name).resolve()


def check_listed(root):
    for folder in ("libsimlette", "apps", "tests", "bench"):
        listed = set(listed_sources(root, folder))
        for path in cpp_files(root / folder):
            if path.suffix == ".cpp" and path.resolve() not in listed:
                yield path, 1, "no CMakeLists.txt lists this source"


def check_file_length(root):
    for folder in ("libsimlette", "apps", "tests", "bench"):
        for path in cpp_files(root / folder):
            lines = len(path.read_text().splitlines())
            if lines > MAX_FILE_LINES:
                yield path, lines, f"{lines} lines; a file has at most {MAX_FILE_LINES}"


def check_function_length(root):
    """The format puts a function's closing brace alone in the first column."""
    for folder in ("libsimlette", "apps"):
        for path in cpp_files(root / folder):
            start = 0
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line and not line[0].isspace() and line[0] != "}" and not NOT_A_FUNCTION.match(line):
                    start = start or number
                if line.startswith(("}", "namespace")) or line.endswith(";") and not line[0].isspace():
                    if start and line == "}" and number - start + 1 > MAX_FUNCTION_LINES:
                        yield path, start, f"{number - start + 1} lines; a function has at most {MAX_FUNCTION_LINES}"
                    start = 0


def check_headers(root):
    for path in cpp_files(root / "libsimlette"):
        lines = path.read_text().splitlines()
        if path.suffix == ".hpp" and not (lines and lines[0].startswith("// ")):
            yield path, 1, "the first line of a header says its role"
        if path.suffix == ".hpp" and "#pragma once" not in lines:
            yield path, 1, "a header has `#pragma once`"


def check_type_names(root):
    """One program links tests and library: of two types with one name the linker keeps the functions of one."""
    first = {}
    for folder in ("libsimlette", "apps", "tests", "bench"):
        for path in cpp_files(root / folder):
            for number, line in enumerate(path.read_text().splitlines() if path.suffix != ".cpp" else [], 1):
                found = TYPE.match(line)
                if found and first.setdefault(found[1], path) != path:
                    yield path, number, f"`{found[1]}` is a type of {first[found[1]].relative_to(root)} already"


CHECKS = [
    check_includes,
    check_installed,
    check_listed,
    check_file_length,
    check_function_length,
    check_headers,
    check_type_names,
]


def problems(root):
    """All findings as `file:line: message`, in order."""
    root = root.resolve()
    return [f"{path.relative_to(root)}:{line}: {text}" for check in CHECKS for path, line, text in check(root)]


def main():
    found = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else "tidy: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
