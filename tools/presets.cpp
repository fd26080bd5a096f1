#include "presets.h"

#include "config/preset_dir.h"
#include "os/process.h"

namespace sluice::cli {

std::filesystem::path preset_dir() {
    const auto program = os::own_program();
    if (!program) return {};
    return config::preset_dir_of(*program);
}

}  // namespace sluice::cli
