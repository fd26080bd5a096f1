#include "presets.h"

#include "os/process.h"

namespace sluice::cli {

std::filesystem::path preset_dir() {
    const auto program = os::own_program();
    if (!program) return {};
    return program->parent_path().parent_path() / "share" / "sluice" / "presets";
}

}  // namespace sluice::cli
