// One DNS answer: the addresses that belong to the name that was asked. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/address.h"

namespace sluice::resolve {

enum class RecordType : std::uint16_t { kA = 1, kAaaa = 28 };

// A chain longer than this is a mistake or an attack; resolvers stop at 8 to 16.
inline constexpr std::size_t kMaxChain = 16;

// The names of a CNAME chain so far, in canonical text, and the least TTL among its records.
struct Chain {
    std::set<std::string> names;
    std::chrono::seconds ttl = std::chrono::seconds::max();
};

struct Answer {
    std::vector<IpAddress> addresses;
    Chain chain;
    // Where the chain ends without a word about addresses: this name has to be asked next. Empty
    // when the answer is complete (also: "there is no such record").
    std::string ask_next;
};

// Walks the chain that starts at `name` through the answer section and takes the addresses at its
// end; records of any other name are nobody's business here, whoever sent them. `so_far` is the
// chain of earlier answers. Fails on a malformed packet, a loop and a chain beyond kMaxChain.
Result<Answer> parse_answer(std::span<const std::uint8_t> packet, const std::string& name,
                            RecordType type, Chain so_far);

}  // namespace sluice::resolve
