"""fuzz/coverage.py SOURCE EXPORT: what a fuzzer reached of the files that it names; see fuzz/coverage."""
import fnmatch
import json
import os
import re
import sys

ENOUGH = 85  # per cent
source, export = sys.argv[1:]
text = open(source).read()
patterns = " ".join(re.findall(r"^// covers: (.*)$", text, re.M)).split()
beyond = [line.split(": ", 1) for line in re.findall(r"^// beyond: (.*)$", text, re.M)]


def name_of(path):
    return os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)


def why_not(function):
    for names, reason in beyond:
        if any(fnmatch.fnmatch(function, name) for name in names.split()):
            return reason
    return None


def lines_of(regions):
    """Each line of a function, and whether it ran: the smallest region around it says."""
    ran = {}
    for first, _, last, _, count, *_, kind in sorted(regions, key=lambda r: (r[0] - r[2], r[0])):
        for line in range(first, last + 1):
            if kind == 0 and (line not in ran or first < line < last or last > first):
                ran[line] = count > 0
    return ran


files, left_out = {}, {}  # by file: functions and their lines; by reason: functions
for function in json.load(open(export))["data"][0]["functions"]:
    path, name = name_of(function["filenames"][0]), function["name"].split(":")[-1]
    if not any(fnmatch.fnmatch(path, p) for p in patterns):
        continue
    reason = None if function["count"] else why_not(name)
    if reason:
        left_out.setdefault(reason, set()).add(name)
        continue
    lines = files.setdefault(path, {}).setdefault(name, {})
    for line, ran in lines_of(function["regions"]).items():
        lines[line] = lines.get(line, False) or ran


def share_of(lists):
    all_lines = [ran for lines in lists for ran in lines.values()]
    return (100 * sum(all_lines) / len(all_lines) if all_lines else 100, len(all_lines))


share, count = share_of([lines for functions in files.values() for lines in functions.values()])
print(f"{os.path.basename(source)[:-2]}: {share:.1f} % of {count} lines in {len(files)} files")
for path, functions in sorted(files.items()):
    part, _ = share_of(functions.values())
    never = sorted(name for name, lines in functions.items() if not any(lines.values()))
    if part < ENOUGH or never:
        print(f"    {part:5.1f} % {path}: never {', '.join(never) or 'some branches'}")
for reason, names in sorted(left_out.items()):
    print(f"    left out, {reason}: {', '.join(sorted(names))}")
sys.exit(share < ENOUGH)
