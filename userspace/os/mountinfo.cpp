#include "os/mountinfo.h"

#include <optional>

#include "os/files.h"

namespace sluice::os {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

bool is_octal(std::string_view text) {
    return text.size() == 3 && text.find_first_not_of("01234567") == std::string_view::npos;
}

// The kernel writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view digits = text.substr(i + 1, 3);
        if (text[i] == '\\' && i + 3 < text.size() && is_octal(digits)) {
            out +=
                static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + digits[2] - '0');
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

// 36 35 98:0 /root /target options [optional fields] - type source super-options
std::optional<Mount> parse_line(std::string_view line) {
    const auto fields = split(line, ' ');
    std::size_t dash = 6;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (dash + 1 >= fields.size()) return std::nullopt;
    return Mount{.device = std::string(fields[2]),
                 .root = unescape(fields[3]),
                 .target = unescape(fields[4]),
                 .type = std::string(fields[dash + 1])};
}

constexpr std::size_t kMountinfoLimit = 16U << 20;

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    for (const auto line : split(text, '\n'))
        if (auto mount = parse_line(line)) mounts.push_back(std::move(*mount));
    return mounts;
}

Result<std::vector<Mount>> mounts_of(std::string_view process) {
    const std::string path = "/proc/" + std::string(process) + "/mountinfo";
    SLUICE_ASSIGN(const std::string text, read_file(path, kMountinfoLimit));
    return parse_mountinfo(text);
}

const Mount* find_mount(const std::vector<Mount>& mounts, std::string_view type) {
    for (auto mount = mounts.rbegin(); mount != mounts.rend(); ++mount)
        if (mount->type == type && mount->root == "/") return &*mount;
    return nullptr;
}

}  // namespace sluice::os
