#include "workspace/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::workspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string add(const std::string& text, const std::vector<std::string>& entries) {
    const auto edited = add_static_tcp(text, ".sluice.toml", entries);
    EXPECT_TRUE(edited) << edited.error().message << "\n" << text;
    return edited ? edited->text : "";
}

std::string add_one(const std::string& text) {
    return add(text, {"new.example:443"});
}

struct Case {
    const char* name;
    const char* before;
    const char* after;
};

class AddTo : public testing::TestWithParam<Case> {};

TEST_P(AddTo, KeepsEveryOtherByte) {
    EXPECT_EQ(add_one(GetParam().before), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    Styles, AddTo,
    testing::Values(
        Case{"one_line", "[egress]\nstatic_tcp = [\"a.example:1\"] # why\n",
             "[egress]\nstatic_tcp = [\"a.example:1\", \"new.example:443\"] # why\n"},
        Case{"one_line_padded", "[egress]\nstatic_tcp = [ 'a.example:1' ]\nenabled = true\n",
             "[egress]\nstatic_tcp = [ 'a.example:1', \"new.example:443\" ]\nenabled = true\n"},
        Case{"one_line_trailing_comma", "[egress]\nstatic_tcp = [\"a.example:1\",]\n",
             "[egress]\nstatic_tcp = [\"a.example:1\", \"new.example:443\",]\n"},
        Case{"empty", "[egress]\nstatic_tcp = []\n",
             "[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"empty_padded", "[egress]\nstatic_tcp = [  ]\n",
             "[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"empty_over_two_lines", "[egress]\nstatic_tcp = [\n]\n",
             "[egress]\nstatic_tcp = [\n    \"new.example:443\",\n]\n"},
        Case{"comments_only", "[egress]\nstatic_tcp = [\n  # \"old:1\",\n  ]\n",
             "[egress]\nstatic_tcp = [\n  # \"old:1\",\n  \"new.example:443\",\n  ]\n"},
        Case{"many_lines", "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\"\n]\n",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\",\n"
             "  \"new.example:443\"\n]\n"},
        Case{"many_lines_trailing_comma_and_comments",
             "[egress]\nstatic_tcp = [\n\t\"a.example:1\", # [first], \"quoted\"\n"
             "\t\"b.example:2\",  # ] not the end\n\t# \"c.example:3\",\n] # end\n",
             "[egress]\nstatic_tcp = [\n\t\"a.example:1\", # [first], \"quoted\"\n"
             "\t\"b.example:2\",  # ] not the end\n\t\"new.example:443\",\n"
             "\t# \"c.example:3\",\n] # end\n"},
        Case{"comment_after_the_last_without_comma",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\" # why\n]\n",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\", # why\n  \"new.example:443\"\n]\n"},
        Case{"bracket_on_the_last_line",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\"]\n",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\",\n"
             "  \"new.example:443\"]\n"},
        Case{"several_a_line",
             "[egress]\nstatic_tcp = [\"a.example:1\",\n  \"b.example:2\", "
             "\"c.example:3\",\n]\n",
             "[egress]\nstatic_tcp = [\"a.example:1\",\n  \"b.example:2\", \"c.example:3\", "
             "\"new.example:443\",\n]\n"},
        Case{"comma_on_the_next_line", "[egress]\nstatic_tcp = [\n  \"a.example:1\"\n  ,\n]\n",
             "[egress]\nstatic_tcp = [\n  \"a.example:1\"\n  ,\n  \"new.example:443\",\n]\n"},
        Case{"crlf", "[egress]\r\nstatic_tcp = [\r\n  \"a.example:1\"\r\n]\r\n[x]\r\n",
             "[egress]\r\nstatic_tcp = [\r\n  \"a.example:1\",\r\n  \"new.example:443\"\r\n]\r\n"
             "[x]\r\n"},
        Case{"no_last_newline", "[egress]\nstatic_tcp = [\"a.example:1\"]",
             "[egress]\nstatic_tcp = [\"a.example:1\", \"new.example:443\"]"},
        Case{"wide_characters_before",
             "egress = { note = \"\xc3\xa9\xe2\x82\xac\", static_tcp = [\"a.example:1\"] }\n",
             "egress = { note = \"\xc3\xa9\xe2\x82\xac\", static_tcp = [\"a.example:1\", "
             "\"new.example:443\"] }\n"},
        Case{"byte_order_mark", "\xef\xbb\xbf[egress]\nstatic_tcp = []\n",
             "\xef\xbb\xbf[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"byte_order_mark_on_the_line",
             "\xef\xbb\xbf"
             "egress.static_tcp = []\n",
             "\xef\xbb\xbf"
             "egress.static_tcp = [\"new.example:443\"]\n"}));

INSTANTIATE_TEST_SUITE_P(
    MissingParts, AddTo,
    testing::Values(
        Case{"empty_file", "", "[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"no_table", "# mine\n[resources]\ncpus = 6",
             "# mine\n[resources]\ncpus = 6\n\n[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"no_array", "[egress] # mine\nenabled = true\n[resources]\ncpus = 6\n",
             "[egress] # mine\nstatic_tcp = [\"new.example:443\"]\nenabled = true\n[resources]\n"
             "cpus = 6\n"},
        Case{"header_at_the_very_end", "[ egress ]",
             "[ egress ]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"only_sub_tables", "[egress.resolve]\nretain = \"1h\"\n",
             "[egress.resolve]\nretain = \"1h\"\n\n[egress]\nstatic_tcp = "
             "[\"new.example:443\"]\n"},
        Case{"only_rules", "[[egress.rule]]\nhost = \"a\"\n",
             "[[egress.rule]]\nhost = \"a\"\n\n[egress]\nstatic_tcp = [\"new.example:443\"]\n"},
        Case{"dotted_keys", "x = 1\negress.enabled = true\n[resources]\n",
             "x = 1\negress.static_tcp = [\"new.example:443\"]\negress.enabled = true\n"
             "[resources]\n"},
        Case{"inline_table", "egress = { enabled = true } # mine\n",
             "egress = { enabled = true, static_tcp = [\"new.example:443\"] } # mine\n"},
        Case{"empty_inline_table", "egress = {}\n",
             "egress = { static_tcp = [\"new.example:443\"] }\n"},
        Case{"crlf_no_table", "[x]\r\na = 1\r\n",
             "[x]\r\na = 1\r\n\r\n[egress]\r\nstatic_tcp = [\"new.example:443\"]\r\n"}));

TEST(Add, SeveralKeepTheStyle) {
    EXPECT_EQ(
        add("[egress]\nstatic_tcp = [\n  \"a.example:1\"\n]\n", {"b.example:2", "c.example:3"}),
        "[egress]\nstatic_tcp = [\n  \"a.example:1\",\n  \"b.example:2\",\n"
        "  \"c.example:3\"\n]\n");
    EXPECT_EQ(add("[egress]\nstatic_tcp = []\n", {"b.example:2", "c.example:3"}),
              "[egress]\nstatic_tcp = [\"b.example:2\", \"c.example:3\"]\n");
}

TEST(Add, SameMeaningIsAlreadyThere) {
    const std::string text = "[egress]\nstatic_tcp = [ \"A.Example.:443\" ]\n";
    const auto edited = add_static_tcp(text, "f", {"a.example:443", "b.example:1", "b.example:1"});
    ASSERT_TRUE(edited) << edited.error().message;
    EXPECT_THAT(edited->there, ElementsAre("a.example:443"));
    EXPECT_THAT(edited->added, ElementsAre("b.example:1"));
    const auto again = add_static_tcp(edited->text, "f", {"b.example:1"});
    ASSERT_TRUE(again);
    EXPECT_THAT(again->added, IsEmpty());
    EXPECT_EQ(again->text, edited->text);
}

TEST(Add, EntriesAreCheckedAndWrittenCanonically) {
    EXPECT_EQ(add("", {"EXAMPLE.com.:443"}), "[egress]\nstatic_tcp = [\"example.com:443\"]\n");
    EXPECT_FALSE(add_static_tcp("", "f", {"example.com"})) << "no port";
    EXPECT_FALSE(add_static_tcp("", "f", {"a.example:1", "0x7f.1:1"})) << "all or nothing";
    EXPECT_THAT(add_static_tcp("", "f", {"*.example.com:443"}).error().message,
                HasSubstr("wildcard"));
}

TEST(Add, OtherTablesMayHoldAnything) {
    const std::string text = "[resources]\ncpus = -1\n[egress]\nbogus = 3\n";
    EXPECT_EQ(add_one(text),
              "[resources]\ncpus = -1\n[egress]\n"
              "static_tcp = [\"new.example:443\"]\nbogus = 3\n");
}

TEST(Add, WhatIsNotOursToMendIsAnError) {
    EXPECT_THAT(add_static_tcp("x = [\n", "f.toml", {"a.example:1"}).error().message,
                HasSubstr("f.toml:"));
    EXPECT_THAT(
        add_static_tcp("[egress]\nstatic_tcp = \"a\"\n", "f.toml", {"a.example:1"}).error().message,
        HasSubstr("f.toml:2: egress.static_tcp is not a list"));
    EXPECT_THAT(add_static_tcp("egress = 1\n", "f", {"a.example:1"}).error().message,
                HasSubstr("not a table"));
    EXPECT_FALSE(add_static_tcp("[[egress]]\n", "f", {"a.example:1"}));
}

TEST(Add, TextThatTheParserMishandlesIsRefusedBeforeIt) {
    std::string dots = "a";
    for (int i = 0; i < 100'000; ++i) dots += ".a";
    for (const std::string& text : {"\n" + dots + " = 1\n", std::string("\n\xc2\xa0x = 1\n")})
        EXPECT_THAT(add_static_tcp(text, "f.toml", {"a.example:1"}).error().message,
                    testing::MatchesRegex("f.toml:2: a (key|character) .*; mend it first"));
}

}  // namespace
}  // namespace sluice::workspace
