# tools/dev build: configure and build one preset; the full log is in the build folder.

# build_preset PRESET FOLDER [NINJA-TARGET...]
build_preset() {
    local preset="$1" folder="$ROOT/$2" log
    shift 2
    log="$folder/build.log"
    mkdir -p "$folder"
    : >"$log"
    say "build: preset $preset in ${folder#"$ROOT"/} (log: ${log#"$ROOT"/})"
    cd "$ROOT"
    logged "$log" cmake --preset "$preset"
    logged "$log" cmake --build "$folder" --parallel "$(jobs_count)" ${1:+--target "$@"}
}

cmd_build() {
    local preset=dev folder=build
    case "${1:-}" in
        "") ;;
        dev) ;;
        release | asan | tsan | fuzz) preset="$1" folder="build-$1" ;;
        *) die "build: unknown preset '$1' (dev, release, asan, tsan, fuzz)" ;;
    esac
    SETUP_QUIET=1 cmd_setup
    build_preset "$preset" "$folder"
    say "build: done, programs are in $folder/bin"
}
