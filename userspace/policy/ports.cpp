#include "policy/ports.h"

#include <algorithm>

#include "policy/text.h"

namespace sluice {
namespace {

Result<std::uint16_t> parse_port(std::string_view text) {
    if (const auto port = parse_decimal(text, 65535); port && *port != 0)
        return static_cast<std::uint16_t>(*port);
    const auto kept = text.find_first_not_of('0');
    if (text.starts_with('0') && kept != text.npos) {
        if (const auto port = parse_decimal(text.substr(kept), 65535))
            return Error::invalid("port " + in_quotes(text) + " has a leading zero: write " +
                                  std::to_string(*port));
    }
    return Error::invalid("port " + in_quotes(text) + " is not a number from 1 to 65535");
}

Result<PortRange> parse_item(std::string_view item) {
    if (item == "*")
        return Error::invalid("\"*\" means all ports and stands alone: write *, or list the ports");
    const auto dash = item.find('-');
    if (dash == item.npos) {
        SLUICE_ASSIGN(const std::uint16_t port, parse_port(item));
        return PortRange{port, port};
    }
    SLUICE_ASSIGN(const std::uint16_t first, parse_port(item.substr(0, dash)));
    SLUICE_ASSIGN(const std::uint16_t last, parse_port(item.substr(dash + 1)));
    if (first > last)
        return Error::invalid("port range " + in_quotes(item) + " runs backwards: write " +
                              std::to_string(last) + "-" + std::to_string(first));
    return PortRange{first, last};
}

std::vector<PortRange> merged(std::vector<PortRange> ranges) {
    std::ranges::sort(ranges);
    std::vector<PortRange> out;
    for (const auto& range : ranges) {
        if (!out.empty() && range.first <= out.back().last + 1)
            out.back().last = std::max(out.back().last, range.last);
        else
            out.push_back(range);
    }
    return out;
}

}  // namespace

Result<PortSet> PortSet::parse(std::string_view text) {
    if (text.empty()) return Error::invalid("the port is missing: write one, as in 443");
    if (text.find_first_of(" \t") != text.npos)
        return Error::invalid("ports " + in_quotes(text) +
                              " contain blanks: write them as in 22,443");
    PortSet set;
    if (text == "*") {
        set.ranges_.push_back({1, 65535});
        return set;
    }
    for (bool more = true; more;) {
        const auto comma = text.find(',');
        more = comma != text.npos;
        SLUICE_ASSIGN(const PortRange range, parse_item(text.substr(0, comma)));
        set.ranges_.push_back(range);
        if (more) text.remove_prefix(comma + 1);
    }
    set.ranges_ = merged(std::move(set.ranges_));
    return set;
}

PortSet PortSet::single(std::uint16_t port) {
    PortSet set;
    if (port != 0) set.ranges_.push_back({port, port});
    return set;
}

bool PortSet::contains(std::uint16_t port) const {
    return std::ranges::any_of(
        ranges_, [port](const PortRange& r) { return port >= r.first && port <= r.last; });
}

std::string PortSet::to_string() const {
    if (ranges_.size() == 1 && ranges_[0] == PortRange{1, 65535}) return "*";
    std::string out;
    for (const auto& range : ranges_) {
        if (!out.empty()) out += ',';
        out += std::to_string(range.first);
        if (range.last != range.first) out += "-" + std::to_string(range.last);
    }
    return out;
}

}  // namespace sluice
