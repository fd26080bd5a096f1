// Every key, given a value of a wrong type, and given one of the right type with a wrong value.
#include <gtest/gtest.h>

#include "config/problems.h"

namespace sluice::config {
namespace {

struct Row {
    const char* text;
    const char* says;
};

const Row kProject[] = {
    {"egress = 1", "egress: is an integer, but takes a table"},
    {"[egress]\nenabled = \"yes\"", "egress.enabled: is a string, but takes a boolean"},
    {"[egress]\npresets = \"npm\"", "takes a list of strings; write presets = ["},
    {"[egress]\npresets = [1]", "egress.presets[0]: is an integer, but takes a string"},
    {"[egress]\npresets = [\"nmp\"]", "did you mean \"npm\"?"},
    {"[egress]\npresets = [\"../../x\"]", "\"../../x\" is not a preset"},
    {"[egress]\nstatic_tcp = \"a.example:1\"", "takes a list of strings; write static_tcp = ["},
    {"[egress]\nstatic_tcp = [[\"a.example:1\"]]", "static_tcp[0]: is a list, but takes a string"},
    {"[egress]\nstatic_tcp = [true]", "static_tcp[0]: is a boolean, but takes a string"},
    {"[egress]\nrelayed = {}", "egress.relayed: is a table, but takes a list of strings"},
    {"[egress]\nrelayed = [\"a.example\"]", "has no port; write a.example:443"},
    {"[egress]\nlisten = 80", "egress.listen: is an integer, but takes a list of ports"},
    {"[egress]\nlisten = [\"80\"]", "egress.listen[0]: is a string, but takes a port number"},
    {"[egress]\nlisten = [65536]", "65536 is not a port"},
    {"[egress]\nunix = 1", "egress.unix: is an integer"},
    {"[egress]\nunix = [\"rel/path\"]", "is not a socket's path"},
    {"[egress]\nrequired = \"lsm\"", "takes a list of strings; write required = [\"lsm\"]"},
    {"[egress]\nallow = [\"usrns\"]", "is none of userns, io_uring"},
    {"[egress]\nallow = true", "egress.allow: is a boolean"},
    {"[egress]\nproxy_env = true", "egress.proxy_env: is a boolean, but takes a string"},
    {"[egress]\nproxy_env = \"allways\"", "did you mean \"always\"?"},
    {"[egress.rule]\nhost = \"a\"", "egress.rule: is a table, but takes a list of tables"},
    {"[egress]\nrule = [1]", "egress.rule[0]: is an integer, but takes a table"},
    {"[[egress.rule]]\nports = \"1\"", "egress.rule[0].host: is missing"},
    {"[[egress.rule]]\nhost = \"a.example\"", "egress.rule[0].ports: is missing"},
    {"[[egress.rule]]\nhost = 1\nports = \"1\"", "egress.rule[0].host: is an integer"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = 443", "takes a string; write ports = \"443\""},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"0\"", "port \"0\" is not a number"},
    {"[[egress.rule]]\nhost = \"a.example:1\"\nports = \"1\"", "not an IPv6 address"},
    {"[[egress.rule]]\nhost = \"*.a.example\"\nports = \"1\"", "write it under relayed"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nvia = \"kernal\"",
     "did you mean \"kernel\""},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nnote = 1", "note: is an integer"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nexpires = \"2027-01-01\"",
     "expires: is a string, but takes a date and time; write expires = 2027-01-31T00:00:00Z"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nexpires = 2027-01-01", "no time zone"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nexpires = 10:00:00", "no time zone"},
    {"[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\nexpire = 1",
     "did you mean \"expires\"?"},
    {"egress.resolve = []", "egress.resolve: is a list, but takes a table"},
    {"[egress.resolve]\nallow_private = true", "allow_private: is a boolean"},
    {"[egress.resolve]\nallow_private = [\"10.0.0.1\"]", "is not a canonical IPv4 address"},
    {"[egress.resolve]\nallow_private = [\"a b\"]", "contains a blank"},
    {"[egress.resolve]\nretain = 24", "egress.resolve.retain: is an integer, but takes a string"},
    {"[egress.resolve]\nretain = \"-1h\"", "is not a duration"},
    {"[egress.resolve]\nretain = \"999d\"", "write at most 365d"},
    {"[egress.resolve]\nretains = 1", "did you mean \"retain\"?"},
    {"[egress.limits]\nlearned_addresses = \"64\"", "is a string, but takes an integer"},
    {"[egress.limits]\nlearned_addresses = 0", "write a number from 1 to 4096"},
    {"[egress.limits]\nx = 0", "the keys here are learned_addresses"},
    {"[egress.gateway]\nrelay_all = 1", "egress.gateway.relay_all: is an integer"},
    {"[egress.gateway]\nupstream = \"proxy:8080\"", "is not the URL of an HTTP proxy"},
    {"[egress.gateway]\nupstream = 1", "egress.gateway.upstream: is an integer"},
    {"resources = 1", "resources: is an integer, but takes a table"},
    {"[resources]\nmemory = 6", "resources.memory: is an integer, but takes a string"},
    {"[resources]\nmemory = \"6x\"", "is not a size"},
    {"[resources]\ncpus = \"6\"", "resources.cpus: is a string, but takes a number"},
    {"[resources]\ncpus = nan", "is not a number of CPUs"},
    {"[resources]\npids_limit = 0", "resources.pids_limit: 0 is out of range"},
    {"[resources]\npids_limit = 1.5", "resources.pids_limit: is a float, but takes an integer"},
    {"[mounts]\nsource = \"x\"", "mounts: is a table, but takes a list of tables"},
    {"[[mounts]]\ntarget = \"/x\"", "mounts[0].source: is missing"},
    {"[[mounts]]\nsource = \"x\"\ntarget = \"/x\"\nmode = \"rx\"", "is none of ro, rw"},
    {"[[mounts]]\nsource = 1\ntarget = \"/x\"", "mounts[0].source: is an integer"},
    {"[[remote]]\nname = \"x\"", "remote[0].ssh: is missing"},
    {"[[remote]]\nname = 1\nssh = \"x\"", "remote[0].name: is an integer"},
};

TEST(WrongTypes, EveryProjectKeySaysWhatItTakes) {
    for (const auto& row : kProject) {
        const ProjectFile file = test::parse(row.text);
        EXPECT_FALSE(file.usable()) << row.text;
        EXPECT_TRUE(test::says(file.problems, row.says)) << row.text << "\n"
                                                         << test::all(file.problems);
    }
}

const Row kHost[] = {
    {"baseline = 1", "baseline: is an integer, but takes a table"},
    {"[baseline]\nstatic_tcp = 1", "baseline.static_tcp: is an integer"},
    {"[baseline]\nstatic_tcp = [\"*.example.com:1\"]", "write it under relayed"},
    {"[baseline]\nrelayed = [1]", "baseline.relayed[0]: is an integer"},
    {"[baseline]\ndeny = \"10.0.0.0/8\"", "takes a list of strings; write deny = [\"10.0.0.0/8\"]"},
    {"[baseline]\ndeny = [\"evil.example:443\"]",
     "is a name, and a deny by name could not be exact; "
     "write its addresses or networks"},
    {"[baseline]\ndeny = [\"*.evil.example\"]", "is a name"},
    {"[baseline]\ndeny = [\"10.0.0.1/8\"]", "write 10.0.0.0/8"},
    {"[baseline]\ndenny = []", "did you mean \"deny\"?"},
    {"mode = \"open\"", "mode: is a string, but takes a table"},
    {"[mode]\ndefault = true", "mode.default: is a boolean"},
    {"[mode]\ndefault = \"opne\"", "did you mean \"open\"?"},
    {"[grant]\nname = \"x\"", "grant: is a table, but takes a list of tables"},
    {"[[grant]]\nhosts = []", "grant[0].name: is missing"},
    {"[[grant]]\nname = \"x\"\nprincipals = [\"alice\"]", "write it as in user:alice"},
    {"[[grant]]\nname = \"x\"\nprincipals = \"user:a\"", "grant[0].principals: is a string"},
    {"[[grant]]\nname = \"x\"\nhosts = [\"a.example\"]", "has no port; write a.example:443"},
    {"[[grant]]\nname = \"x\"\nsecret = \"s\"", "grant[0].secret: is a string, but takes a table"},
    {"[egress]\n", "egress: is not a key that Sluice knows"},
};

TEST(WrongTypes, EveryHostKeySaysWhatItTakes) {
    for (const auto& row : kHost) {
        const test::TemporaryDirectory dir;
        dir.write("a.toml", row.text);
        const Baseline baseline = test::load(dir.path(), {"user:a"});
        EXPECT_TRUE(has_errors(baseline.problems)) << row.text;
        EXPECT_TRUE(test::says(baseline.problems, row.says)) << row.text << "\n"
                                                             << test::all(baseline.problems);
        EXPECT_TRUE(baseline.baseline.rules.empty() && baseline.baseline.denies.empty());
    }
}

}  // namespace
}  // namespace sluice::config
