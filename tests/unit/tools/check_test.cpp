#include "check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using testing::HasSubstr;

config::CheckReport check_text(const std::string& text) {
    return config::check(text, "p.toml", {}, "/nonexistent", {}, Time{});
}

TEST(Check, EveryProblemWithItsPlace) {
    const auto report = check_text("[egress]\nstatic_tcp = [\n  \"nope\",\n  \"127.1:80\",\n]\n");
    const std::string out = render_check(report, "p.toml", {});
    EXPECT_THAT(out, HasSubstr("p.toml:3: error: "));
    EXPECT_THAT(out, HasSubstr("p.toml:4: error: "));
    EXPECT_THAT(out, HasSubstr("p.toml: 2 errors\n"));
    const auto answer = to_json(report);
    EXPECT_EQ(answer["ok"], false);
    EXPECT_EQ(answer["problems"].size(), 2u);
    EXPECT_EQ(answer["problems"][0]["line"], 3);
}

TEST(Check, AFineFileSaysWhatItHolds) {
    const auto report =
        check_text("[egress]\nstatic_tcp = [\"db.example:5432\", \"192.0.2.1:443\"]\n");
    EXPECT_EQ(render_check(report, "p.toml", {}),
              "p.toml: fine, 2 rules; 1 name is resolved when a sandbox is created\n");
    EXPECT_EQ(to_json(report)["ok"], true);
    EXPECT_EQ(render_check(check_text(""), "p.toml", {}), "p.toml: fine, 0 rules\n");
}

}  // namespace
}  // namespace sluice::cli
