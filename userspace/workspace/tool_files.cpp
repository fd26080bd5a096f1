#include "workspace/tool_files.h"

#include <algorithm>

#include "os/files.h"
#include "workspace/tool_paths.h"
#include "workspace/tool_text.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;
using config::ConfigText;
using config::ToolConfig;

// Of one file; inline keys make apt's sources the largest.
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostInVariable = 4096;

// nullopt: not there.
std::optional<ConfigText> read_one(const fs::path& path, const ToolPlaces& places) {
    std::error_code failed;
    const auto kind = fs::status(path, failed).type();
    if (kind == fs::file_type::not_found) return std::nullopt;
    ConfigText out{.file = shown(path, places), .text = {}, .problem = {}};
    // A pipe or a device would be waited for.
    if (!failed && kind != fs::file_type::regular) {
        out.problem = "not a regular file";
        return out;
    }
    auto text = os::read_file(path, kMostBytes);
    if (text)
        out.text = std::move(*text);
    else
        out.problem = text.error().message;
    return out;
}

// A clone, or a command that was sandboxed here before, must not widen the next run.
void distrust(ConfigText& file) {
    if (file.text.empty() && file.problem.empty()) return;
    file.text.clear();
    file.problem =
        "names a registry; a project file is not trusted: write its host under static_tcp";
}

std::vector<ConfigText> read_all(const char* tool, const Paths& paths, const ToolPlaces& places) {
    std::vector<ConfigText> out;
    for (auto path = paths.begin(); path != paths.end(); ++path) {
        // The home directory may be the project's, too.
        if (std::find(paths.begin(), path, *path) != path) continue;
        auto file = read_one(*path, places);
        const bool trusted = !file || !in_project(*path, places);
        if (file && !trusted && !file->problem.empty()) continue;
        if (file && file->problem.empty()) file = only_registries(tool, std::move(*file));
        if (!trusted) distrust(*file);
        if (file && !(file->text.empty() && file->problem.empty())) out.push_back(std::move(*file));
    }
    return out;
}

std::string variable(const ToolPlaces& places, const char* name) {
    auto value = places.env(name).value_or("");
    return value.size() > kMostInVariable ? "too long" : value;
}

std::string npm_registry(const ToolPlaces& places) {
    ToolConfig one;
    one.npm_registry = variable(places, "NPM_CONFIG_REGISTRY");
    if (one.npm_registry.empty()) one.npm_registry = variable(places, "npm_config_registry");
    return only_urls(find_registries("npm", one));
}

std::string pip_index(const ToolPlaces& places, const char* name, std::string ToolConfig::*field) {
    ToolConfig one;
    one.*field = variable(places, name);
    return only_urls(find_registries("pip", one));
}

// `go env -w` keeps variables in a file, NAME=VALUE a line.
std::string kept_go_proxy(const ToolPlaces& places) {
    const fs::path path = go_env_path(places);
    const bool used = !path.empty() && !in_project(path, places);
    const auto kept = used ? read_one(path, places) : std::nullopt;
    const std::string text = "\n" + (kept ? kept->text : "");
    constexpr std::string_view kKey = "\nGOPROXY=";
    const auto at = text.find(kKey);
    if (at == text.npos) return {};
    const auto from = at + kKey.size();
    return text.substr(from, std::min(text.find_first_of("\r\n", from), text.size()) - from);
}

std::string go_proxy(const ToolPlaces& places) {
    ToolConfig one;
    one.go_proxy = variable(places, "GOPROXY");
    if (one.go_proxy.empty()) one.go_proxy = kept_go_proxy(places);
    if (one.go_proxy.size() > kMostInVariable) one.go_proxy = "too long";
    return only_urls(find_registries("go", one));
}

// What is too much goes, and an entry says so.
void keep_within(std::vector<ConfigText>& files, std::size_t& left) {
    std::size_t kept = 0;
    for (; kept < files.size() && kept + 1 < config::kMaxToolFiles; ++kept) {
        const ConfigText& file = files[kept];
        const std::size_t size = file.file.size() + file.text.size() + file.problem.size();
        if (size > left) break;
        left -= size;
    }
    if (kept == files.size()) return;
    const auto more = std::to_string(files.size() - kept);
    files.resize(kept);
    files.push_back({"more files", "", more + " not looked at: there are too many hosts"});
}

void keep_within_limits(ToolConfig& tools) {
    constexpr std::size_t kForNotes = 512;
    std::size_t left = config::kMaxToolBytes - kForNotes;
    left -= tools.npm_registry.size() + tools.pip_index_url.size() +
            tools.pip_extra_index_url.size() + tools.go_proxy.size();
    for (auto* files : {&tools.npmrc, &tools.apt_sources, &tools.pip_conf, &tools.cargo_config})
        keep_within(*files, left);
}

}  // namespace

ToolConfig read_tools(const ToolPlaces& places) {
    ToolConfig out;
    out.npm_registry = npm_registry(places);
    out.pip_index_url = pip_index(places, "PIP_INDEX_URL", &ToolConfig::pip_index_url);
    out.pip_extra_index_url =
        pip_index(places, "PIP_EXTRA_INDEX_URL", &ToolConfig::pip_extra_index_url);
    out.go_proxy = go_proxy(places);
    out.npmrc = read_all("npm", npm_paths(places), places);
    out.apt_sources = read_all("apt", apt_paths(places), places);
    out.pip_conf = read_all("pip", pip_paths(places), places);
    out.cargo_config = read_all("cargo", cargo_paths(places), places);
    keep_within_limits(out);
    return out;
}

Result<ToolConfig> tools_of(const std::optional<os::Identity>& user, const fs::path& working_dir) {
    std::optional<os::ActingAs> acting;
    if (user) {
        SLUICE_ASSIGN(auto begun, os::ActingAs::begin(*user));
        acting.emplace(std::move(begun));
    }
    ToolPlaces places{.root = "/", .working_dir = working_dir, .home = {}, .env = os::process_env};
    places.home = user ? user->home : os::process_env("HOME").value_or("");
    return read_tools(places);
}

}  // namespace sluice::workspace
