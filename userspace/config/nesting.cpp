#include "config/nesting.h"

namespace sluice::config {
namespace {

constexpr unsigned kMaxDots = 32;

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::uint32_t scan() {
        while (at_ < text_.size()) {
            step();
            if (dots_ > kMaxDots) return line_;
        }
        return 0;
    }

  private:
    void step() {
        const char c = text_[at_++];
        if (c == '\n') ++line_;
        if (c == '"' || c == '\'') return string(c);
        if (c == '#') return comment();
        if (c == '.') ++dots_;
        if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}')
            dots_ = 0;
    }

    void comment() {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }

    bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

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
        for (; at_ < text_.size() && !starts(end); ++at_) {
            if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) ++at_;
            if (text_[at_] == '\n') ++line_;
        }
        at_ += end.size();
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    unsigned dots_ = 0;
};

}  // namespace

std::uint32_t too_deep_line(std::string_view text) {
    return Scanner(text).scan();
}

}  // namespace sluice::config
