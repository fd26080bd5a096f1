#include "base/escape.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Printable, PlainTextAndUtf8StayAsTheyAre) {
    EXPECT_EQ(printable("npm run build_1"), "npm run build_1");
    EXPECT_EQ(printable("b\xc3\xbc"
                        "cher \xe2\x82\xac \xf0\x9f\x98\x80"),
              "b\xc3\xbc"
              "cher \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, OneLineWithoutControls) {
    EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
    EXPECT_EQ(printable(std::string_view("\x1b[2J\0\x7f", 6)), "\\x1b[2J\\x00\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\u{9b}31m")
        << "a C1 control starts sequences too";
}

TEST(Printable, DifferentInputsLookDifferent) {
    EXPECT_EQ(printable("\\x1b"), "\\\\x1b");
    EXPECT_EQ(printable("\\n"), "\\\\n");
}

TEST(Printable, WhatHidesOrReordersShows) {
    EXPECT_EQ(printable("a\xe2\x80\xaeltr"), "a\\u{202e}ltr");
    EXPECT_EQ(printable("git\xe2\x80\x8bhub"), "git\\u{200b}hub");
    EXPECT_EQ(printable("\xef\xbb\xbf"), "\\u{feff}");
}

TEST(Printable, InvalidUtf8ByteByByte) {
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80") << "overlong";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
}

}  // namespace
}  // namespace sluice
