// A connection's bytes: every message gets one answer, a line of JSON that the client's side reads.
#include <cstdint>
#include <string>

#include "control/session.h"
#include "require.h"

using namespace sluice;
using nlohmann::json;

namespace {

const control::Dispatcher& methods() {
    static const control::Dispatcher made = [] {
        using control::Type;
        control::Dispatcher table;
        table.add({"echo",
                   {{"text", Type::kText, false},
                    {"count", Type::kCount, false},
                    {"flag", Type::kFlag, false},
                    {"texts", Type::kTexts, false},
                    {"object", Type::kObject, false}},
                   [](control::Call& call) -> Result<json> { return call.params; }});
        table.add({"fail", {}, [](control::Call&) -> Result<json> {
                       return Error::invalid("as asked");
                   }});
        table.add_later("later", "not yet");
        return table;
    }();
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    control::Session session(
        methods(), {.pid = 1, .uid = 1000},
        {[](pid_t) -> Result<std::string> { return std::string("/"); }, "/sluice/"});
    control::Received received;
    received.bytes.assign(reinterpret_cast<const char*>(data), size);
    received.bytes += '\n';
    session.take(std::move(received));
    std::size_t answers = 0;
    while (const auto line = session.next_answer()) {
        ++answers;
        fuzz::require(line->find('\n') == std::string::npos);
        fuzz::require(!control::nested_too_deep(*line));
        const json answer = json::parse(*line, nullptr, false);
        fuzz::require(answer.is_object() && answer.contains("result") != answer.contains("error"));
        if (answer.contains("error"))
            fuzz::require(!control::from_rpc(answer["error"]).message.empty());
    }
    fuzz::require(answers > 0);
    return 0;
}
