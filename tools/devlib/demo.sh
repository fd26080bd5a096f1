# tools/dev demo: the main job on real connections, all on this machine's loopback.

DEMO_PIDS=()
demo_cleanup() {
    # Only what this script started.
    local pid
    for pid in "${DEMO_PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
    [ -z "${DEMO_DIR:-}" ] || rm -rf "$DEMO_DIR"
}

# demo_server NAME: an HTTP server on a free port of 127.0.0.1; the port is then in $DEMO_DIR/NAME.
demo_server() {
    "$PY" "$ROOT/tools/devlib/demo_server.py" "$DEMO_DIR/$1" "this is the $1 server" &
    DEMO_PIDS+=($!)
    # The file appears complete, by rename, once the server listens.
    local tries=0
    until [ -s "$DEMO_DIR/$1" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || die "demo: the $1 server did not start"
        read -r -t 0.05 <> <(:) || true
    done
}

cmd_demo() {
    [ $# -eq 0 ] || die "demo takes no argument, got '$1'"
    if [ -z "${SLUICE_DEMO_BUILT:-}" ]; then
        SETUP_QUIET=1 cmd_setup
        # Only what the demo needs: a newcomer waits for this.
        build_preset dev build sluice sluiced
    fi
    if [ "$(id -u)" -ne 0 ]; then
        as_root "to attach BPF programs to a cgroup" env SLUICE_DEMO_BUILT=1 "$ROOT/tools/dev" demo
        return
    fi
    DEMO_DIR="$(mktemp -d)"
    trap demo_cleanup EXIT
    demo_server allowed
    demo_server other
    local allowed other
    allowed="$(cat "$DEMO_DIR/allowed")" other="$(cat "$DEMO_DIR/other")"
    mkfifo "$DEMO_DIR/inside" "$DEMO_DIR/outside"
    # Under sudo the command is the user's again, and needs to get at the fifos.
    [ -z "${SUDO_UID:-}" ] || chown -R "$SUDO_UID:$SUDO_GID" "$DEMO_DIR"
    say
    say "Two servers listen on this machine: 127.0.0.1:$allowed and 127.0.0.1:$other."
    say "\$ sluice run --name demo --allow 127.0.0.1:$allowed -- sh inside.sh"
    say
    # From outside, while the command waits in its sandbox.
    demo_outside "$other" &
    DEMO_PIDS+=($!)
    "$BIN/sluice" run --name demo --allow "127.0.0.1:$allowed" -- \
        sh "$ROOT/tools/devlib/demo_inside.sh" "$allowed" "$other" "$DEMO_DIR" "$PY"
    say
    say "demo: done"
}

# Waits for the sandboxed command to ask, looks at the sandbox from outside, lets it go on.
demo_outside() {
    read -r _ <"$DEMO_DIR/inside"
    say
    say "outside \$ sluice list demo"
    "$BIN/sluice" list demo || true
    say
    say "outside \$ sluice explain demo 127.0.0.1:$1"
    "$BIN/sluice" explain demo "127.0.0.1:$1" || true
    say
    say "go on" >"$DEMO_DIR/outside"
}
