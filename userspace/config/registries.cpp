#include "config/registries.h"

#include "config/document.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trim(std::string_view text) {
    const auto from = text.find_first_not_of(kBlank);
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::string_view unquoted(std::string_view text) {
    const bool both = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
    return both ? text.substr(1, text.size() - 2) : text;
}

template <class F>
void each_line(std::string_view text, F&& use) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        use(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
}

template <class F>
void each_word(std::string_view text, std::string_view separators, F&& use) {
    for (;;) {
        const auto from = text.find_first_not_of(separators);
        if (from == text.npos) return;
        text.remove_prefix(from);
        const auto word = text.substr(0, text.find_first_of(separators));
        use(word);
        text.remove_prefix(word.size());
    }
}

void add(Registries& out, std::string_view url, const std::string& origin, bool main) {
    auto endpoint = endpoint_of_url(url);
    if (endpoint)
        out.found.push_back({std::move(*endpoint), origin, main});
    else
        out.unusable.push_back(printable(origin) + ": " + endpoint.error().message);
}

// What the reader could not take, then the text.
template <class F>
void each_file(const std::vector<ConfigText>& files, Registries& out, F&& read) {
    for (const auto& file : files) {
        if (!file.problem.empty())
            out.unusable.push_back(printable(file.file) + ": " + printable(file.problem));
        read(file, out);
    }
}

// "registry = URL" and "@scope:registry = URL"; values may be quoted.
void from_npmrc(const ConfigText& file, Registries& out) {
    each_line(file.text, [&](std::string_view line) {
        line = trim(line);
        const auto equals = line.find('=');
        if (line.empty() || line[0] == '#' || line[0] == ';' || equals == line.npos) return;
        const auto key = trim(line.substr(0, equals));
        const auto value = unquoted(trim(line.substr(equals + 1)));
        if (key == "registry")
            add(out, value, file.file, true);
        else if (key.starts_with('@') && key.ends_with(":registry"))
            add(out, value, file.file, false);
    });
}

void from_npm(const ToolConfig& config, Registries& out) {
    if (!config.npm_registry.empty()) add(out, config.npm_registry, "NPM_CONFIG_REGISTRY", true);
    each_file(config.npmrc, out, from_npmrc);
}

// cdrom:, file: and copy: sources need no network.
void add_apt(Registries& out, std::string_view uri, const std::string& origin) {
    for (const std::string_view local : {"cdrom:", "file:", "copy:"})
        if (uri.starts_with(local)) return;
    add(out, uri, origin, true);
}

// "deb [OPTIONS] URI SUITE COMPONENT..."
void from_apt_line(std::string_view line, const ConfigText& file, Registries& out) {
    std::string_view rest = trim(line.substr(line.find_first_of(kBlank)));
    if (rest.starts_with('[')) {
        const auto close = rest.find(']');
        if (close == rest.npos) return;
        rest = trim(rest.substr(close + 1));
    }
    add_apt(out, rest.substr(0, rest.find_first_of(kBlank)), file.file);
}

// One-line sources, and deb822 stanzas whose URIs field may go on in indented lines.
void from_apt_file(const ConfigText& file, Registries& out) {
    bool in_uris = false;
    each_line(file.text, [&](std::string_view line) {
        const bool indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');
        const std::string_view text = trim(line);
        if (text.starts_with('#')) return;
        const auto uris = [&](std::string_view words) {
            each_word(words, kBlank, [&](std::string_view uri) { add_apt(out, uri, file.file); });
        };
        if (indented && in_uris) return uris(text);
        in_uris = false;
        if (text.starts_with("deb ") || text.starts_with("deb\t") || text.starts_with("deb-src "))
            return from_apt_line(text, file, out);
        const auto colon = text.find(':');
        std::string field(text.substr(0, colon == text.npos ? 0 : colon));
        for (auto& c : field) c = ascii_lower(c);
        if (field != "uris") return;
        in_uris = true;
        uris(text.substr(colon + 1));
    });
}

// "index-url = URL" and "extra-index-url = URL URL", the latter over indented lines too.
void from_pip_file(const ConfigText& file, Registries& out) {
    std::string key;
    each_line(file.text, [&](std::string_view line) {
        const bool indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');
        std::string_view value = trim(line);
        if (value.empty() || value[0] == '#' || value[0] == ';' || value[0] == '[') return;
        if (!indented) {
            const auto split = value.find_first_of("=:");
            if (split == value.npos) return;
            key = trim(value.substr(0, split));
            value = trim(value.substr(split + 1));
        }
        if (key != "index-url" && key != "extra-index-url") return;
        each_word(value, kBlank,
                  [&](std::string_view url) { add(out, url, file.file, key == "index-url"); });
    });
}

void from_pip(const ToolConfig& config, Registries& out) {
    if (!config.pip_index_url.empty()) add(out, config.pip_index_url, "PIP_INDEX_URL", true);
    each_word(config.pip_extra_index_url, kBlank,
              [&](std::string_view url) { add(out, url, "PIP_EXTRA_INDEX_URL", false); });
    each_file(config.pip_conf, out, from_pip_file);
}

const Table* table_in(const Table& table, std::string_view key) {
    const Member* member = table.find(key);
    return member ? member->value.as<Table>() : nullptr;
}

void add_cargo(const Table& entries, std::string_view key, bool main, const ConfigText& file,
               Registries& out) {
    for (const auto& entry : entries.members) {
        const auto* table = entry.value.as<Table>();
        const Member* url = table ? table->find(key) : nullptr;
        if (!url) continue;
        if (const auto* text = url->value.as<std::string>()) add(out, *text, file.file, main);
    }
}

// [source.crates-io] replace-with = "x" makes the other sources the main ones.
void from_cargo_file(const ConfigText& file, Registries& out) {
    const auto document = parse_document(file.text);
    const auto* root = std::get_if<Table>(&document);
    if (!root) {
        out.unusable.push_back(printable(file.file) + ": " + std::get<SyntaxError>(document).text);
        return;
    }
    if (const auto* sources = table_in(*root, "source")) {
        const auto* crates = table_in(*sources, "crates-io");
        add_cargo(*sources, "registry", crates && crates->find("replace-with"), file, out);
    }
    if (const auto* registries = table_in(*root, "registries"))
        add_cargo(*registries, "index", false, file, out);
}

void from_go(const ToolConfig& config, Registries& out) {
    each_word(config.go_proxy, ",| ", [&](std::string_view url) {
        if (url != "direct" && url != "off") add(out, url, "GOPROXY", true);
    });
}

}  // namespace

bool is_known_tool(std::string_view tool) {
    for (const std::string_view known : {"npm", "apt", "pip", "cargo", "go"})
        if (tool == known) return true;
    return false;
}

Registries find_registries(std::string_view tool, const ToolConfig& config) {
    Registries out;
    if (tool == "npm") from_npm(config, out);
    if (tool == "apt") each_file(config.apt_sources, out, from_apt_file);
    if (tool == "pip") from_pip(config, out);
    if (tool == "cargo") each_file(config.cargo_config, out, from_cargo_file);
    if (tool == "go") from_go(config, out);
    return out;
}

}  // namespace sluice::config
