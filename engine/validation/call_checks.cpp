// Checks of the hot functions: results, memory accesses, allocations, threads and hidden state.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "torsor/validation/checks.hpp"
#include "torsor/validation/hot_call.hpp"

namespace torsor::validation {

namespace {

// Number of plugin objects to prepare. Each one gets another robot and other parameter values.
constexpr uint64_t prepared = 6;
constexpr size_t work_alignment = 64;

// The work area and the result arrays of a call.
class Room {
 public:
  Room(const HotCall& call, size_t work_doubles)
      : work_("work", work_doubles * sizeof(double), work_alignment) {
    for (const HotResult& result : call.results)
      results_.emplace_back(result.name, result.doubles * sizeof(double), result.alignment);
    for (GuardedArray& result : results_) pointers_.push_back(result.data());
  }

  // Fills all arrays with a value, then runs the call.
  torsor_status run(const HotCall& call, double filling) {
    const auto fill = [filling](const GuardedArray& array) {
      std::fill_n(array.data(), array.bytes() / sizeof(double), filling);
    };
    fill(work_);
    for (const GuardedArray& result : results_) fill(result);
    return call.call(work_.data(), pointers_);
  }
  std::vector<double> values() const {
    std::vector<double> out;
    for (const GuardedArray& result : results_)
      out.insert(out.end(), result.data(), result.data() + result.bytes() / sizeof(double));
    return out;
  }
  std::vector<const GuardedArray*> arrays() const {
    std::vector<const GuardedArray*> out{&work_};
    for (const GuardedArray& result : results_) out.push_back(&result);
    return out;
  }

 private:
  GuardedArray work_;
  std::vector<GuardedArray> results_;
  std::vector<double*> pointers_;
};

// Calls on_call(calls, k) for the k-th hot function of each prepared plugin. Skips robots for which
// the plugin rejects all parameter values. Throws Rejected if there is no other robot. Returns the
// number of calls of on_call.
template <class Function>
size_t on_calls(Trial& trial, Function on_call) {
  size_t count = 0;
  std::optional<Rejected> refusal;
  for (uint64_t number = 0; number < prepared; ++number) try {
      HotCalls calls(trial, number);
      const std::string where = trial.stage().get();
      for (size_t k = 0; k < calls.here().size(); ++k, ++count) {
        trial.stage().set(fmt::format("in {} {}", calls.here()[k].name, where));
        try {
          on_call(calls, k);
        } catch (const Failed& failure) {
          throw Failed(fmt::format("{} {} {}", calls.here()[k].name, failure.what(), where));
        }
      }
    } catch (const Rejected& why) {
      if (!refusal) refusal = why;
    }
  if (count == 0 && refusal) throw *refusal;
  return count;
}

// Runs a call. If it crashes with a forbidden access to an input or a result, the message names the
// array.
torsor_status run_watched(Trial& trial, const HotCalls& calls, const HotCall& call, Room& room) {
  std::vector<const GuardedArray*> arrays = calls.inputs();
  for (const GuardedArray* array : room.arrays()) arrays.push_back(array);
  const FaultWatch watch(trial.stage(), arrays);
  return room.run(call, 0);
}

// Returns true if a call returned a result. Returns false if a controller reports a singular
// configuration instead. Throws Failed for any other status.
bool is_answered(const HotCalls& calls, torsor_status status) {
  if (status == TORSOR_OK) return true;
  if (calls.uses_dynamics_service() && TORSOR_STATUS_CODE(status) == TORSOR_SINGULAR) return false;
  throw Failed("fails: " + calls.explain(status));
}

// Checks that the hot functions succeed at two states, each called twice, and return finite
// numbers.
std::string answers(Trial& trial) {
  size_t answered = 0;
  const size_t count = on_calls(trial, [&](const HotCalls& calls, size_t k) {
    for (const HotCall* call :
         {&calls.here()[k], &calls.here()[k], &calls.elsewhere()[k], &calls.elsewhere()[k]}) {
      Room room(*call, calls.work_doubles());
      if (!is_answered(calls, run_watched(trial, calls, *call, room))) continue;
      ++answered;
      size_t at = 0;
      const std::vector<double> values = room.values();
      for (const HotResult& result : call->results)
        for (size_t i = 0; i < result.doubles; ++i, ++at)
          if (!std::isfinite(values[at]))
            throw Failed(fmt::format("returns {}[{}] = {}", result.name, i, values[at]));
    }
  });
  if (answered == 0)
    throw Failed(fmt::format("none of {} calls of hot functions returned a result", 4 * count));
  return fmt::format("{} calls of hot functions return finite numbers", answered);
}

std::string same_bits(Trial& trial) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const size_t count = on_calls(trial, [&](const HotCalls& calls, size_t k) {
    const HotCall &call = calls.here()[k], &other = calls.elsewhere()[k];
    Room room(call, calls.work_doubles());
    std::vector<double> first;
    // Checks that equal arguments give the same bits. Calls the function twice in succession, then
    // twice after a call at another state. The initial content of the work area differs each time.
    for (const auto& [filling, after_other] :
         {std::pair{nan, false}, {0.0, false}, {1e300, true}, {-1.0, true}}) {
      Room elsewhere(other, calls.work_doubles());
      if (after_other) (void)is_answered(calls, elsewhere.run(other, 0));
      if (!is_answered(calls, room.run(call, filling))) return;
      const std::vector<double> values = room.values();
      if (first.empty()) first = values;
      for (size_t i = 0; i < values.size(); ++i)
        if (std::memcmp(&values[i], &first[i], sizeof(double)) != 0)
          throw Failed(
              fmt::format("returns {} and then {} for the same arguments: it keeps hidden state, "
                          "does not write a result, or reads its work area before it writes it;",
                          first[i], values[i]));
    }
  });
  return fmt::format(
      "{} calls return the same bits for any content of the work area and any earlier call", count);
}

// Evaluates two states on two threads at the same time. Runs long enough that the threads interrupt
// each other even on a single core.
std::string two_threads(Trial& trial) {
  const size_t count = on_calls(trial, [&](const HotCalls& calls, size_t k) {
    if (calls.uses_dynamics_service())
      throw NotApplicable("calls of a controller are never concurrent");
    const HotCall* both[] = {&calls.here()[k], &calls.elsewhere()[k]};
    std::atomic<int> ready{0}, differ{0};
    std::vector<std::thread> threads;
    std::vector<double> alone[2];
    for (const int side : {0, 1}) {
      Room room(*both[side], calls.work_doubles());
      (void)is_answered(calls, room.run(*both[side], 0));
      alone[side] = room.values();
    }
    for (const int side : {0, 1})
      threads.emplace_back([&, side] {
        Room room(*both[side], calls.work_doubles());
        for (++ready; ready < 2;) std::this_thread::yield();
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(4);
        while (std::chrono::steady_clock::now() < end) {
          const bool good = room.run(*both[side], 0) == TORSOR_OK;
          const std::vector<double> values = room.values();
          differ += !good || (!values.empty() && std::memcmp(values.data(), alone[side].data(),
                                                             sizeof(double) * values.size()) != 0);
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (differ > 0)
      throw Failed(
          "returns different results in two threads than in one: they share data that it writes;");
  });
  return fmt::format("{} calls return the same results in two threads as in one", count);
}

std::string no_allocation(Trial& trial) {
  if (trial.subject().is_script()) throw NotApplicable("functions in Lua allocate memory");
  if (!trial.subject().allocations.asked)
    throw NotApplicable("this build of torsor cannot count allocations");
  const auto asked = trial.subject().allocations.asked;
  const size_t count = on_calls(trial, [&](const HotCalls& calls, size_t k) {
    const HotCall& call = calls.here()[k];
    Room room(call, calls.work_doubles());
    for (int time = 0; time < 2; ++time) {
      const long before = asked();
      const torsor_status status = room.run(call, 0);
      if (const long blocks = asked() - before; blocks > 0)
        throw Failed(fmt::format("allocates {} blocks of memory;", blocks));
      (void)is_answered(calls, status);
    }
  });
  return fmt::format("{} calls allocate nothing", count);
}

std::string memory(Trial& trial) {
  const size_t count = on_calls(trial, [&](const HotCalls& calls, size_t k) {
    const HotCall& call = calls.here()[k];
    Room room(call, calls.work_doubles());
    (void)is_answered(calls, run_watched(trial, calls, call, room));
    for (const GuardedArray* array : room.arrays())
      if (!array->is_pattern_intact())
        throw Failed(fmt::format("writes beyond the end of '{}' ({} bytes);", array->name(),
                                 array->bytes()));
  });
  return fmt::format("{} calls stay within their arrays and do not write to their inputs", count);
}

}  // namespace

Check answers_check() {
  return {"answers", "file", answers};
}

Checks call_checks() {
  return {{"memory", "calls", memory},
          {"same bits", "calls", same_bits},
          {"two threads", "calls", two_threads},
          {"no allocation", "calls", no_allocation}};
}

}  // namespace torsor::validation
