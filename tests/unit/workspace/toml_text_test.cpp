#include "workspace/toml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::workspace {
namespace {

std::vector<std::string> items_of(std::string_view text) {
    const auto found = brackets_at(text, 0);
    std::vector<std::string> items;
    if (!found) return {"<does not close>"};
    EXPECT_EQ(found->close + 1, text.size());
    for (const auto& item : found->items)
        items.emplace_back(text.substr(item.begin, item.end - item.begin));
    return items;
}

using Items = std::vector<std::string>;

TEST(Brackets, ItemsOfAllKinds) {
    EXPECT_EQ(items_of("[]"), Items());
    EXPECT_EQ(items_of("[ 1 , 2,]"), (Items{"1", "2"}));
    EXPECT_EQ(items_of("[[1, 2], {a = [3], b = 4}]"), (Items{"[1, 2]", "{a = [3], b = 4}"}));
    EXPECT_EQ(items_of(R"(["a\"],", 'b"],'])"), (Items{R"("a\"],")", R"('b"],')"}));
    EXPECT_EQ(items_of("[1 # ], 9\n, # [\n2]"), (Items{"1", "2"}));
    EXPECT_EQ(items_of("{ a = 1, \"b]}\" = 2 }"), (Items{"a = 1", "\"b]}\" = 2"}));
}

TEST(Brackets, MultiLineStrings) {
    EXPECT_EQ(items_of("[\"\"\"a]\n\"\" \\\"\"\"\", 2]"),
              (Items{"\"\"\"a]\n\"\" \\\"\"\"\"", "2"}));
    EXPECT_EQ(items_of("['''x''''', 1]"), (Items{"'''x'''''", "1"}));
    EXPECT_EQ(items_of("[\"\", '']"), (Items{"\"\"", "''"}));
}

TEST(Brackets, Unclosed) {
    EXPECT_FALSE(brackets_at("[1, 2", 0));
    EXPECT_FALSE(brackets_at("[\"]", 0));
}

TEST(Position, ColumnsAreCodePoints) {
    const std::string_view text = "ab\n\xc3\xa9\xe2\x82\xacx\r\nlast";
    EXPECT_EQ(offset_of(text, 1, 1), 0u);
    EXPECT_EQ(text[offset_of(text, 2, 3)], 'x');
    EXPECT_EQ(text.substr(offset_of(text, 3, 1)), "last");
    EXPECT_EQ(offset_of(text, 9, 1), text.size());
}

TEST(Position, Lines) {
    const std::string_view text = "one\r\n  two = 1\nthree";
    EXPECT_EQ(newline_of(text), "\r\n");
    EXPECT_EQ(newline_of("x"), "\n");
    EXPECT_EQ(line_begin(text, 9), 5u);
    EXPECT_EQ(next_line(text, 9), 15u);
    EXPECT_EQ(next_line(text, 16), text.size());
    EXPECT_EQ(indent_before(text, 7).value(), "  ");
    EXPECT_FALSE(indent_before(text, 13));
}

}  // namespace
}  // namespace sluice::workspace
