// Sobol's sequence from Boost.

#include <fmt/format.h>

#include <boost/random/sobol.hpp>

#include "torsor/base/error.hpp"
#include "torsor/study/sampling/design.hpp"

namespace torsor {

struct SobolSequence::Engine {
  boost::random::sobol sequence;
};

SobolSequence::SobolSequence(size_t dimensions) {
  constexpr size_t most = boost::random::default_sobol_table::max_dimension;
  if (dimensions > most)
    throw Error(fmt::format("the design sobol has at most {} parameters, not {}; use another one",
                            most, dimensions));
  engine_ = std::make_unique<Engine>(Engine{boost::random::sobol(std::max(dimensions, size_t(1)))});
}

SobolSequence::~SobolSequence() = default;

void SobolSequence::point(uint64_t k, std::span<uint64_t> x) const {
  boost::random::sobol at = engine_->sequence;  // a copy, so that threads can share the sequence
  at.seed(k);
  for (uint64_t& each : x) each = at();
}

}  // namespace torsor
