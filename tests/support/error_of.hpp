#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <string>

#include "torsor/base/error.hpp"

namespace torsor::test {

// Returns the message of the Error that a call throws. Checks that there is an Error and that it
// has one line.
template <std::invocable Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), message.npos) << message;
    return message;
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace torsor::test
