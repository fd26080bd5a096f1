#include "config/preset.h"

#include <algorithm>

#include "config/files.h"
#include "config/registries.h"
#include "config/rules.h"
#include "config/suggest.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

// It becomes a file name.
bool is_preset_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-';
    });
}

std::vector<Endpoint> endpoints(TableReader& reader, std::string_view key, Via via) {
    std::vector<Endpoint> out;
    for (const auto& text : reader.strings(key, "example.com:443"))
        if (auto rule = read_rule(reader.findings(), text, via, {}))
            out.push_back(std::move(rule->endpoint));
    return out;
}

Preset read_preset(TableReader& reader, std::string_view name) {
    Preset preset;
    preset.name = name;
    if (const auto text = reader.required_string("description", "what it is for"))
        preset.description = text->value;
    preset.static_tcp = endpoints(reader, "static_tcp", Via::kKernel);
    preset.relayed = endpoints(reader, "relayed", Via::kGateway);
    preset.fallback = endpoints(reader, "default", Via::kKernel);
    if (const auto from = reader.word("from", {"npm", "apt", "pip", "cargo", "go"}))
        preset.from = from->value;
    reader.finish();
    return preset;
}

void add(std::vector<Rule>& out, const Endpoint& endpoint, Via via, const Source& source) {
    out.push_back({endpoint, via, {source}, {}, {}});
}

std::string_view where_it_looks(std::string_view tool) {
    if (tool == "npm") return "a registry= line in an .npmrc, or NPM_CONFIG_REGISTRY";
    if (tool == "apt") return "apt's sources.list";
    return "its configuration";
}

// Which host from where: the first few, as a mirror list may be long.
void note_configured(Findings& findings, const Text& used, const Preset& preset,
                     const Registries& registries) {
    constexpr std::size_t kShown = 5;
    const std::size_t all = registries.found.size();
    std::string hosts;
    for (std::size_t i = 0; i < std::min(all, kShown); ++i) {
        const auto& one = registries.found[i];
        hosts += (i ? ", " : "") + one.endpoint.to_string() + " from " + printable(one.origin);
    }
    if (all > kShown) hosts += " and " + std::to_string(all - kShown) + " more";
    if (all > 0)
        findings.add(Severity::kNote, used.line, used.key,
                     "preset " + preset.name + " takes " + hosts);
}

// From the tool's configuration; where that names no main registry, the preset's default.
void add_configured(Findings& findings, const Text& used, const Preset& preset,
                    const ToolConfig& tools, const Source& source, std::vector<Rule>& out) {
    const Registries registries = find_registries(preset.from, tools);
    bool main = false;
    for (const auto& registry : registries.found) {
        Source from = source;
        from.detail += ", " + registry.origin;
        add(out, registry.endpoint, Via::kKernel, from);
        main = main || registry.main;
    }
    note_configured(findings, used, preset, registries);
    for (const auto& text : registries.unusable)
        findings.add(Severity::kWarning, used.line, used.key,
                     "preset " + preset.name + " cannot use what " + preset.from +
                         " is configured with: " + text);
    if (main) return;
    for (const auto& endpoint : preset.fallback) add(out, endpoint, Via::kKernel, source);
    if (preset.fallback.empty())
        findings.add(Severity::kWarning, used.line, used.key,
                     "preset " + preset.name + " takes its hosts from " +
                         std::string(where_it_looks(preset.from)) +
                         ", and none is configured: it allows nothing",
                     "write the registry's HOST:443 under static_tcp");
}

void report_missing(Findings& findings, const Text& used, const std::filesystem::path& dir) {
    const auto known = preset_names(dir);
    const std::string meant = nearest(used.value, known);
    const std::string all = known.empty() ? "there are none in " + printable(dir.string())
                                          : "the presets are " + list_of(known);
    findings.add(Severity::kError, used.line, used.key, in_quotes(used.value) + " is not a preset",
                 meant.empty() ? all : "did you mean \"" + meant + "\"? " + all);
}

}  // namespace

std::vector<std::string> preset_names(const std::filesystem::path& dir) {
    std::vector<std::string> names;
    const auto files = toml_files(dir);
    if (!files) return names;
    for (const auto& path : *files) names.push_back(path.stem().string());
    std::erase_if(names, [](const std::string& name) { return !is_preset_name(name); });
    return names;
}

Result<Preset> load_preset(const std::filesystem::path& dir, std::string_view name) {
    const auto path = dir / (std::string(name) + ".toml");
    std::error_code failed;
    if (!is_preset_name(name) || !std::filesystem::exists(path, failed))
        return Error{Errc::kNotFound, 0, in_quotes(name) + " is not a preset"};
    SLUICE_ASSIGN(const std::string text, read_text(path));
    const auto document = parse_document(text);
    if (const auto* error = std::get_if<SyntaxError>(&document))
        return Error::invalid(printable(path.string()) + ":" + std::to_string(error->line) + ": " +
                              error->text);
    Findings findings(path.string());
    TableReader reader(findings, std::get<Table>(document), 1, "");
    Preset preset = read_preset(reader, name);
    for (const auto& problem : findings.take())
        if (problem.severity == Severity::kError) return Error::invalid(problem.to_string());
    return preset;
}

void expand_preset(Findings& findings, const Text& used, const std::filesystem::path& dir,
                   const ToolConfig& tools, Layer layer, std::vector<Rule>& out) {
    const auto preset = load_preset(dir, used.value);
    if (!preset) {
        if (preset.error().code == Errc::kNotFound) return report_missing(findings, used, dir);
        findings.add(Severity::kError, used.line, used.key,
                     "preset " + in_quotes(used.value) + " is broken: " + preset.error().message);
        return;
    }
    const Source source{layer, findings.file(), used.line, "preset " + preset->name};
    for (const auto& endpoint : preset->static_tcp) add(out, endpoint, Via::kKernel, source);
    for (const auto& endpoint : preset->relayed) add(out, endpoint, Via::kGateway, source);
    if (!preset->relayed.empty()) note_relayed(findings, used.line, used.key);
    if (!preset->from.empty()) add_configured(findings, used, *preset, tools, source, out);
}

}  // namespace sluice::config
