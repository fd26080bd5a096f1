// What the package managers are configured with, read where they read it themselves.
#pragma once

#include <filesystem>
#include <optional>

#include "config/tool_config.h"
#include "os/identity.h"

namespace sluice::workspace {

struct ToolPlaces {
    std::filesystem::path root = "/";  // of /etc and /usr/local/etc
    std::filesystem::path working_dir;
    std::filesystem::path home;  // empty: there is none
    os::Getenv env = os::process_env;
};

// Never fails: a missing file is nothing, one that can't be used says so in its `problem`. Only
// hosts and ports are in it (tool_text.h), within the limits of tool_config.h.
config::ToolConfig read_tools(const ToolPlaces& places);

// The same for a command that `user` (the one behind sudo; nullopt: the caller) starts in
// `working_dir`. Read with that user's rights; an error only when they can't be taken.
Result<config::ToolConfig> tools_of(const std::optional<os::Identity>& user,
                                    const std::filesystem::path& working_dir);

}  // namespace sluice::workspace
