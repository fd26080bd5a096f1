#include "resolve/hosts_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace sluice::resolve {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// Takes the next word off the front of `line`; empty at its end.
std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const auto end = std::min(line.find_first_of(kBlanks), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

std::string canonical(std::string_view name) {
    std::string text(name);
    if (text.ends_with('.')) text.pop_back();
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

void parse_line(std::string_view line, const std::set<std::string>& wanted, HostsEntries& entries) {
    line = line.substr(0, line.find('#'));
    const auto address = IpAddress::parse(next_word(line));
    if (!address) return;
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
        const auto name = canonical(word);
        if (!wanted.contains(name)) continue;
        auto& known = entries[name];
        if (std::find(known.begin(), known.end(), *address) == known.end()) {
            known.push_back(*address);
        }
    }
}

}  // namespace

HostsEntries parse_hosts(std::string_view text, const std::set<std::string>& wanted) {
    HostsEntries entries;
    while (!text.empty()) {
        const auto end = text.find('\n');
        parse_line(text.substr(0, end), wanted, entries);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return entries;
}

HostsEntries read_hosts(const std::filesystem::path& path, const std::set<std::string>& wanted) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return parse_hosts(text, wanted);
}

}  // namespace sluice::resolve
