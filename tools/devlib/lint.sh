# tools/dev lint: the same checks as the test label lint; --tidy adds clang-tidy (minutes).

cmd_lint() {
    local tidy="" argument
    for argument in "$@"; do
        case "$argument" in
            --tidy) tidy=1 ;;
            *) die "lint: unknown option '$argument' (--tidy)" ;;
        esac
    done
    "$PY" "$ROOT/tests/lint/format.py" "$ROOT"
    "$PY" "$ROOT/tests/lint/includes.py" "$ROOT"
    "$PY" "$ROOT/tests/lint/files.py" "$ROOT"
    [ -z "$tidy" ] || lint_tidy
}

lint_tidy() {
    SETUP_QUIET=1 cmd_setup
    build_preset dev build
    command -v run-clang-tidy >/dev/null || die "lint: run-clang-tidy is missing: tools/dev setup"
    # Tests lean on gtest's macros, which most checks were not written for.
    run-clang-tidy -quiet -p "$ROOT/build" -j "$(jobs_count)" \
        "^$ROOT/(userspace|agent|tools)/" 2>/dev/null
}
