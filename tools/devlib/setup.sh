# tools/dev setup: the Debian packages that building and testing need.

packages_wanted() {
    awk '!/^#/ && NF { print $1 }' "$ROOT/tools/devlib/packages.txt"
    # Tests run npm and node as clients; a copy from elsewhere on PATH is as good.
    command -v node >/dev/null || say nodejs
    command -v npm >/dev/null || say npm
}

packages_missing() {
    local wanted have
    wanted="$(packages_wanted | sort -u)"
    have="$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null |
        awk '$1 == "ii" || $1 == "hi" { print $2 }' | sort -u)"
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$have")
}

cmd_setup() {
    [ $# -eq 0 ] || die "setup takes no argument, got '$1'"
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "setup: this is not Debian; tools/devlib/packages.txt lists what has to be installed"
        return 0
    fi
    local missing
    missing="$(packages_missing)"
    if [ -z "$missing" ]; then
        [ -n "${SETUP_QUIET:-}" ] || say "setup: all packages are installed"
        return 0
    fi
    say "setup: installing" $missing
    as_root "to install packages (apt-get update)" apt-get update -q
    # shellcheck disable=SC2086  # one word a package is what is wanted
    as_root "to install packages (apt-get install)" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends $missing
}
