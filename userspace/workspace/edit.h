// Edits of a policy file's text that leave every other byte as it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice::workspace {

struct Edited {
    std::string text;                // the whole new file; the old one when nothing was added
    std::vector<std::string> added;  // as written, canonical
    std::vector<std::string> there;  // asked for, but already in the list
};

// Adds entries to `[egress] static_tcp`, at its end and in the array's own style (one line or one
// entry a line, indentation, trailing comma, line ends, comments). Without the array or the table
// it is appended. Entries are checked by the rule grammar first. The result is parsed again and
// must say exactly what the old text said plus these entries, else nothing is returned but an
// error. `file` is for messages only. All or nothing.
Result<Edited> add_static_tcp(std::string_view text, std::string_view file,
                              const std::vector<std::string>& entries);

}  // namespace sluice::workspace
