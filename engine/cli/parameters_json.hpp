#pragma once
// What a robot's dynamics is linear in, as JSON: for `torsor eval` and `torsor identify`.

#include <nlohmann/json.hpp>

#include "torsor/dynamics/base_parameters.hpp"

namespace torsor::cli {

// parameters, units, values, Y and what is left_out, at the q and v of a state and at vdot [n_v]; rows of Y in this order of columns.
nlohmann::ordered_json regressor_json(const State& state, const std::vector<double>& vdot,
                                      const std::vector<int>& order);

// rank, names, units, values, relations, without_effect, condition, and where the rank comes from.
nlohmann::ordered_json base_parameters_json(const BaseParameters& base);

}  // namespace torsor::cli
