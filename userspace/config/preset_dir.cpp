#include "config/preset_dir.h"

namespace sluice::config {

std::filesystem::path preset_dir_of(const std::filesystem::path& program) {
    const auto dir = program.parent_path();
    const bool deep = dir.filename() == "sluice" && dir.parent_path().filename() == "libexec";
    const auto prefix = deep ? dir.parent_path().parent_path() : dir.parent_path();
    return prefix / "share" / "sluice" / "presets";
}

}  // namespace sluice::config
