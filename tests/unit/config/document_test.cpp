#include "config/document.h"

#include <gtest/gtest.h>

#include "config/preflight.h"
#include "config/problems.h"

namespace sluice::config {
namespace {

std::string repeated(std::string_view part, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += part;
    return out;
}

SyntaxError error_of(std::string_view text) {
    const auto parsed = parse_document(text);
    const auto* error = std::get_if<SyntaxError>(&parsed);
    return error ? *error : SyntaxError{};
}

TEST(Document, SyntaxErrorsHaveLineAndColumn) {
    const auto problems = test::parse("[egress]\nenabled = tru\n").problems;
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].line, 2U);
    EXPECT_NE(problems[0].text.find("column "), std::string::npos) << problems[0].text;
}

TEST(Document, DuplicateKeysAreErrors) {
    EXPECT_EQ(error_of("a = 1\na = 2\n").line, 2U);
    EXPECT_EQ(error_of("[a]\n[a]\n").line, 2U);
}

TEST(Document, BadUtf8IsAnErrorAndPrintable) {
    for (const std::string_view bytes : {"a = \"\xff\"", "\xc3\x28 = 1", "a = '\xed\xa0\x80'"}) {
        const SyntaxError error = error_of(bytes);
        EXPECT_FALSE(error.text.empty());
        EXPECT_EQ(error.text.find('\xff'), std::string::npos);
    }
    EXPECT_FALSE(error_of(std::string_view("a = \"x\0y\"", 9)).text.empty());
}

TEST(Document, TooLargeIsSaidWithoutReadingIt) {
    const std::string large(kMaxPolicyText + 1, '#');
    EXPECT_NE(error_of(large).text.find("67108865 bytes, at most 67108864"), std::string::npos);
}

TEST(Document, ManyRulesAreRead) {
    std::string text = "[egress]\nstatic_tcp = [\n";
    for (int i = 0; i < 20'000; ++i) text += "\"h" + std::to_string(i) + ".example:443\",\n";
    const ProjectFile file = test::parse(text + "]\n");
    EXPECT_TRUE(file.usable());
    EXPECT_EQ(file.layer.rules.size(), 20'000U);
    EXPECT_EQ(file.layer.rules.back().sources[0].line, 20'002U);
}

TEST(Document, DeepNestingIsAnErrorInEveryForm) {
    constexpr std::size_t kDeep = 200'000;
    for (const auto& text :
         {repeated("a.", kDeep) + "a = 1", "[" + repeated("a.", kDeep) + "a]",
          "x = {" + repeated("a.", kDeep) + "a = 1}", "x = " + repeated("[", kDeep),
          "x = " + repeated("{a=", kDeep), repeated("\"=\".", kDeep) + "a = 1",
          "[[" + repeated("'#'.", kDeep) + "a]]", "# x\n" + repeated("a . ", kDeep) + "a = 1",
          "s = \"\"\"\n\\\"\"\"\"\"\"\n" + repeated("a.", kDeep) + "a = 1",
          "s = '''\n''''\n" + repeated("a.", kDeep) + "a = 1"})
        EXPECT_FALSE(error_of(text).text.empty()) << text.substr(0, 40);
}

std::uint32_t refused_line(std::string_view text) {
    const auto refusal = preflight(text);
    return refusal ? refusal->line : 0;
}

TEST(Preflight, DotsThatNestNothingAreFine) {
    EXPECT_EQ(refused_line("a = \"" + repeated("a.", 500) + "\""), 0U);
    EXPECT_EQ(refused_line("# " + repeated("a.", 500)), 0U);
    EXPECT_EQ(refused_line("a = '''\n" + repeated("a.", 500) + "'''"), 0U);
    EXPECT_EQ(refused_line("a = [" + repeated("1.5, ", 500) + "]"), 0U);
    EXPECT_EQ(refused_line("a = \"x\\\"" + repeated("a.", 500) + "\""), 0U);
    EXPECT_EQ(refused_line("\n\na" + repeated(".a", 33) + " = 1"), 3U);
    EXPECT_EQ(refused_line("a" + repeated(".a", 32) + " = 1"), 0U);
}

TEST(Preflight, TextOutsideAsciiIsForQuotesAndComments) {
    for (const auto* text :
         {"\xef\xbb\xbf"
          "a = \"bücher\" # bücher",
          "a = 'bücher'", "\"bü\" = '''\nbü\n'''", "a = \"\"\"\nbü \\\n  b \\\\ü\"\"\""}) {
        EXPECT_EQ(refused_line(text), 0U) << text;
        EXPECT_TRUE(std::holds_alternative<Table>(parse_document(text)))
            << text << ": " << error_of(text).text;
    }
    EXPECT_EQ(refused_line("bücher = 1"), 1U);
    EXPECT_EQ(refused_line("\na = trüe"), 2U);
    EXPECT_EQ(refused_line("a = 1\xef\xbb\xbc"), 1U);
    EXPECT_EQ(refused_line("s = \"\"\"\\\n \xc2\xa7\"\"\""), 2U);
    EXPECT_EQ(refused_line("s = \"\"\"\\\xc2\xa7\"\"\""), 1U);
}

}  // namespace
}  // namespace sluice::config
