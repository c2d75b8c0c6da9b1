#pragma once
// Functions that wait for conditions. Only this file of the tests sleeps.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace torsor::test {

// Calls `condition` at intervals until it returns true. Fails after a minute.
template <class Condition>
testing::AssertionResult eventually(
    const Condition& condition, std::chrono::microseconds interval = std::chrono::milliseconds(1)) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return testing::AssertionFailure() << "waited for a minute in vain";
    std::this_thread::sleep_for(interval);
  }
  return testing::AssertionSuccess();
}

// Returns the processor time of a running thread in seconds.
inline double processor_time(pthread_t thread) {
  clockid_t clock;
  timespec time{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// Waits until `thread` has used the processor for the given number of seconds more, so that it is
// in the middle of its work.
inline testing::AssertionResult eventually_computes(pthread_t thread, double seconds) {
  const double start = processor_time(thread);
  return eventually([&] { return processor_time(thread) - start >= seconds; });
}

}  // namespace torsor::test
