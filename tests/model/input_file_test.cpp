#include "torsor/model/input_file.hpp"

#include <gtest/gtest.h>

namespace torsor {
namespace {

TEST(InputFile, WhatIsNoRegularFileIsNamed) {
  EXPECT_EQ(why_no_file("/proc/self/exe"), "") << "a link to the program";
  EXPECT_EQ(why_no_file("/"), "this is a folder");
  EXPECT_EQ(why_no_file("/dev/null"), "this is not a regular file");
  EXPECT_EQ(why_no_file("/nowhere/a.lua"), "there is no such file");
  EXPECT_EQ(why_no_file("/proc/self/exe/a.lua"), "there is no such file");
  EXPECT_EQ(why_no_file(""), "there is no such file");
  EXPECT_EQ(why_no_file(std::string(5000, 'x')), "it cannot be read: File name too long");
}

}  // namespace
}  // namespace torsor
