#pragma once
// The speed of arithmetic and of the first cache of this machine, measured.

#include "bench/operations/counted.hpp"

namespace torsor::bench {

struct Machine {
  int lanes;  // of the widest register
  // The times between dependent operations, in ns.
  Latencies latency;
  // Numbers per ns, with all lanes of independent registers: fused multiply-adds, quotients, and
  // numbers of the first cache that are loaded or stored.
  double multiply_adds, divisions, loads, stores;
};

// Takes about 0.1 s.
Machine measure_machine();

}  // namespace torsor::bench
