// Checks that each broken plugin fails at the expected line of the report. If it has a single
// fault, all other lines must pass.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/allocation_counter.hpp"
#include "support/sanitized.hpp"
#include "torsor/validation/validator.hpp"
#include "validation/shipped_plugins.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using namespace validation;

Subject subject(const std::string& file) {
  Subject out{.file = file, .load_script = {}, .shipped = shipped_plugins()};
  if (can_count_allocations()) out.allocations = {allocations, live_allocations};
  return out;
}
const std::string broken = TEST_PLUGINS "/broken.so", broken_laws = TEST_PLUGINS "/broken_laws.so";

PluginReport report_of(const std::string& id, const Options& options,
                       const std::string& file = broken) {
  Options only_it = options;
  only_it.plugin = id;
  const Report report = validate(subject(file), only_it);
  EXPECT_EQ(report.plugins.size(), 1u);
  return report.plugins.at(0);
}
const Line& line(const PluginReport& report, const std::string& check) {
  const auto found = std::ranges::find(report.lines, check, &Line::check);
  if (found == report.lines.end()) throw std::runtime_error("no line '" + check + "'");
  return *found;
}

struct Case {
  const char *id, *check, *text;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.id;
}
class Broken : public testing::TestWithParam<Case> {};
TEST_P(Broken, IsFoundAtItsLine) {
  const auto& [id, check, text] = GetParam();
  if (std::string_view(check) == "no allocation" || std::string_view(check) == "lifetime")
    TORSOR_NEEDS_ALLOCATION_COUNTS();
  if (std::string_view(id) == "segfaults" || std::string_view(id) == "takes_everything")
    TORSOR_NEEDS_OWN_FAULT_REPORTS();
  const Line found = line(report_of(id, {.only = check, .time_limit = 3}), check);
  EXPECT_EQ(found.outcome, Outcome::failed);
  EXPECT_THAT(found.text, HasSubstr(text));
  EXPECT_EQ(found.text.find('\n'), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(
    , Broken,
    testing::Values(
        Case{"coriolis_sign", "velocity terms", "tau of the velocity terms alone is off by"},
        Case{"coriolis_sign", "Mdot - 2C is skew", "differ by"},
        Case{"wrong_trace", "trace",
             "the result of its trace differs from that of inverse_dynamics by"},
        Case{"no_wrenches", "wrenches", "tau of the wrenches alone is off by"},
        Case{"no_wrenches", "power balance", "seed"},
        Case{"no_rotors", "rotors", "tau of the rotors alone is off by"},
        Case{"double_gravity", "gravity is a gradient", "in the field (0, 0, -9.81), entry 1 of g"},
        Case{"still_world", "moving base", "tau of the moving base alone is off by"},
        Case{"no_prismatic", "prismatic joints", "is off by"},
        Case{"asymmetric_m", "symmetric positive M", "M is not symmetric"},
        Case{"never_singular", "singular mass matrix", "it must return TORSOR_SINGULAR"},
        Case{"hidden_state", "same bits", "it keeps hidden state"},
        Case{"shared_scratch", "two threads", "they share data that it writes"},
        Case{"leak", "lifetime", "prepared, leave 50 blocks of memory behind"},
        Case{"leaves_open", "lifetime", "prepared, leave 50 open file descriptors behind"},
        Case{"takes_everything", "answers", "out of memory"},
        Case{"past_work", "memory", "writes beyond the end of 'work'"},
        Case{"past_result", "answers", "it accesses memory beyond the end of 'tau'"},
        Case{"writes_input", "answers", "it writes to, or keeps, its input 'state.v'"},
        Case{"keeps_model", "answers", "it writes to, or keeps, its input 'model'"},
        Case{"allocates", "no allocation", "allocates 1 blocks"},
        Case{"throws", "answers", "inverse fails: boom"},
        Case{"nan", "answers", "inverse returns tau[2] = nan"},
        Case{"loops", "answers", "it did not end within 3 s in inverse"},
        Case{"segfaults", "answers",
             "it crashed (segmentation fault) in inverse on robot 0 (seed 1)"},
        Case{"aborts", "answers", "it crashed (aborted) in inverse"},
        Case{"exits", "answers", "it called exit in inverse"}),
    [](const auto& test) {
      std::string name = std::string(test.param.id) + "_" + test.param.check;
      std::ranges::replace_if(
          name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
      return name;
    });

class BrokenLaw : public testing::TestWithParam<Case> {};
TEST_P(BrokenLaw, IsFoundAtItsLine) {
  const auto& [id, check, text] = GetParam();
  if (std::string_view(check) == "no allocation") TORSOR_NEEDS_ALLOCATION_COUNTS();
  const Line found = line(report_of(id, {.only = check, .time_limit = 20}, broken_laws), check);
  EXPECT_EQ(found.outcome, Outcome::failed);
  EXPECT_THAT(found.text, HasSubstr(text));
}
INSTANTIATE_TEST_SUITE_P(
    , BrokenLaw,
    testing::Values(Case{"last_velocity", "same bits", "it keeps hidden state"},
                    Case{"not_at_rest", "answers", "returns tau[0] ="},
                    Case{"energy_of_v", "rate of energy", "it must be a function of q and x"},
                    Case{"wrong_rate", "rate of energy", "differs from the rate of its energy"},
                    Case{"standing_nan", "standstill", "that is not a finite number"},
                    Case{"nan_at_end", "smoothness", "is nan at t = 2 s"},
                    Case{"hidden_jump", "smoothness", "where no break is reported"},
                    Case{"wrong_velocity", "derivatives",
                         "differs from the slope of the one before"},
                    Case{"beyond_bounds", "bounds", "that is outside of its bounds, on "},
                    Case{"no_cones", "bounds", "friction group 1 that are outside of its cone"},
                    Case{"says_zero", "residual", "it reports a residual of 0, but it is "},
                    Case{"few_sweeps", "solutions", "its multipliers violate the conditions"},
                    Case{"takes_heap", "no allocation", "solve (0 rows) allocates"},
                    Case{"nan_lambda", "answers", "solve (6 rows) returns lambda[2] = nan"}),
    [](const auto& test) { return std::string(test.param.id); });

TEST(BrokenPlugin, PassesTheOtherLines) {
  for (const char* check :
       {"inertia", "rotors", "gravity terms", "wrenches", "gravity is a gradient", "same bits"})
    EXPECT_EQ(line(report_of("coriolis_sign", {.only = check}), check).outcome, Outcome::passed)
        << check;
  for (const char* check : {"inertia", "velocity terms", "wrenches", "revolute joints"})
    EXPECT_EQ(line(report_of("no_prismatic", {.only = check}), check).outcome, Outcome::passed)
        << check;
}

// The faulty constraint solvers pass every check if they have no fault.
TEST(BrokenPlugin, AConstraintSolverWithoutAFlawPasses) {
  for (const Line& each : report_of("no_flaw", {}, broken_laws).lines)
    EXPECT_NE(each.outcome, Outcome::failed) << each.check << ": " << each.text;
}

TEST(BrokenPlugin, AFailureIsReproducedByItsSeed) {
  Subject again = subject(broken);
  const auto text = [&](uint64_t seed) {
    again.seed = seed;
    const Options options{.only = "velocity terms", .plugin = "coriolis_sign"};
    return line(validate(again, options).plugins.at(0), "velocity terms").text;
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

TEST(BrokenPlugin, ACrashedPluginIsNotCalledAgain) {
  // This plugin loads, and crashes in every call.
  EXPECT_EQ(report_of("segfaults", {}).lines.size(), 2u);
}

TEST(Rude, AnExceptionAcrossTheBoundaryIsALine) {
  const Line found =
      line(report_of("rude", {.only = "answers"}, TEST_PLUGINS "/rude.so"), "answers");
  EXPECT_EQ(found.outcome, Outcome::failed);
  EXPECT_THAT(found.text, HasSubstr("it threw an exception, 'boom', in inverse"));
}

TEST(Files, SuggestAPluginForAMisspelledName) {
  for (const auto& [wrong, right] :
       {std::pair{"last_velocty", "last_velocity"},
        std::pair{"trajectory.hidden_jum", "trajectory.hidden_jump"}}) {
    const auto message = [&]() -> std::string {
      try {
        (void)validate(subject(broken_laws), {.plugin = wrong});
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(message(),
                testing::AllOf(HasSubstr(std::string("broken_laws.so has no plugin '") + wrong +
                                         "'; it has constraint_solver.beyond_bounds, "),
                               testing::EndsWith(std::string("; did you mean '") + right + "'?")));
  }
}

TEST(Files, OfAnotherAbiOrNoneAreOneLine) {
  for (const auto& [file, text] : {std::pair{"wrong_major", "it was built for plugin ABI 2"},
                                   std::pair{"eager", "it was built for plugin ABI 2"},
                                   std::pair{"other_library", "it is not a Torsor plugin"}}) {
    const Report report = validate(subject(std::string(HOST_TEST_PLUGINS "/") + file + ".so"), {});
    ASSERT_EQ(report.plugins.size(), 1u);
    ASSERT_EQ(report.plugins[0].lines.size(), 1u);
    EXPECT_THAT(report.plugins[0].lines[0].text, HasSubstr(text));
    EXPECT_FALSE(report.passed());
  }
}

}  // namespace
}  // namespace torsor::test
