// What tests ask of a list of problems, and a directory that goes away.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace sluice::config::test {

inline const std::filesystem::path kPresets =
    std::filesystem::path(SLUICE_SOURCE_DIR) / "userspace/config/presets";

inline std::string all(const std::vector<Problem>& problems) {
    std::string out;
    for (const auto& problem : problems) out += problem.to_string() + "\n";
    return out;
}

// Some problem's line contains it.
inline bool says(const std::vector<Problem>& problems, std::string_view part) {
    return std::ranges::any_of(problems, [part](const Problem& problem) {
        return problem.to_string().find(part) != std::string::npos;
    });
}

inline ProjectFile parse(std::string_view text, const ToolConfig& tools = {}) {
    return parse_project(text, "f.toml", kPresets, tools);
}

// Of the test's own files, whoever runs it.
inline Baseline load(const std::filesystem::path& dir,
                     const std::vector<std::string>& principals = {}) {
    return load_baseline(dir, principals, ::geteuid());
}

class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    void write(std::string_view name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        std::filesystem::permissions(path_ / name, std::filesystem::perms(0644));
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace sluice::config::test
