// The rule grammar: any bytes are a rule whose canonical text parses back, or an error that prints.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "policy/rule.h"
#include "require.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = Endpoint::parse(text);
    if (!parsed) {
        const std::string& message = parsed.error().message;
        fuzz::require(!message.empty() && message.size() < 4096);
        fuzz::require(std::ranges::none_of(
            message, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
        return 0;
    }
    const std::string canonical = parsed->to_string();
    const auto again = Endpoint::parse(canonical);
    fuzz::require(again && *again == *parsed && again->to_string() == canonical);
    fuzz::require(!parsed->ports.empty() && !parsed->ports.contains(0));
    if (const auto* prefix = std::get_if<IpPrefix>(&parsed->host))
        fuzz::require(
            prefix->contains(prefix->base) &&
            (!prefix->is_single() || canonical_destination(prefix->base) == prefix->base));
    return 0;
}
