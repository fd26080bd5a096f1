// Every ```toml block of the reference is parsed, and its tables are compared with the code.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/preset.h"
#include "config/problems.h"

namespace sluice::config {
namespace {

std::string page() {
    std::ifstream in(std::filesystem::path(SLUICE_SOURCE_DIR) / "docs/policy-reference.md");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> blocks(const std::string& text) {
    constexpr std::string_view kOpen = "\n```toml\n", kClose = "\n```";
    std::vector<std::string> out;
    for (auto at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
        at += kOpen.size();
        const auto end = text.find(kClose, at - 1);
        out.push_back(text.substr(at, end - at) + "\n");
        at = end;
    }
    return out;
}

bool is_host_file(const std::string& block) {
    return block.find("[baseline]") != std::string::npos ||
           block.find("[[grant]]") != std::string::npos ||
           block.find("[mode]") != std::string::npos;
}

// Rows of a table whose first cell is `code` | and second cell `code` or text.
std::vector<std::vector<std::string>> rows_with(const std::string& text, std::string_view heading) {
    std::vector<std::vector<std::string>> out;
    std::istringstream in(text.substr(text.find(heading)));
    std::string line;
    for (bool seen = false; std::getline(in, line);) {
        if (!line.starts_with('|')) {
            if (seen) break;
            continue;
        }
        seen = true;
        std::vector<std::string> cells;
        std::istringstream cell_in(line.substr(1));
        for (std::string cell; std::getline(cell_in, cell, '|');) {
            const auto from = cell.find('`'), to = cell.rfind('`');
            cells.push_back(from == to ? "" : cell.substr(from + 1, to - from - 1));
        }
        out.push_back(cells);
    }
    return out;
}

TEST(Documentation, EveryTomlBlockParses) {
    const auto found = blocks(page());
    ASSERT_GE(found.size(), 4U);
    for (const auto& block : found) {
        if (is_host_file(block)) {
            const test::TemporaryDirectory dir;
            dir.write("a.toml", block);
            const auto problems = test::load(dir.path()).problems;
            EXPECT_FALSE(has_errors(problems)) << block << test::all(problems);
        } else if (block.find("description") != std::string::npos) {
            const test::TemporaryDirectory dir;
            dir.write("mine.toml", block);
            const auto preset = load_preset(dir.path(), "mine");
            EXPECT_TRUE(preset) << block << (preset ? "" : preset.error().message);
        } else {
            const auto problems = test::parse(block).problems;
            EXPECT_FALSE(has_errors(problems)) << block << test::all(problems);
        }
    }
}

TEST(Documentation, TheTableOfFormsIsTrue) {
    std::size_t checked = 0;
    for (const auto& cells : rows_with(page(), "### Accepted forms")) {
        if (cells.size() < 2 || cells[0].empty() || cells[1].empty()) continue;
        const auto parsed = Endpoint::parse(cells[0]);
        ASSERT_TRUE(parsed) << cells[0] << ": " << parsed.error().message;
        EXPECT_EQ(parsed->to_string(), cells[1]);
        ++checked;
    }
    EXPECT_GE(checked, 10U);
}

TEST(Documentation, TheTableOfRefusedFormsIsTrue) {
    std::size_t checked = 0;
    for (const auto& cells : rows_with(page(), "### Refused forms")) {
        if (cells.size() < 2 || cells[0].empty() || cells[1].empty()) continue;
        const auto parsed = Endpoint::parse(cells[0]);
        ASSERT_FALSE(parsed) << cells[0];
        EXPECT_NE(parsed.error().message.find(cells[1]), std::string::npos)
            << cells[0] << ": " << parsed.error().message;
        ++checked;
    }
    EXPECT_GE(checked, 10U);
}

TEST(Documentation, EveryPresetIsListed) {
    const std::string text = page();
    for (const auto& name : preset_names(test::kPresets))
        EXPECT_NE(text.find("| `" + name + "` |"), std::string::npos) << name;
}

}  // namespace
}  // namespace sluice::config
