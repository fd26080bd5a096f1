// The wire of the control socket: JSON-RPC 2.0, one message a line, and how our errors travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice::control {

inline constexpr int kProtocol = 1;
// Of a message to the agent. Answers may be longer (a list of many rules); see Client.
inline constexpr std::size_t kMaxMessage = std::size_t{1} << 20;

// Of arrays and objects in a message or an answer. The JSON library copies and prints recursively:
// deeper text would end the process that reads it.
inline constexpr std::size_t kMaxDepth = 32;
bool nested_too_deep(std::string_view text);  // to be asked before parsing

// JSON-RPC's own error numbers, and ours.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kSluiceError = -32000;

// Cuts a byte stream into lines. A line beyond the limit is reported once, as soon as it is known,
// and skipped up to its newline, so that the next message is read as if nothing had happened.
class LineBuffer {
  public:
    struct Line {
        std::string text;  // without the newline; empty when oversized
        bool oversized = false;
    };
    explicit LineBuffer(std::size_t limit = kMaxMessage) : limit_(limit) {}

    void feed(std::string_view bytes) { buffer_ += bytes; }
    std::optional<Line> next();
    // What was fed and not returned yet.
    std::string take_rest();
    // Bytes of an unfinished line are waiting (or being skipped).
    [[nodiscard]] bool partial() const { return skipping_ || !buffer_.empty(); }

  private:
    std::size_t limit_;
    std::string buffer_;
    std::size_t searched_ = 0;  // no newline before this
    bool skipping_ = false;
};

struct RpcError {
    int code = kSluiceError;
    std::string message;
    std::string kind;  // "failed", "invalid", ...; see docs/protocol.md
    std::string hint;  // what to do; may be empty
};

// Single lines without the newline. Bytes that are not UTF-8 become U+FFFD.
std::string encode_request(std::int64_t id, const std::string& method,
                           const nlohmann::json& params);
std::string encode_result(const nlohmann::json& id, nlohmann::json result);
std::string encode_error(const nlohmann::json& id, const RpcError& error);

std::string_view kind_of(Errc code);
RpcError to_rpc(const Error& error);
// From the `error` member of an answer, whatever its shape; the hint goes into the message.
Error from_rpc(const nlohmann::json& error);

}  // namespace sluice::control
