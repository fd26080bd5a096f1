#include "workspace/tool_text.h"

#include "base/escape.h"

namespace sluice::workspace {
namespace {

using config::ConfigText;
using config::Registries;
using config::Registry;
using config::ToolConfig;

// The port is always written, so the scheme no longer matters.
std::string url_of(const Registry& registry) {
    return "https://" + registry.endpoint.to_string() + "/";
}

ToolConfig only(std::string_view tool, ConfigText file) {
    ToolConfig config;
    if (tool == "npm") config.npmrc = {std::move(file)};
    if (tool == "apt") config.apt_sources = {std::move(file)};
    if (tool == "pip") config.pip_conf = {std::move(file)};
    if (tool == "cargo") config.cargo_config = {std::move(file)};
    return config;
}

std::string cargo_text(const Registries& registries) {
    std::string main, extra;
    std::size_t number = 0;
    for (const auto& one : registries.found) {
        const std::string name = "r" + std::to_string(number++);
        if (one.main)
            main += "[source." + name + "]\nregistry = \"" + url_of(one) + "\"\n";
        else
            extra += "[registries." + name + "]\nindex = \"" + url_of(one) + "\"\n";
    }
    if (!main.empty()) main.insert(0, "[source.crates-io]\nreplace-with = \"r\"\n");
    return main + extra;
}

std::string line_of(std::string_view tool, const Registry& one) {
    if (tool == "npm") return (one.main ? "registry=" : "@scope:registry=") + url_of(one) + "\n";
    if (tool == "pip")
        return (one.main ? "index-url = " : "extra-index-url = ") + url_of(one) + "\n";
    return "deb " + url_of(one) + " ./\n";
}

// Each begins with the file's name, which is told anyway.
std::string problem_of(const Registries& registries, const std::string& file) {
    const std::string head = printable(file) + ": ";
    std::string all;
    for (std::string_view text : registries.unusable) {
        if (text.starts_with(head)) text.remove_prefix(head.size());
        // A file may repeat one mistake many times.
        if (all.find(text) != std::string::npos) continue;
        all += (all.empty() ? "" : "; ") + std::string(text);
    }
    return all;
}

}  // namespace

ConfigText only_registries(std::string_view tool, ConfigText file) {
    ConfigText out{.file = file.file, .text = {}, .problem = {}};
    const Registries registries = find_registries(tool, only(tool, std::move(file)));
    out.problem = problem_of(registries, out.file);
    if (tool == "cargo") {
        out.text = cargo_text(registries);
        return out;
    }
    for (const auto& one : registries.found) out.text += line_of(tool, one);
    return out;
}

std::string only_urls(const Registries& found) {
    std::string out;
    for (const auto& one : found.found) out += (out.empty() ? "" : " ") + url_of(one);
    for (std::size_t i = 0; i < found.unusable.size(); ++i)
        out += out.empty() ? "unusable" : " unusable";
    return out;
}

}  // namespace sluice::workspace
