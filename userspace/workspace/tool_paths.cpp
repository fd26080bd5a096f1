#include "workspace/tool_paths.h"

#include <algorithm>

#include "workspace/find.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;

// A variable that names a file or directory; a relative one is the working directory's.
fs::path path_in_env(const ToolPlaces& places, const char* name) {
    const auto value = places.env(name);
    return value && !value->empty() ? places.working_dir / *value : fs::path();
}

void add_below(Paths& out, const fs::path& dir, const char* name) {
    if (!dir.empty()) out.push_back(dir / name);
}

fs::path config_home(const ToolPlaces& places) {
    const fs::path stated = path_in_env(places, "XDG_CONFIG_HOME");
    return !stated.empty() || places.home.empty() ? stated : places.home / ".config";
}

// The path below `dir`; empty when it is not.
fs::path below(const fs::path& path, const fs::path& dir) {
    const fs::path rest = path.lexically_relative(dir);
    return dir.empty() || rest.empty() || *rest.begin() == ".." ? fs::path() : rest;
}

}  // namespace

Paths npm_paths(const ToolPlaces& places) {
    Paths out;
    for (const auto& dir : project_dirs(places.working_dir)) out.push_back(dir / ".npmrc");
    fs::path user = path_in_env(places, "NPM_CONFIG_USERCONFIG");
    if (user.empty()) user = path_in_env(places, "npm_config_userconfig");
    if (user.empty() && !places.home.empty()) user = places.home / ".npmrc";
    if (!user.empty()) out.push_back(user);
    out.push_back(places.root / "etc/npmrc");
    out.push_back(places.root / "usr/local/etc/npmrc");
    return out;
}

Paths apt_paths(const ToolPlaces& places) {
    const fs::path apt = places.root / "etc/apt";
    Paths out;
    std::error_code failed;
    fs::directory_iterator it(apt / "sources.list.d", failed);
    for (const fs::directory_iterator end; !failed && it != end; it.increment(failed)) {
        const auto extension = it->path().extension();
        if (extension == ".list" || extension == ".sources") out.push_back(it->path());
    }
    std::ranges::sort(out);
    out.insert(out.begin(), apt / "sources.list");
    return out;
}

Paths pip_paths(const ToolPlaces& places) {
    Paths out;
    if (auto stated = path_in_env(places, "PIP_CONFIG_FILE"); !stated.empty())
        out.push_back(std::move(stated));
    add_below(out, path_in_env(places, "VIRTUAL_ENV"), "pip.conf");
    add_below(out, config_home(places), "pip/pip.conf");
    add_below(out, places.home, ".pip/pip.conf");
    out.push_back(places.root / "etc/pip.conf");
    out.push_back(places.root / "etc/xdg/pip/pip.conf");
    return out;
}

Paths cargo_paths(const ToolPlaces& places) {
    Paths dirs;
    for (const auto& dir : project_dirs(places.working_dir)) dirs.push_back(dir / ".cargo");
    if (auto stated = path_in_env(places, "CARGO_HOME"); !stated.empty())
        dirs.push_back(std::move(stated));
    else
        add_below(dirs, places.home, ".cargo");
    Paths out;
    for (const auto& dir : dirs) {
        // Where both are there cargo takes the old name.
        std::error_code failed;
        out.push_back(dir / (fs::exists(dir / "config", failed) ? "config" : "config.toml"));
    }
    return out;
}

fs::path go_env_path(const ToolPlaces& places) {
    if (auto stated = path_in_env(places, "GOENV"); !stated.empty()) return stated;
    const fs::path home = config_home(places);
    return home.empty() ? home : home / "go/env";
}

bool in_project(const fs::path& path, const ToolPlaces& places) {
    const auto real = [](const fs::path& one) {
        std::error_code failed;
        const auto found = fs::weakly_canonical(one, failed);
        return failed ? one : found;
    };
    const fs::path project = real(project_dirs(places.working_dir).back());
    // "." where they are the same.
    if (!places.home.empty() && !below(real(places.home), project).empty()) return false;
    return !below(real(path), project).empty() || !below(path.lexically_normal(), project).empty();
}

std::string shown(const fs::path& path, const ToolPlaces& places) {
    const fs::path project = project_dirs(places.working_dir).back();
    if (project != places.root && !below(path, project).empty())
        return path.lexically_relative(places.working_dir).string();
    if (const auto rest = below(path, places.home); !rest.empty()) return "~/" + rest.string();
    if (const auto rest = below(path, places.root); !rest.empty()) return "/" + rest.string();
    return path.string();
}

}  // namespace sluice::workspace
