// Configuration of package managers, as a user's files have it.
#include <cstdint>
#include <string>

#include "config/registries.h"
#include "require.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const config::ConfigText file{"f", text};
    const config::ToolConfig tools{{file}, text, {file}, {file}, text, text, {file}, text};
    for (const char* tool : {"npm", "apt", "pip", "cargo", "go"})
        for (const auto& registry : config::find_registries(tool, tools).found)
            fuzz::require(Endpoint::parse(registry.endpoint.to_string()) == registry.endpoint);
    return 0;
}
