#!/usr/bin/env python3
"""Runs every command of the tutorial and compares what it prints with what the page shows.

Usage: tutorial.py PROGRAM [--update] [PAGE...], in the root of the tree. Without pages: docs/tutorial/*.md.

A block ```console holds commands, `$ simlette ...`, each followed by its output, line by line. A line `...` stands for
any number of lines, also none. The commands of a block ```console refused
exit with status 2 and say why on the error output, which the page shows. A command may go on after a `\\` at the end of a line. Of the line `simulator` the number
of events, the wall time and the memory are not compared. `--update` writes what the program prints now; of an excerpt
it keeps the lines that begin with the same word.
"""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

SKIP = "..."
BLOCK = re.compile(r"^```console( refused)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_KEPT = re.compile(r"^(simulator +)[\d,]+ events in [\d.]+ s, [\d,]+ MiB")


def masked(line):
    return NOT_KEPT.sub(r"\1", line)


def commands(block):
    """Pairs of the lines of a command and the lines of its output."""
    found = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = [line]
            while command[-1].endswith("\\"):
                command.append(next(lines))
            found.append((command, []))
        elif found:
            found[-1][1].append(line)
        else:
            sys.exit(f"a block starts without a command: {line}")
    return found


def output_of(program, command, refused):
    words = shlex.split(" ".join(line.rstrip("\\") for line in command)[2:])
    if words[0] != "simlette":
        sys.exit(f"not a command of this program: {command[0]}")
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != (2 if refused else 0) or (done.stdout if refused else done.stderr):
        sys.exit(f"{command[0]}\nstatus {done.returncode}\n{done.stderr}")
    return (done.stderr if refused else done.stdout).splitlines()


def pieces(shown):
    """The runs of lines between the lines `...`."""
    parts = [[]]
    for line in shown:
        if line == SKIP:
            parts.append([])
        else:
            parts[-1].append(masked(line))
    return parts


def found_at(part, printed, start):
    places = range(start, len(printed) - len(part) + 1)
    return next((at for at in places if printed[at : at + len(part)] == part), None)


def agrees(shown, printed):
    printed = [masked(line) for line in printed]
    first, *others = pieces(shown)
    if not others:
        return first == printed
    *middle, last = others
    if printed[: len(first)] != first:
        return False
    at = len(first)
    for part in middle:
        place = found_at(part, printed, at)
        if place is None:
            return False
        at = place + len(part)
    end = len(printed) - len(last)
    return end >= at and printed[end:] == last


def beginning(line):
    return line[: len(line) - len(line.lstrip())] + (line.split() or [""])[0]


def renewed(shown, printed):
    """The same excerpt of what is printed now."""
    if SKIP not in shown:
        return printed
    lines, at, skipping = [], 0, False
    for line in shown:
        if line == SKIP:
            lines.append(SKIP)
            skipping = True
            continue
        places = range(at, len(printed)) if skipping else range(at, min(at + 1, len(printed)))
        same = [i for i in places if masked(printed[i]) == masked(line)]
        alike = same or [i for i in places if beginning(printed[i]) == beginning(line)]
        if not alike:
            sys.exit(f"no line like this one is printed; change the excerpt by hand: {line}")
        lines.append(line if same else printed[alike[0]])
        at = alike[0] + 1
        skipping = False
    return lines


def update(program, page):
    def block(match):
        lines = []
        refused, text = match.group(1) or "", match.group(2)
        for command, shown in commands(text):
            printed = output_of(program, command, refused)
            lines += command + (shown if agrees(shown, printed) else renewed(shown, printed))
        return f"```console{refused}\n" + "\n".join(lines) + "\n```"

    text = page.read_text(encoding="utf-8")
    page.write_text(BLOCK.sub(block, text), encoding="utf-8")


def check(program, page):
    """The number of commands, and of those that print something else."""
    checked = wrong = 0
    for refused, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        for command, shown in commands(text):
            printed = output_of(program, command, refused)
            checked += 1
            if set(shown) <= {SKIP}:
                sys.exit(f"{page}: nothing of the output is shown: {command[0]}")
            if not agrees(shown, printed):
                wrong += 1
                print(f"{page}: {command[0]}", *difflib.ndiff(shown, printed), sep="\n")
    if checked == 0:
        sys.exit(f"{page}: no command")
    return checked, wrong


def main():
    program, *words = sys.argv[1:]
    pages = [pathlib.Path(word) for word in words if word != "--update"]
    pages = pages or sorted(pathlib.Path("docs/tutorial").glob("*.md"))
    if not pages:
        sys.exit("no page to check")
    if "--update" in words:
        for page in pages:
            update(program, page)
    counts = [check(program, page) for page in pages]
    checked, wrong = (sum(column) for column in zip(*counts))
    if wrong:
        sys.exit(f"{wrong} of {checked} commands print something else")
    print(f"{checked} commands on {len(pages)} pages print what the pages show")


if __name__ == "__main__":
    main()
