#include "control/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::control {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> all(LineBuffer& lines) {
    std::vector<std::string> out;
    while (auto line = lines.next()) out.push_back(line->oversized ? "<oversized>" : line->text);
    return out;
}

TEST(LineBuffer, CutsAtNewlinesWhereverTheBytesWereSplit) {
    LineBuffer lines;
    lines.feed("one\ntw");
    EXPECT_EQ(all(lines), std::vector<std::string>{"one"});
    EXPECT_TRUE(lines.partial());
    lines.feed("o\n\nthree\n");
    EXPECT_EQ(all(lines), (std::vector<std::string>{"two", "", "three"}));
    EXPECT_FALSE(lines.partial());
}

TEST(LineBuffer, TakesALineOfExactlyTheLimit) {
    LineBuffer lines(4);
    lines.feed("1234\n12345\nab\n");
    EXPECT_EQ(all(lines), (std::vector<std::string>{"1234", "<oversized>", "ab"}));
}

TEST(LineBuffer, ReportsAnEndlessLineOnceAndGoesOnAfterIt) {
    LineBuffer lines(4);
    for (int i = 0; i < 100; ++i) lines.feed("xxxx");
    EXPECT_EQ(all(lines), std::vector<std::string>{"<oversized>"});
    lines.feed("xxxxxxxx");
    EXPECT_TRUE(all(lines).empty());
    lines.feed("x\nnext\n");
    EXPECT_EQ(all(lines), std::vector<std::string>{"next"});
}

TEST(LineBuffer, GivesBackWhatIsUnread) {
    LineBuffer lines;
    lines.feed("one\ntwo\nth");
    EXPECT_EQ(lines.next()->text, "one");
    EXPECT_EQ(lines.take_rest(), "two\nth");
    EXPECT_FALSE(lines.next());
}

TEST(Wire, ErrorsKeepTheirKindThereAndBack) {
    for (Errc code : {Errc::kFailed, Errc::kInvalid, Errc::kNotFound, Errc::kDenied,
                      Errc::kUnsupported, Errc::kLost}) {
        const auto line = encode_error(7, to_rpc(Error{code, 0, "what"}));
        const json answer = json::parse(line);
        EXPECT_EQ(answer["id"], 7);
        const Error back = from_rpc(answer["error"]);
        EXPECT_EQ(back.code, code);
        EXPECT_EQ(back.message, "what");
    }
}

TEST(Wire, TheHintEndsUpInTheMessage) {
    RpcError error{kSluiceError, "no", "inside_sandbox", "ask from outside"};
    const Error back = from_rpc(json::parse(encode_error(1, error))["error"]);
    EXPECT_EQ(back.message, "no; ask from outside");
    EXPECT_EQ(back.code, Errc::kDenied);
}

TEST(Wire, AnErrorOfAnyShapeIsAnError) {
    for (const char* text : {"null", "7", "{}", R"({"message":7,"data":[]})", R"({"data":"x"})"}) {
        EXPECT_THAT(from_rpc(json::parse(text)).message, HasSubstr("without a message")) << text;
    }
    EXPECT_EQ(from_rpc(json::parse(R"({"code":-32601,"message":"m"})")).code, Errc::kInvalid);
}

TEST(Wire, BytesThatAreNotUtf8DontThrow) {
    const auto line = encode_result(1, {{"comm", "a\xff\nb"}});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(json::parse(line)["result"]["comm"], "a\xef\xbf\xbd\nb");
}

}  // namespace
}  // namespace sluice::control
