#include "bench/operations/machine.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "torsor/spatial/pack.hpp"

namespace torsor::bench {

namespace {

// A plain vector type: this file is compiled with contraction of products and sums, so it must not
// contain inline functions of other files.
constexpr int lanes = native_lanes;
using Register = VectorOf<lanes>::Type;
constexpr int rounds = 2000, attempts = 40;
// Independent chains: more than latency times throughput of a processor, and fewer than its
// registers.
constexpr int chains = 12;

// Returns the shortest time of run() in ns, over some attempts.
template <class Run>
double shortest(Run run) {
  double best = 1e300;
  for (int k = 0; k < attempts; ++k) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// Returns the time of step(x) in ns if each step depends on the one before.
template <class Step>
double latency(Step step) {
  double x = 1;
  benchmark::DoNotOptimize(x);
  const double ns = shortest([&] {
    for (int k = 0; k < rounds; ++k) x = step(x);
    benchmark::DoNotOptimize(x);
  });
  return ns / rounds;
}

// Returns the numbers per ns of step(x) in independent chains of registers.
template <class Step>
double rate(Step step) {
  Register x[chains];
  for (Register& each : x) each = Register{} + 1;
  const double ns = shortest([&] {
    Register now[chains];
    for (int c = 0; c < chains; ++c) now[c] = x[c];
    for (int k = 0; k < rounds; ++k) {
#pragma GCC unroll 16
      for (int c = 0; c < chains; ++c) now[c] = step(now[c]);
    }
    for (int c = 0; c < chains; ++c) x[c] = now[c];
    benchmark::DoNotOptimize(x);
  });
  return double(rounds) * chains * lanes / ns;
}

// 8 kB: a quarter of the first cache of most processors.
constexpr size_t n_registers = 8192 / sizeof(Register);
struct Buffer {
  alignas(64) Register registers[n_registers];
};

double load_rate() {
  Buffer buffer;
  for (Register& each : buffer.registers) each = Register{} + 1;
  const double ns = shortest([&] {
    for (int k = 0; k < rounds / 16; ++k) {
      benchmark::DoNotOptimize(buffer);
#pragma GCC unroll 8
      for (const Register& each : buffer.registers) {
        const Register loaded = each;
        asm volatile("" : : "v"(loaded));  // keeps the load
      }
    }
  });
  return double(rounds / 16) * n_registers * lanes / ns;
}

double store_rate() {
  Buffer buffer;
  const Register one = Register{} + 1;
  const double ns = shortest([&] {
    for (int k = 0; k < rounds / 16; ++k) {
#pragma GCC unroll 8
      for (Register& each : buffer.registers) each = one;
      benchmark::DoNotOptimize(buffer);
    }
  });
  return double(rounds / 16) * n_registers * lanes / ns;
}

}  // namespace

Machine measure_machine() {
  double half = 0.5;
  benchmark::DoNotOptimize(half);
  const Register halves = Register{} + half;
  Machine out;
  out.lanes = lanes;
  out.latency.multiply_add = latency([&](double x) { return x * half + half; });
  out.latency.division = latency([&](double x) { return half / x; });
  out.multiply_adds = rate([&](const Register& x) { return x * halves + halves; });
  out.divisions = rate([&](const Register& x) { return halves / x; });
  out.loads = load_rate();
  out.stores = store_rate();
  return out;
}

}  // namespace torsor::bench
