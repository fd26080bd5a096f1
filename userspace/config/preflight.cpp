#include "config/preflight.h"

namespace sluice::config {
namespace {

constexpr unsigned kMaxDots = 32;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_ascii(char c) {
    return (c & 0x80) == 0;
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {
        if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    }

    std::optional<Refusal> scan() {
        while (at_ < text_.size() && why_.empty()) step();
        if (why_.empty()) return std::nullopt;
        return Refusal{line_, why_};
    }

  private:
    void step() {
        const char c = text_[at_++];
        if (c == '\n') ++line_;
        if (c == '"' || c == '\'') return string(c);
        if (c == '#') return comment();
        if (c == '.' && ++dots_ > kMaxDots) why_ = "a key with more than 32 dots";
        if (!is_ascii(c)) why_ = "a character outside ASCII: write it in quotes";
        if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}')
            dots_ = 0;
    }

    void comment() {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }

    [[nodiscard]] bool starts(std::string_view what) const {
        return text_.substr(at_).starts_with(what);
    }

    void string(char quote) {
        const char two[] = {quote, quote}, three[] = {quote, quote, quote};
        if (starts({two, 2})) {
            at_ += 2;
            return multi_line(quote, {three, 3});
        }
        while (at_ < text_.size() && text_[at_] != '\n') {
            const char c = text_[at_++];
            if (c == '\\' && quote == '"' && at_ < text_.size() && text_[at_] != '\n') ++at_;
            if (c == quote) return;
        }
    }

    // Up to two quotes more than the closing three belong to the text.
    void multi_line(char quote, std::string_view end) {
        while (at_ < text_.size() && !starts(end) && why_.empty()) {
            const char c = text_[at_++];
            if (c == '\n') ++line_;
            if (c == '\\' && quote == '"') escape();
        }
        if (!why_.empty() || at_ >= text_.size()) return;
        at_ += end.size();
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
    }

    // Of a multi-line string: of one character, or of the line's end and the blanks that follow.
    void escape() {
        if (at_ >= text_.size()) return;
        if (is_ascii(text_[at_]) && !is_blank(text_[at_])) {
            ++at_;
            return;
        }
        for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
            if (text_[at_] == '\n') ++line_;
        if (at_ < text_.size() && !is_ascii(text_[at_]))
            why_ = "a character outside ASCII right after a backslash: write both lines as one";
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    unsigned dots_ = 0;
    std::string_view why_;
};

}  // namespace

std::optional<Refusal> preflight(std::string_view text) {
    return Scanner(text).scan();
}

}  // namespace sluice::config
