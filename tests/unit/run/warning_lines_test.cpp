#include "run/warning_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::run {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(WarningLines, NotesAreForTheList) {
    const json warnings = json::parse(R"([
        {"severity": "note", "text": "lsm: not used"},
        {"severity": "warning", "text": "'x' did not resolve", "remedy": "check\tit"},
        {"text": "no severity"}, "plain"])");
    EXPECT_THAT(warning_lines(warnings),
                ElementsAre("'x' did not resolve; check\\tit", "no severity", "plain"));
}

TEST(WarningLines, WhatAPresetTookIsToldAllTheSame) {
    const json warnings = json::parse(
        R"([{"severity": "note", "code": "preset_hosts", "text": "preset npm takes x:443 from y"}])");
    EXPECT_THAT(warning_lines(warnings), ElementsAre("preset npm takes x:443 from y"));
}

TEST(WarningLines, AnyShapeIsRead) {
    EXPECT_THAT(warning_lines(nullptr), IsEmpty());
    EXPECT_THAT(warning_lines(json::object()), IsEmpty());
    EXPECT_THAT(warning_lines(json::array({7, {{"severity", 1}}})), ElementsAre("7", ""));
}

}  // namespace
}  // namespace sluice::run
