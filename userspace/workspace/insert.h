// Where and how new items go into an array or a table; pure text in, text out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workspace/toml_text.h"

namespace sluice::workspace {

// `items` are TOML values, ready to write ("\"a:1\""). Each keeps the array's style.
std::string insert_into_array(std::string_view text, const Brackets& array,
                              const std::vector<std::string>& items);
// One `key = value` at the end of an inline table.
std::string insert_into_inline_table(std::string_view text, const Brackets& table,
                                     const std::string& assignment);
// A line of its own at `at`, which is the begin of a line or the end of the text.
std::string insert_line(std::string_view text, std::size_t at, const std::string& line);

}  // namespace sluice::workspace
