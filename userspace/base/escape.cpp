#include "base/escape.h"

#include <cstdint>
#include <cstdio>

namespace sluice {
namespace {

struct Decoded {
    std::uint32_t code = 0;
    std::size_t length = 0;  // 0: not valid UTF-8 here
};

std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
Decoded decode(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > text.size()) return {};
    if (length == 1) return {lead, 1};
    std::uint32_t code = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U) return {};
        code = code << 6 | (next & 0x3fU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (overlong || surrogate || code > 0x10ffff) return {};
    return {code, length};
}

// Characters that show as nothing, or move what surrounds them.
bool deceives(std::uint32_t code) {
    return (code >= 0x80 && code < 0xa0) || code == 0xad || code == 0x61c || code == 0x180e ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || (code >= 0xfe00 && code <= 0xfe0f) ||
           code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

void append_escape(std::string& out, const char* format, std::uint32_t value) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, format, value);
    out += buffer;
}

void append_code(std::string& out, std::uint32_t code, std::string_view bytes) {
    if (code == '\n')
        out += "\\n";
    else if (code == '\t')
        out += "\\t";
    else if (code == '\r')
        out += "\\r";
    else if (code == '\\')
        out += "\\\\";
    else if (code < 0x20 || code == 0x7f)
        append_escape(out, "\\x%02x", code);
    else if (deceives(code))
        append_escape(out, "\\u{%x}", code);
    else
        out += bytes;
}

}  // namespace

std::string printable(std::string_view untrusted) {
    std::string out;
    out.reserve(untrusted.size());
    while (!untrusted.empty()) {
        const Decoded next = decode(untrusted);
        if (next.length == 0) {
            append_escape(out, "\\x%02x", static_cast<unsigned char>(untrusted[0]));
            untrusted.remove_prefix(1);
            continue;
        }
        append_code(out, next.code, untrusted.substr(0, next.length));
        untrusted.remove_prefix(next.length);
    }
    return out;
}

}  // namespace sluice
