// The tables of a project file, each read by one function.
#pragma once

#include "config/reader.h"

namespace sluice::config {

void read_egress(TableReader& egress, const std::filesystem::path& preset_dir,
                 const ToolConfig& tools, ProjectFile& out);

// Keys whose features come later: validated now, so that a file is right before it matters.
void read_later_egress(TableReader& egress);
void read_resources(TableReader& resources);
void read_mounts(TableReader& root);
void read_remotes(TableReader& root);

}  // namespace sluice::config
