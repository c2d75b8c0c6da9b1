#pragma once
// Converts the parameters of the linear model of the dynamics to JSON, for `torsor eval` and
// `torsor identify`.

#include <nlohmann/json_fwd.hpp>

#include "torsor/identification/base_parameters.hpp"

namespace torsor::cli {

// Returns parameters, units, values, Y and a list of neglected effects, at q and v of a state and
// at vdot [n_v]. The rows of Y are in this order of degrees of freedom.
nlohmann::ordered_json regressor_json(const State& state, const std::vector<double>& vdot,
                                      const std::vector<int>& order);

// Returns rank, names, units, values, relations, parameters without effect, condition number, and
// the pivots that determine the rank.
nlohmann::ordered_json base_parameters_json(const BaseParameters& base);

}  // namespace torsor::cli
