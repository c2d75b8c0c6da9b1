#pragma once
// The operations of the kernels of the solvers, and the times below which a machine cannot compute
// them.

#include <span>

#include "bench/operations/counted.hpp"
#include "bench/operations/machine.hpp"
#include "bench/subject.hpp"

namespace torsor::bench {

// The operations of one evaluation for one state, from the poses X_PB on. Sines and cosines belong
// to the kinematics, and are not included.
struct Operations {
  Work work;
  const char* solver;  // whose kernel computes it, without "solver."
  long long products, sums, divisions;
  long long fusable;  // sums of which a term is a product
  double path;        // length of the longest chain of dependent operations
  // Numbers that must be read and written at least once: of the model (inertias and armatures), of
  // the state and its inputs, and of the result.
  size_t model_numbers, state_numbers, result_numbers;
};

// Returns the quantities whose operations are counted.
std::vector<Work> counted_works();

// Counts the operations of each kernel that is a template on the scalar.
std::vector<Operations> count_operations(const Model& model, const Latencies& latencies = {});

// Lower bounds of the time of one state, in ns.
struct Bounds {
  double path;        // the longest chain of dependent operations, at the latencies of the machine
  double throughput;  // arithmetic, loads and stores of full registers, at the rates of the machine
  // The bound of a state alone. That of one in a batch is `throughput`.
  double one() const { return std::max(path, throughput); }
};
// operations: counted with latencies(machine).
Bounds bounds(const Operations& operations, const Machine& machine);

}  // namespace torsor::bench
