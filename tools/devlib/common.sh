# Shared by the parts of tools/dev; sourced, with ROOT set.

BIN="$ROOT/build/bin"
# Debian's own interpreter: it is the one that python3-pytest installs for.
PY=/usr/bin/python3
[ -x "$PY" ] || PY=python3

say() { printf '%s\n' "$*"; }
die() { printf 'tools/dev: %s\n' "$*" >&2; exit 1; }
jobs_count() { nproc 2>/dev/null || echo 2; }

# as_root WHAT-FOR COMMAND...: through sudo where we are not root, saying why.
as_root() {
    local why="$1"
    shift
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        say "sudo: $why"
        sudo -- "$@"
    else
        die "$why needs root, and there is no sudo: run this as root"
    fi
}

# logged LOG COMMAND...: quiet when it works; the log's end when it does not.
logged() {
    local log="$1"
    shift
    if ! "$@" >>"$log" 2>&1; then
        tail -n 60 "$log" >&2
        die "failed: $* (full log: $log)"
    fi
}
