"""Includes go in the direction of docs/architecture.md's table. usage: includes.py ROOT"""

import re
import sys

import tree

# Part -> the parts whose headers it may include (itself always). The transitive closure is written
# out: what is not here is not allowed.
USERSPACE = {
    "base": set(),
    "policy": {"base"},
    "config": {"base", "policy"},
    "os": {"base"},
    "resolve": {"base", "policy", "os"},
    "hostnet": {"base", "policy", "os"},
    "kernel": {"base", "policy", "os"},
    "control": {"base", "policy"},
}
USERSPACE["sandbox"] = {"base", "policy", "config", "os", "resolve", "hostnet", "kernel"}
USERSPACE["gateway"] = {"base", "policy", "os", "resolve"}
# It reads, locks and saves the user's own files.
USERSPACE["workspace"] = {"base", "policy", "config", "control", "os"}
EVERY_PART = set(USERSPACE)

# agent/ may use all of userspace; tools/ is the caller's side and never touches the kernel.
TOP = {"agent": EVERY_PART, "tools": EVERY_PART - {"kernel", "sandbox", "gateway", "hostnet"}}
ABI_USERS = {"policy", "kernel", "sandbox", "agent"}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def owner(path, root):
    """The part a file belongs to and what it may include; (None, None) where nothing is ruled."""
    parts = path.relative_to(root).parts
    if parts[0] == "userspace" and len(parts) > 2:
        return parts[1], USERSPACE.get(parts[1])
    if parts[0] in TOP:
        return parts[0], TOP[parts[0]]
    return None, None


def problems_of(path, root):
    part, may_use = owner(path, root)
    if part is None:
        return
    if may_use is None:
        yield f"{path}: userspace/{part} is not in tests/lint/includes.py's table: add it"
        return
    for included in INCLUDE.findall(path.read_text()):
        head = included.split("/")[0]
        if included == "sluice/abi.h" and part not in ABI_USERS:
            yield f"{path}: {part} may not include <sluice/abi.h>"
        elif "/" in included and head in EVERY_PART and head != part and head not in may_use:
            yield f'{path}: {part} may not include "{included}": it may use {", ".join(sorted(may_use)) or "nothing of ours"}'
        elif included.startswith("../"):
            yield f'{path}: "{included}": includes are written from the userspace root'


def main():
    root = sys.argv[1]
    paths = tree.files(root, ".cpp", ".h")
    problems = [problem for path in paths for problem in problems_of(path, root)]
    return tree.report(problems, f"the includes of {len(paths)} files go the right way")


sys.exit(main())
