// The file operations of `sluice add`: read, edit, save.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::workspace {

struct AddRequest {
    std::vector<std::string> entries;             // "HOST:PORT"
    std::optional<std::filesystem::path> policy;  // --policy FILE; absent: found, or a new one
    // For another that adds at the same time, or holds a lock on the folder.
    std::chrono::milliseconds patience{5000};
};

struct AddResult {
    std::filesystem::path file;
    bool created = false;
    std::vector<std::string> added, there;
    // What happened and what is in force when, for people; one line each, to be printed as they
    // are.
    std::vector<std::string> lines;
};

// Writes the policy file as the user who calls (under sudo: not as root). Atomic; a failed save
// leaves the file as it was.
Result<AddResult> add(const AddRequest& request, const std::filesystem::path& from);

}  // namespace sluice::workspace
