#include <gtest/gtest.h>

#include "config/problems.h"

namespace sluice::config {
namespace {

using test::all;
using test::parse;
using test::says;

std::vector<std::string> texts(const ProjectFile& file, Via via) {
    std::vector<std::string> out;
    for (const auto& rule : file.layer.rules)
        if (rule.via == via) out.push_back(rule.text());
    return out;
}

TEST(Project, EmptyAllowsNothing) {
    for (const auto* text : {"", "[egress]\n", "[egress]\nstatic_tcp = []\npresets = []\n"}) {
        const ProjectFile file = parse(text);
        EXPECT_TRUE(file.usable()) << all(file.problems);
        EXPECT_TRUE(file.layer.rules.empty());
        EXPECT_TRUE(file.enabled);
    }
}

constexpr std::string_view kEverything = R"(
[egress]
enabled = true
presets = ["anthropic"]
static_tcp = ["db.example.org:5432", "10.20.0.0/16:22", "[2001:db8::7]:443"]
relayed = ["*.example.com:443", "registry.example.net:443"]
listen = [8080]
unix = ["$SSH_AUTH_SOCK"]
required = ["lsm"]
allow = ["userns", "io_uring"]
proxy_env = "auto"

[[egress.rule]]
host = "git.example.org"
ports = "22,443"
via = "kernel"
note = "clone over ssh"
expires = 2027-01-31T01:00:00+01:00

[[egress.rule]]
host = "2001:db8::9"
ports = "8000-8100"

[egress.resolve]
allow_private = ["db.example.org"]
retain = "2d"
[egress.limits]
learned_addresses = 8
[egress.gateway]
relay_all = false
upstream = "http://127.0.0.1:8080"

[resources]
memory = "6g"
cpus = 0.5
pids_limit = 4096

[[mounts]]
source = "~/.cache/x"
target = "/cache"
mode = "ro"
[[remote]]
name = "builder"
ssh = "user@server"
)";

TEST(Project, EveryKeyIsRead) {
    const ProjectFile file = parse(kEverything);
    ASSERT_TRUE(file.usable()) << all(file.problems);
    const auto kernel = texts(file, Via::kKernel);
    for (const auto* text :
         {"api.anthropic.com:443", "db.example.org:5432", "10.20.0.0/16:22", "[2001:db8::7]:443",
          "git.example.org:22,443", "[2001:db8::9]:8000-8100"})
        EXPECT_NE(std::ranges::find(kernel, text), kernel.end()) << text;
    EXPECT_EQ(texts(file, Via::kGateway),
              (std::vector<std::string>{"*.example.com:443", "registry.example.net:443"}));
    EXPECT_EQ(file.required, std::vector<std::string>{"lsm"});
    EXPECT_EQ(file.allow_private, std::vector<DnsName>{{"db.example.org"}});
    EXPECT_EQ(file.retain, std::chrono::hours(48));
    EXPECT_EQ(file.learned_addresses, 8U);
}

TEST(Project, LaterFeaturesAreNotes) {
    const ProjectFile file = parse(kEverything);
    for (const auto* key : {"egress.relayed", "egress.listen", "egress.unix", "egress.allow",
                            "egress.proxy_env", "egress.gateway", "egress.resolve.retain",
                            "egress.required[0]", "resources", "mounts", "remote"})
        EXPECT_TRUE(std::ranges::any_of(file.problems, [key](const Problem& p) {
            return p.key == key && p.severity == Severity::kNote && p.line != 0;
        })) << key;
    EXPECT_TRUE(says(file.problems,
                     "f.toml:6: note: egress.relayed: parsed; relayed rules are not "
                     "served in this version: connects to them are refused"));
}

TEST(Project, RulesKnowTheirPlace) {
    const ProjectFile file = parse(
        "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\",\n]\n"
        "[[egress.rule]]\nhost = \"c.example\"\nports = \"3\"\nnote = \"why\"\n"
        "expires = 2027-01-31T00:00:00Z\n");
    ASSERT_EQ(file.layer.rules.size(), 3U) << all(file.problems);
    EXPECT_EQ(file.layer.rules[0].sources[0].to_string(), "project f.toml:3");
    EXPECT_EQ(file.layer.rules[1].sources[0].line, 4U);
    EXPECT_EQ(file.layer.rules[2].sources[0].line, 6U);
    EXPECT_EQ(file.layer.rules[2].note, "why");
    EXPECT_EQ(file.layer.rules[2].expires, std::chrono::sys_days{std::chrono::year{2027} / 1 / 31});
}

TEST(Project, AllProblemsAtOnceInTheFilesOrder) {
    const ProjectFile file = parse(
        "[egress]\nenabled = 1\nstatic_tcp = [\"127.1:80\", \"*.example.com:443\"]\nenabld = true\n"
        "[resources]\ncpus = -1\n[egress.resolve]\nretain = \"1w\"\n");
    EXPECT_FALSE(file.usable());
    EXPECT_TRUE(std::ranges::is_sorted(file.problems, {}, &Problem::line));
    EXPECT_TRUE(says(file.problems, "f.toml:2: error: egress.enabled: is an integer"));
    EXPECT_TRUE(says(file.problems,
                     "f.toml:3: error: egress.static_tcp[0]: \"127.1\" is not a "
                     "canonical IPv4 address; write 127.0.0.1"));
    EXPECT_TRUE(says(file.problems, "cannot be resolved ahead; write it under relayed"));
    EXPECT_TRUE(says(file.problems,
                     "f.toml:4: error: egress.enabld: is not a key that Sluice "
                     "knows; did you mean \"enabled\"?"));
    EXPECT_TRUE(says(file.problems, "f.toml:6: error: resources.cpus"));
    EXPECT_TRUE(says(file.problems, "f.toml:8: error: egress.resolve.retain"));
}

TEST(Project, KeysInTheWrongPlaceAreShownTheRightOne) {
    EXPECT_TRUE(says(parse("static_tcp = []").problems, "write it below the line [egress]"));
    EXPECT_TRUE(says(parse("[baseline]\n").problems, "/etc/sluice/policy.d"));
    EXPECT_TRUE(says(parse("[[grant]]\nname = \"x\"\n").problems, "/etc/sluice/policy.d"));
    EXPECT_TRUE(says(parse("[resorces]\n").problems, "did you mean \"resources\"?"));
}

TEST(Project, RequiredIsKeptWhateverItNames) {
    const ProjectFile file = parse("[egress]\nrequired = [\"lsm\", \"tpm\"]\n");
    EXPECT_TRUE(file.usable());
    EXPECT_EQ(file.required, (std::vector<std::string>{"lsm", "tpm"}));
    EXPECT_TRUE(says(file.problems, "so create refuses to start"));
}

TEST(Project, BroadAndLocalRulesAreRemarkedOn) {
    const auto file = parse(
        "[egress]\nstatic_tcp = [\"0.0.0.0/0:443\", \"localhost:80\"]\nrelayed = "
        "[\"*.com:443\"]\n");
    EXPECT_TRUE(file.usable());
    EXPECT_TRUE(
        says(file.problems, "warning: egress.static_tcp[0]: \"0.0.0.0/0:443\" covers loopback"));
    EXPECT_TRUE(says(file.problems, "note: egress.static_tcp[1]"));
    EXPECT_TRUE(says(file.problems, "covers a whole top-level domain"));
}

TEST(Project, ArgumentsThatLookLikeOptionsAreRefused) {
    const auto file = parse(
        "[[remote]]\nname = \"x\"\nssh = \"-oProxyCommand=x\"\n"
        "[[mounts]]\nsource = \"-v\"\ntarget = \"rel\"\n");
    EXPECT_TRUE(says(file.problems, "remote[0].ssh: \"-oProxyCommand=x\" begins with \"-\""));
    EXPECT_TRUE(says(file.problems, "mounts[0].source: \"-v\" begins with \"-\""));
    EXPECT_TRUE(says(file.problems, "mounts[0].target: \"rel\" is not an absolute path"));
}

TEST(Project, WhatTheFileSaysCannotDriveATerminal) {
    const auto file = parse("[egress]\n\"a\\u001b[31m\" = 1\nstatic_tcp = [\"\\u001b]0;x:1\"]\n");
    ASSERT_FALSE(file.usable());
    EXPECT_EQ(all(file.problems).find('\x1b'), std::string::npos) << all(file.problems);
}

}  // namespace
}  // namespace sluice::config
