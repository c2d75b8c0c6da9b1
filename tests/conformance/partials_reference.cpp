#include "conformance/partials_reference.hpp"

#include <limits>

namespace torsor::test {

void expect_partials(Solver& solver, const State& state, const ColumnOrder& order,
                     const Json& sample) {
  if (!sample.contains("dtau_dq")) return;
  const Eigen::Index n = order.column.size();
  const Vector a = order.columns(sample["a"]), tau = order.columns(sample["tau"]);
  Matrix dq(n, n), dv(n, n), dtau(n, n);
  ASSERT_TRUE(solver.inverse_partials(state, a.data(), {dq.data(), dv.data()}));
  EXPECT_TRUE(agree(dq, order.square(sample["dtau_dq"])));
  EXPECT_TRUE(agree(dv, order.square(sample["dtau_dv"])));
  if (!sample.contains("dqdd_dq") || sample["dqdd_dq"].is_null()) return;
  ASSERT_TRUE(solver.forward_partials(state, tau.data(), {dq.data(), dv.data(), dtau.data()}));
  const double softened =
      10 * condition(order.square(sample["M"])) * std::numeric_limits<double>::epsilon();
  const Matrix theirs_q = order.square(sample["dqdd_dq"]),
               theirs_v = order.square(sample["dqdd_dv"]);
  EXPECT_TRUE(close(dq, theirs_q, theirs_q.norm(), std::max(agreement, softened)));
  EXPECT_TRUE(close(dv, theirs_v, theirs_v.norm(), std::max(agreement, softened)));
}

}  // namespace torsor::test
