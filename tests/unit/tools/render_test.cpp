#include "render.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using nlohmann::json;

const Style kPlain{};

json listing() {
    return json::parse(R"({
      "sandbox": "web", "owner": 1000, "enabled": true, "mode": "managed", "generation": 3,
      "installed": {"active": true, "probe": {"ok": true, "error": ""}},
      "rules": [
        {"text": "db.example:5432", "via": "kernel", "layer": "project", "hits": 12,
         "source": {"file": ".sluice.toml", "line": 4, "detail": ""},
         "addresses": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2", "state": "left_out"}, {"ip": "192.0.2.3"},
                       {"ip": "192.0.2.4"}]},
        {"text": "*.example.com:443", "via": "gateway", "layer": "command", "hits": 0,
         "source": {"file": "--allow", "line": 0, "detail": "preset npm"}, "addresses": []}],
      "warnings": [{"code": "unresolved", "severity": "warning", "rule": "x.example:1",
                    "text": "'x.example' did not resolve", "remedy": "check the name"}],
      "denials": [
        {"reason": "no_rule", "text": "no rule covers it", "dst": "192.0.2.9", "host": "db.example",
         "port": 80, "proto": "tcp", "pid": 7, "comm": "curl", "count": 2,
         "remedy": "sluice add db.example:80"},
        {"reason": "udp", "text": "UDP is refused", "dst": "2001:db8::9", "host": "", "port": 53,
         "proto": "udp", "pid": 0, "comm": "", "count": 1, "remedy": "use TCP"}]
    })");
}

TEST(RenderListing, RulesWarningsAndRefusals) {
    EXPECT_EQ(render_listing(listing(), kPlain),
              "web: active, generation 3, uid 1000\n"
              "  ALLOWED                      HITS  FROM                          ADDRESSES\n"
              "  db.example:5432                12  project .sluice.toml:4        192.0.2.1, "
              "192.0.2.2 (left out), 192.0.2.3, +1 more\n"
              "  *.example.com:443 (relayed)     0  command --allow (preset npm)\n"
              "  warning unresolved: x.example:1: 'x.example' did not resolve\n"
              "    check the name\n"
              "  refused 2x db.example:80 (192.0.2.9): no rule covers it (last: curl, pid 7)\n"
              "    sluice add db.example:80\n"
              "  refused 1x [2001:db8::9]:53 udp: UDP is refused\n"
              "    use TCP\n");
}

TEST(RenderListing, SaysWhatIsNotAsItShouldBe) {
    json one = listing();
    one["rules"] = one["warnings"] = one["denials"] = json::array();
    one["mode"] = "open";
    one["enabled"] = false;
    one["installed"] = {{"active", false}, {"probe", {{"error", "connect was not refused"}}}};
    EXPECT_EQ(render_listing(one, kPlain),
              "web: NOT ACTIVE, generation 3, uid 1000, OPEN: everything but the host's denies is "
              "allowed, egress is switched off\n"
              "  probe: connect was not refused\n"
              "  no rule: nothing is allowed\n");
}

TEST(RenderListing, EscapesWhatTheSandboxChose) {
    json one = listing();
    one["rules"] = one["warnings"] = json::array();
    one["denials"][0]["comm"] = "a\x1b[31m\nb";
    one["denials"].erase(1);
    const std::string out = render_listing(one, kPlain);
    EXPECT_NE(out.find("(last: a\\x1b[31m\\nb, pid 7)"), std::string::npos) << out;
    EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

TEST(RenderListing, AnswersOfAnyShapeDontThrow) {
    for (const char* text :
         {"null", "{}", "[]", R"({"rules":7,"denials":[7],"warnings":[null]})"}) {
        EXPECT_FALSE(render_listing(json::parse(text), kPlain).empty()) << text;
        EXPECT_FALSE(render_explain(json::parse(text), kPlain).empty()) << text;
    }
    EXPECT_FALSE(render_status(json::parse("[7, {}, null]"), json::parse("[7]"), kPlain).empty());
}

TEST(RenderListing, ColourOnlyWhenAsked) {
    EXPECT_NE(render_listing(listing(), Style{true}).find("\x1b[32mactive\x1b[0m"),
              std::string::npos);
}

TEST(RenderExplain, AllowedAndRefused) {
    const json allowed = json::parse(R"({
      "sandbox": "web", "target": "db.example:5432", "verdict": "allow", "generation": 1,
      "text": "allowed by db.example:5432", "remedy": "", "denials": {"count": 0},
      "rule": {"text": "db.example:5432", "layer": "project",
               "source": {"file": ".sluice.toml", "line": 4}},
      "addresses": [{"ip": "192.0.2.1", "verdict": "allow", "reason": "rule", "age_s": 9}]})");
    EXPECT_EQ(render_explain(allowed, kPlain),
              "db.example:5432: allowed in web (generation 1)\n"
              "  why      allowed by db.example:5432\n"
              "  rule     db.example:5432, from project .sluice.toml:4\n"
              "  address  192.0.2.1 allow (rule), resolved 9 s ago\n");
    const json refused = json::parse(R"({
      "sandbox": "web", "target": "192.0.2.9:80", "verdict": "deny", "generation": 2,
      "text": "no rule covers it", "remedy": "sluice add 192.0.2.9:80", "rule": null,
      "denials": {"count": 1, "last": "2026-01-31T08:00:00Z"},
      "addresses": [{"ip": "192.0.2.9", "verdict": "deny", "reason": "no_rule", "age_s": null}]})");
    EXPECT_EQ(render_explain(refused, kPlain),
              "192.0.2.9:80: refused in web (generation 2)\n"
              "  why      no rule covers it\n"
              "  address  192.0.2.9 deny (no_rule)\n"
              "  so far   refused 1 time, last 2026-01-31T08:00:00Z\n"
              "  remedy   sluice add 192.0.2.9:80\n");
}

TEST(RenderStatus, AgentsAndTheirSandboxes) {
    EXPECT_EQ(render_status(json::array(), json::array(), kPlain),
              "no agent is running, nothing is confined\n");
    const json agents = json::parse(R"([
      {"name": "web", "status": {
        "agent": {"version": "0.1.0", "pid": 42, "uptime_s": 7}, "kernel": {"release": "6.1.0"},
        "degraded": [{"code": "bpf_lsm", "text": "not in lsm="}],
        "sandboxes": [{"name": "web", "owner": 1000, "generation": 1, "active": true,
                       "enabled": true, "mode": "managed", "processes": 1}]}},
      {"name": "", "error": "it does not answer"}])");
    EXPECT_EQ(render_status(agents, json::array(), kPlain),
              "agent of run 'web': version 0.1.0, pid 42, up 7 s, kernel 6.1.0\n"
              "  web: enforced by the kernel, generation 1, uid 1000, 1 process\n"
              "  degraded bpf_lsm: not in lsm=\n"
              "system agent: it does not answer\n");
}

TEST(RenderOrphans, SayHowToEndWhatIsConfined) {
    const json orphans = json::parse(R"([{"name": "web", "processes": 2,
        "text": "confined, its agent is gone", "remedy": "sudo /opt/sluice purge --force"}])");
    const std::string line =
        "web: confined, its agent is gone (2 processes); end it: sudo /opt/sluice purge --force\n";
    EXPECT_EQ(render_status(json::array(), orphans, kPlain), line);
    EXPECT_EQ(render_listings({json::array(), orphans, json::array()}, kPlain), line);
    EXPECT_EQ(render_listings(
                  {json::array(), orphans, json::parse(R"([{"agent":"x","error":"y"}])")}, kPlain),
              line + "agent of run 'x': y\n");
    EXPECT_EQ(render_listings({json::array(), json::array(), json::array()}, kPlain)
                  .find("no sandbox is running"),
              0u);
}

TEST(Table, AlignsByCharactersNotBytes) {
    Table table(1, {false, true});
    table.row({"bücher", "1", "x"});
    table.row({"a", "22", "y"});
    EXPECT_EQ(table.render(), " bücher   1  x\n a       22  y\n");
}

}  // namespace
}  // namespace sluice::cli
