// Tests of invalid trace tables: each error message names the flaw.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/plugin/trace_table.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor {
namespace {

torsor_status no_trace(const torsor_plugin*, const torsor_model*, const torsor_state*,
                       const double*, double*, double*) {
  return TORSOR_OK;
}

// A valid table: w is computed outward, F and tau inward.
struct Table {
  const char* of_w[3] = {"w_p", "v_i", nullptr};
  const char* of_F[3] = {"w_i", "F_c", nullptr};
  const char* of_tau[3] = {"F_i", "S_i", nullptr};
  torsor_trace_quantity out[1] = {
      {TORSOR_TRACE_ANGULAR_VELOCITY, 0, "w", "velocity", "w_i = w_p", "w_i = w_p", "", of_w}};
  torsor_trace_quantity in[2] = {
      {TORSOR_TRACE_WRENCH, 0, "F", "wrench", "F_i = F_c", "F = F", "", of_F},
      {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "torque", "tau = S F", "tau = S F", "", of_tau}};
  torsor_trace_pass passes[2] = {{"out", 0, 1, out}, {"in", 1, 2, in}};
  torsor_solver_trace table = {sizeof(torsor_solver_trace), 0, 2, passes, no_trace};
};

TEST(TraceTable, ErrorsNameTheFlaw) {
  EXPECT_EQ(trace_flaw(Table().table), "");
  const struct {
    std::function<void(Table&)> spoil;
    const char* flaw;
  } cases[] = {
      {[](Table& t) { t.table.trace = nullptr; }, "lacks trace"},
      {[](Table& t) { t.table.of_forward = 2; }, "is neither inverse nor forward"},
      {[](Table& t) { t.table.of_forward = 1; },
       "has a malformed pass 2: quantity 'tau' is defined twice"},
      {[](Table& t) { t.table.n_pass = 0; }, "has no passes, or too many"},
      {[](Table& t) { t.table.pass = nullptr; }, "has no passes, or too many"},
      {[](Table& t) { t.table.n_pass = 1; }, "has no quantity that is the tau"},
      {[](Table& t) { t.passes[0].name = nullptr; }, "has a malformed pass 1: it has no name"},
      {[](Table& t) { t.passes[1].inward = -1; },
       "has a malformed pass 2: it goes neither outward nor inward"},
      {[](Table& t) { t.passes[1].n_quantity = 1000; },
       "has a malformed pass 2: it has no quantities, or too many"},
      {[](Table& t) { t.in[0].source = nullptr; },
       "has a malformed pass 2: quantity 'F' lacks a text"},
      {[](Table& t) { t.in[0].symbol = "F_i"; },
       "has a malformed pass 2: quantity 'F_i' needs a symbol of letters and digits"},
      {[](Table& t) { t.in[0].symbol = "w"; },
       "has a malformed pass 2: quantity 'w' is defined twice"},
      {[](Table& t) { t.in[0].kind = -1; },
       "has a malformed pass 2: quantity 'F' has an unknown kind or axes"},
      {[](Table& t) { t.in[0].axes = 3; },
       "has a malformed pass 2: quantity 'F' has an unknown kind or axes"},
      {[](Table& t) { t.in[1].equation = "tau"; },
       "has a malformed pass 2: quantity 'tau' has no equation"},
      {[](Table& t) { t.in[1].inputs = nullptr; },
       "has a malformed pass 2: quantity 'tau' has no list of inputs"},
      {[](Table& t) { t.of_tau[0] = "F"; },
       "has a malformed pass 2: quantity 'tau' has the input 'F', which is neither given nor "
       "computed before"},
      {[](Table& t) { t.of_w[0] = "w_c"; },
       "has a malformed pass 1: quantity 'w' has the input 'w_c', which is neither given nor "
       "computed before"},
      {[](Table& t) { t.of_F[1] = "F_p"; },
       "has a malformed pass 2: quantity 'F' has the input 'F_p', which is neither given nor "
       "computed before"},
      {[](Table& t) { t.of_tau[0] = "F_s"; },
       "has a malformed pass 2: quantity 'tau' has the input 'F_s', which is neither given nor "
       "computed before"},
      {[](Table& t) { t.of_tau[0] = "F_q"; },
       "has a malformed pass 2: quantity 'tau' has the input 'F_q', which is neither given nor "
       "computed before"},
      {[](Table& t) { t.of_F[0] = "tau_i"; },
       "has a malformed pass 2: quantity 'F' has the input 'tau_i', which is neither given nor "
       "computed before"}};
  for (const auto& c : cases) {
    Table table;
    c.spoil(table);
    EXPECT_EQ(trace_flaw(table.table), c.flaw);
  }
}

// Sums over all carried bodies, or over all bodies, use quantities of earlier passes.
TEST(TraceTable, SumsUseEarlierPasses) {
  Table table;
  table.of_F[0] = "w_s";
  table.of_tau[1] = "w_a";
  EXPECT_EQ(trace_flaw(table.table), "");
}

TEST(TraceTable, CountsTheNumbersOfJacobiansAndRows) {
  torsor_model model{};
  model.n_body = 3;
  model.n_v = 4;
  Table table;
  const size_t others = TraceTable(table.table, model).size - 3 * 3;
  for (const auto& [kind, size] : {std::pair{TORSOR_TRACE_JACOBIAN, 3 * 4 * 6},
                                   {TORSOR_TRACE_JACOBIAN_RATE, 3 * 4 * 6},
                                   {TORSOR_TRACE_JOINT_INERTIA_ROW, 4 * 4},
                                   {TORSOR_TRACE_JOINT_CORIOLIS_ROW, 4 * 4},
                                   {TORSOR_TRACE_JOINT_SYMBOLS, 4 * 4 * 4}}) {
    table.out[0].kind = kind;
    EXPECT_EQ(trace_flaw(table.table), "");
    EXPECT_EQ(TraceTable(table.table, model).size, others + size_t(size)) << kind;
  }
}

TEST(TraceTable, OfANewerKindIsRejectedWhenItIsRead) {
  torsor_model model{};
  model.n_body = 3;
  model.n_v = 2;
  Table table;
  EXPECT_EQ(TraceTable(table.table, model).size, 3u * 3 + 3 * 6 + 2);
  table.in[0].kind = 99;
  EXPECT_EQ(trace_flaw(table.table), "");
  EXPECT_THROW(TraceTable(table.table, model), Error);
}

}  // namespace
}  // namespace torsor
