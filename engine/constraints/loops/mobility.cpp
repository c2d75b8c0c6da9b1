#include "torsor/constraints/loops/mobility.hpp"

#include "torsor/base/linear_algebra.hpp"
#include "torsor/constraints/independent_rows.hpp"
#include "torsor/constraints/loops/constraint_rows.hpp"

namespace torsor {

int mobility(const State& state) {
  ConstraintRows rows(state.model());
  rows.evaluate(state);
  if (rows.size() == 0) return state.model().n_v;
  Eigen::MatrixXd J = rows.jacobian();
  for (Eigen::Index r = 0; r < J.rows(); ++r)
    if (const double length = J.row(r).norm(); length > 0) J.row(r) /= length;
  return state.model().n_v - int((singular_values(J).array() > least_independent_part).count());
}

}  // namespace torsor
