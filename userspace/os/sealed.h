// Text in memory that nobody can change any more, to hand to another process.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::os {

// A memfd with the text, sealed against writing, resizing and unsealing. `name` shows in /proc.
Result<UniqueFd> make_sealed(const char* name, std::string_view text);
// All of it. kInvalid when the descriptor lacks one of these seals (its sender could change the
// text while it is read) or holds more than `limit` bytes.
Result<std::string> read_sealed(int fd, std::size_t limit);

}  // namespace sluice::os
