# tools/dev test, fuzz, bench, soak: the tiers are CTest labels (docs/testing.md).

# run_ctest NAME RUNNER FOLDER LABEL [CTEST-ARGUMENT...]: RUNNER is "" or what for root is needed. The
# results go to $RESULTS/NAME.xml. Returns ctest's status; no test at all is a failure: nothing may
# pass by being absent.
run_ctest() {
    local name="$1" why="$2" folder="$3" label="$4" runner=() jobs status=0
    shift 4
    jobs="$(jobs_count)"
    # Root's tests change system state of their own; one after the other keeps failures readable.
    [ -z "$why" ] || runner=(as_root "$why") jobs=1
    say "== $name"
    # sudo has a PATH of its own; the tests shall find the clients that this user has.
    "${runner[@]}" env PATH="$PATH" PYTHONDONTWRITEBYTECODE=1 SLUICE_SOAK="${SLUICE_SOAK:-}" \
        ctest --test-dir "$folder" -L "^$label\$" --no-tests=error -j "$jobs" --output-on-failure \
        --test-output-size-passed 100000 --test-output-size-failed 300000 \
        --output-junit "$RESULTS/$name.xml" "$@" || status=$?
    # What root's tests wrote in the build folder is the user's to overwrite next time.
    if [ -n "$why" ] && [ "$(id -u)" -ne 0 ]; then
        as_root "to give the results back" chown -R "$(id -u):$(id -g)" "$folder/Testing" "$RESULTS"
    fi
    return "$status"
}

# run_unprivileged NAME FOLDER LABEL: as the user who asks; the cases that skipped for want of root
# then run as root, as NAME_root.
run_unprivileged() {
    local name="$1" folder="$2" label="$3" skipped status=0
    run_ctest "$name" "" "$folder" "$label" || status=$?
    skipped="$("$PY" -B "$ROOT/tools/devlib/needs_root.py" "$RESULTS/$name.xml")" || return 1
    [ -z "$skipped" ] ||
        run_ctest "${name}_root" "for the $name tests that need root" "$folder" "$label" \
            -R "$skipped" || status=$?
    return "$status"
}

# tier NAME: builds what the tier needs beyond the dev build, and runs it. The tier fuzz replays the
# corpus; `tools/dev fuzz` looks for new inputs.
tier() {
    case "$1" in
        asan)
            build_preset asan build-asan tests/unit/all tests/fuzz/all
            run_unprivileged asan "$ROOT/build-asan" "(unit|fuzz)"
            ;;
        bpf | e2e) run_ctest "$1" "for the $1 tests" "$ROOT/build" "$1" ;;
        *) run_unprivileged "$1" "$ROOT/build" "$1" ;;
    esac
}

cmd_test() {
    local quick="" tiers=() failed=() name
    for name in "$@"; do
        case "$name" in
            --quick) quick=1 ;;
            lint | unit | bpf | e2e | fuzz | asan) tiers+=("$name") ;;
            *) die "test: unknown tier '$name' (lint, unit, bpf, e2e, fuzz, asan; --quick)" ;;
        esac
    done
    if [ ${#tiers[@]} -eq 0 ]; then
        tiers=(lint unit bpf e2e fuzz)
        [ -n "$quick" ] || tiers+=(asan)
    fi
    cmd_build
    RESULTS="$ROOT/build/test-results"
    mkdir -p "$RESULTS"
    rm -f "$RESULTS"/*.xml
    for name in "${tiers[@]}"; do
        # A subshell: a build that fails ends its tier, not the run.
        (tier "$name") || failed+=("$name")
    done
    "$PY" "$ROOT/tools/devlib/summary.py" "$ROOT/tests/allowed-skips.txt" "$RESULTS"/*.xml ||
        failed+=("skips or failures above")
    [ ${#failed[@]} -eq 0 ] || die "test: failed: ${failed[*]}"
}

# Fuzz targets are build-fuzz/bin/fuzz_NAME, their seeds tests/fuzz/corpus/NAME.
cmd_fuzz() {
    local seconds="${1:-60}" target name found="" work
    [[ "$seconds" =~ ^[0-9]+$ ]] || die "fuzz: SECONDS is a number, got '$seconds'"
    SETUP_QUIET=1 cmd_setup
    build_preset fuzz build-fuzz tests/fuzz/all
    for target in "$ROOT"/build-fuzz/bin/fuzz_*; do
        [ -x "$target" ] || continue
        found=1
        name="$(basename "$target")"
        name="${name#fuzz_}"
        # What is found new stays in the build folder; the seeds in the tree are chosen by hand.
        work="$ROOT/build-fuzz/corpus/$name"
        mkdir -p "$work"
        say "== fuzz $name, $seconds s"
        (cd "$work" && "$target" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 \
            "$work" $([ -d "$ROOT/tests/fuzz/corpus/$name" ] && say "$ROOT/tests/fuzz/corpus/$name")) ||
            die "fuzz: $name failed; the input is in $work"
    done
    [ -n "$found" ] || die "fuzz: no target in build-fuzz/bin"
}

cmd_bench() {
    local program found=""
    SETUP_QUIET=1 cmd_setup
    build_preset dev build
    for program in "$BIN"/sluice-bench*; do
        [ -x "$program" ] || continue
        found=1
        say "== $(basename "$program")"
        as_root "to measure enforced connections" "$program" "$@"
    done
    [ -n "$found" ] || die "bench: no program build/bin/sluice-bench*"
}

cmd_soak() {
    [ $# -eq 0 ] || die "soak takes no argument, got '$1'"
    SLUICE_SOAK=1 cmd_test e2e
}
