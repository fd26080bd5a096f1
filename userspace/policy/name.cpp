#include <idn2.h>

#include <algorithm>
#include <cstring>

#include "policy/numeric.h"
#include "policy/rule.h"
#include "policy/text.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxName = 253, kMaxLabel = 63;
constexpr std::size_t kMaxWritten = 1024;  // what is given to the IDNA library at most

bool is_ascii(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
}

bool is_name_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

Result<std::string> to_a_labels(std::string_view text) {
    char* made = nullptr;
    const int status =
        idn2_to_ascii_8z(std::string(text).c_str(), &made, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (status != IDN2_OK)
        return Error::invalid(in_quotes(text) +
                              " is not a valid internationalised name: " + idn2_strerror(status));
    std::string out = made;
    idn2_free(made);
    return out;
}

Status check_label(std::string_view name, std::string_view label) {
    const auto where = [&] { return "name " + in_quotes(name) + ": "; };
    if (label.empty())
        return Error::invalid(where() + "an empty label: write one dot between labels");
    if (label.size() > kMaxLabel)
        return Error::invalid(where() + "label " + in_quotes(label) + " has " +
                              std::to_string(label.size()) + " octets, at most 63 are possible");
    if (label.find('*') != label.npos)
        return Error::invalid(where() + "a wildcard is only a leading \"*.\", as in *.example.com");
    const auto bad = std::ranges::find_if_not(label, is_name_char);
    if (bad != label.end())
        return Error::invalid(where() + in_quotes(std::string_view(&*bad, 1)) +
                              " cannot be in a DNS name");
    if (label.front() == '-' || label.back() == '-')
        return Error::invalid(where() + "label " + in_quotes(label) +
                              " begins or ends with a hyphen");
    return {};
}

Status check_labels(std::string_view name) {
    for (std::string_view rest = name;;) {
        const auto dot = rest.find('.');
        SLUICE_TRY(check_label(name, rest.substr(0, dot)));
        if (dot == rest.npos) return {};
        rest.remove_prefix(dot + 1);
    }
}

// Before the IDNA library, which works on C strings and maps some of these away.
Status check_written(std::string_view text) {
    if (text.empty()) return Error::invalid("the host is empty: write a name or an address");
    if (text.size() > kMaxWritten)
        return Error::invalid("name " + in_quotes(text) + " has " + std::to_string(text.size()) +
                              " octets, at most 253 are possible");
    const bool blank = std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
    // IDNA drops zero-width characters without a word; a name is what its reader sees.
    if (blank || (!is_ascii(text) && printable(text) != text))
        return Error::invalid("name " + in_quotes(text) +
                              " contains a blank, a control or an invisible character: remove it");
    return {};
}

}  // namespace

Result<DnsName> DnsName::parse(std::string_view text) {
    SLUICE_TRY(check_written(text));
    std::string name(text);
    if (!is_ascii(text)) {
        SLUICE_ASSIGN(name, to_a_labels(text));
    }
    std::ranges::transform(name, name.begin(), ascii_lower);
    if (name.size() > 1 && name.ends_with('.')) name.pop_back();
    if (looks_numeric(name)) return numeric_error(name);
    SLUICE_TRY(check_labels(name));
    if (name.size() > kMaxName)
        return Error::invalid("name " + in_quotes(name) + " has " + std::to_string(name.size()) +
                              " octets, at most 253 are possible");
    return DnsName{std::move(name)};
}

bool Wildcard::covers(const DnsName& name) const {
    return name.text.size() > below.text.size() + 1 && name.text.ends_with(below.text) &&
           name.text[name.text.size() - below.text.size() - 1] == '.';
}

}  // namespace sluice
