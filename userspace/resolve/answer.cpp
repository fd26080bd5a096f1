#include "resolve/answer.h"

#include <ldns/ldns.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace sluice::resolve {

namespace {

using Packet = std::unique_ptr<ldns_pkt, decltype(&ldns_pkt_free)>;

struct Address {
    IpAddress ip;
    std::chrono::seconds ttl;
};

struct Alias {
    std::string target;
    std::chrono::seconds ttl;
};

struct Records {
    std::map<std::string, Alias> aliases;
    std::multimap<std::string, Address> addresses;
};

// Lower case, without the trailing dot; what is not plain text is escaped by ldns.
std::string name_text(const ldns_rdf* name) {
    const std::unique_ptr<char, decltype(&std::free)> raw(ldns_rdf2str(name), &std::free);
    std::string text = raw ? raw.get() : "";
    if (text.ends_with('.')) text.pop_back();
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

IpAddress address_of(const ldns_rdf* data) {
    const auto* bytes = ldns_rdf_data(data);
    if (ldns_rdf_size(data) == 16) return IpAddress::from_v6_bytes(bytes);
    return IpAddress::v4(std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                         std::uint32_t{bytes[2]} << 8 | bytes[3]);
}

// RFC 2181, 8: a TTL with the top bit set counts as zero.
std::chrono::seconds ttl_of(const ldns_rr* rr) {
    const auto ttl = ldns_rr_ttl(rr);
    return std::chrono::seconds(ttl > 0x7fffffffU ? 0 : ttl);
}

Records sort_out(const ldns_pkt* packet, RecordType type) {
    const auto wanted = type == RecordType::kA ? LDNS_RR_TYPE_A : LDNS_RR_TYPE_AAAA;
    const std::size_t length = type == RecordType::kA ? 4 : 16;
    Records records;
    const auto* section = ldns_pkt_answer(packet);
    for (std::size_t i = 0; i < ldns_rr_list_rr_count(section); ++i) {
        const auto* rr = ldns_rr_list_rr(section, i);
        const auto* data = ldns_rr_rdf(rr, 0);
        if (ldns_rr_get_class(rr) != LDNS_RR_CLASS_IN || data == nullptr) continue;
        const auto owner = name_text(ldns_rr_owner(rr));
        if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_CNAME) {
            records.aliases.emplace(owner, Alias{name_text(data), ttl_of(rr)});
        } else if (ldns_rr_get_type(rr) == wanted && ldns_rdf_size(data) == length) {
            records.addresses.emplace(owner, Address{address_of(data), ttl_of(rr)});
        }
    }
    return records;
}

// An SOA there says: this is all there is (RFC 2308).
bool says_no_data(const ldns_pkt* packet) {
    const auto* section = ldns_pkt_authority(packet);
    for (std::size_t i = 0; i < ldns_rr_list_rr_count(section); ++i) {
        if (ldns_rr_get_type(ldns_rr_list_rr(section, i)) == LDNS_RR_TYPE_SOA) return true;
    }
    return false;
}

// Follows the aliases from `name`; the name at their end.
Result<std::string> follow(const Records& records, std::string name, Chain& chain) {
    chain.names.insert(name);
    while (!records.addresses.contains(name)) {
        const auto alias = records.aliases.find(name);
        if (alias == records.aliases.end()) break;
        name = alias->second.target;
        chain.ttl = std::min(chain.ttl, alias->second.ttl);
        if (!chain.names.insert(name).second) {
            return Error::failed("the CNAME chain loops at '" + name + "'");
        }
        if (chain.names.size() > kMaxChain) {
            return Error::failed("the CNAME chain is longer than " + std::to_string(kMaxChain));
        }
    }
    return name;
}

}  // namespace

Result<Answer> parse_answer(std::span<const std::uint8_t> bytes, const std::string& name,
                            RecordType type, Chain so_far) {
    ldns_pkt* raw = nullptr;
    if (ldns_wire2pkt(&raw, bytes.data(), bytes.size()) != LDNS_STATUS_OK) {
        return Error::failed("the server's answer is malformed");
    }
    const Packet packet(raw, &ldns_pkt_free);
    const auto records = sort_out(packet.get(), type);
    Answer answer{.addresses = {}, .chain = std::move(so_far), .ask_next = {}};
    SLUICE_ASSIGN(const std::string last, follow(records, name, answer.chain));
    const auto [begin, end] = records.addresses.equal_range(last);
    for (auto it = begin; it != end; ++it) {
        answer.addresses.push_back(it->second.ip);
        answer.chain.ttl = std::min(answer.chain.ttl, it->second.ttl);
    }
    if (answer.addresses.empty() && last != name && !says_no_data(packet.get())) {
        answer.ask_next = last;
    }
    return answer;
}

}  // namespace sluice::resolve
