#include "run/tools_param.h"

namespace sluice::run {

using nlohmann::json;

namespace {

void put(json& out, const char* name, const std::string& text) {
    if (!text.empty()) out[name] = text;
}

void put(json& out, const char* name, const std::vector<config::ConfigText>& files) {
    for (const auto& file : files) {
        json one{{"file", file.file}, {"text", file.text}};
        put(one, "problem", file.problem);
        out[name].push_back(std::move(one));
    }
}

}  // namespace

json tools_param(const config::ToolConfig& tools) {
    json out;
    put(out, "npm_registry", tools.npm_registry);
    put(out, "npmrc", tools.npmrc);
    put(out, "apt_sources", tools.apt_sources);
    put(out, "pip_index_url", tools.pip_index_url);
    put(out, "pip_extra_index_url", tools.pip_extra_index_url);
    put(out, "pip_conf", tools.pip_conf);
    put(out, "cargo_config", tools.cargo_config);
    put(out, "go_proxy", tools.go_proxy);
    return out;
}

}  // namespace sluice::run
