#include "control/wire.h"

#include <array>
#include <utility>

namespace sluice::control {

using nlohmann::json;

namespace {

constexpr std::array<std::pair<Errc, std::string_view>, 6> kKinds{{
    {Errc::kFailed, "failed"},
    {Errc::kInvalid, "invalid"},
    {Errc::kNotFound, "not_found"},
    {Errc::kDenied, "denied"},
    {Errc::kUnsupported, "unsupported"},
    {Errc::kLost, "lost"},
}};

std::string dump(const json& message) {
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_at(const json& object, const char* key) {
    if (!object.is_object()) return {};
    auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

Errc code_of(std::string_view kind, int number) {
    for (const auto& [code, name] : kKinds) {
        if (name == kind) return code;
    }
    if (kind == "inside_sandbox") return Errc::kDenied;
    return number == kSluiceError ? Errc::kFailed : Errc::kInvalid;
}

}  // namespace

// Agrees with the parser up to the first error, where that stops.
bool nested_too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxDepth) return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

std::optional<LineBuffer::Line> LineBuffer::next() {
    for (;;) {
        const auto end = buffer_.find('\n', searched_);
        if (end == std::string::npos) {
            searched_ = buffer_.size();
            if (skipping_) {
                buffer_.clear();
                searched_ = 0;
                return std::nullopt;
            }
            if (buffer_.size() <= limit_) return std::nullopt;
            skipping_ = true;
            return Line{{}, true};
        }
        std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        if (std::exchange(skipping_, false)) continue;
        if (text.size() > limit_) return Line{{}, true};
        return Line{std::move(text), false};
    }
}

std::string LineBuffer::take_rest() {
    searched_ = 0;
    return std::exchange(buffer_, {});
}

std::string encode_request(std::int64_t id, const std::string& method, const json& params) {
    return dump({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string encode_result(const json& id, json result) {
    json answer{{"jsonrpc", "2.0"}, {"id", id}};
    answer["result"] = std::move(result);
    return dump(answer);
}

std::string encode_error(const json& id, const RpcError& error) {
    return dump({{"jsonrpc", "2.0"},
                 {"id", id},
                 {"error",
                  {{"code", error.code},
                   {"message", error.message},
                   {"data", {{"kind", error.kind}, {"hint", error.hint}}}}}});
}

std::string_view kind_of(Errc code) {
    for (const auto& [known, name] : kKinds) {
        if (known == code) return name;
    }
    return "failed";
}

RpcError to_rpc(const Error& error) {
    return {kSluiceError, error.message, std::string(kind_of(error.code)), {}};
}

Error from_rpc(const json& error) {
    std::string message = text_at(error, "message");
    if (message.empty()) message = "the agent answered an error without a message";
    const json data = error.is_object() && error.contains("data") ? error["data"] : json();
    if (const auto hint = text_at(data, "hint"); !hint.empty()) message += "; " + hint;
    int number = kSluiceError;
    if (error.is_object() && error.contains("code") && error["code"].is_number_integer()) {
        number = error["code"].get<int>();
    }
    return {code_of(text_at(data, "kind"), number), 0, std::move(message)};
}

}  // namespace sluice::control
