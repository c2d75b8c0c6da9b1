// Tests of damage by plugins. If a plugin writes next to lent memory or changes the state of the
// process, the message names it.

#include <fenv.h>

#include <csignal>
#include <cstdlib>

#include "host_fixture.hpp"
#include "torsor/handles/tracer.hpp"

namespace torsor::host_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Lending : public testing::Test {
 protected:
  void SetUp() override { getcwd(folder_, sizeof folder_); }
  void TearDown() override {
    unsetenv("MISBEHAVE");
    (void)!chdir(folder_);
    std::setlocale(LC_ALL, "C");
  }
  // From now on, the plugin does the damage that `how` names.
  static void set(const std::string& how) { setenv("MISBEHAVE", how.c_str(), 1); }
  static const Registry& registry() {
    static const Registry out({plugin("misbehaving")});
    return out;
  }
  static State state(int links) {
    State out(pendulum_model(1, 1, links));
    out.time = 1;
    return out;
  }

 private:
  char folder_[4096] = {};
};

// Makes sound_calls valid calls, then up to 16 calls with the damage `how`. Returns the message of
// the first call that fails. `tau` has room before and after the result, for the damage.
std::string tau_of(int links, const std::string& how, int sound_calls) {
  const auto model = pendulum_model(1, 1, links);
  State state(model);
  state.time = 1;
  Solver solver = Registry({plugin("misbehaving")}).solver("misbehaving", model);
  const std::vector<double> vdot(size_t(links), 1.0);
  std::vector<double> tau(size_t(links) + 2, 0.0);
  unsetenv("MISBEHAVE");
  for (int k = 0; k < sound_calls; ++k)
    EXPECT_TRUE(solver.inverse(state, vdot.data(), tau.data() + 1));
  EXPECT_EQ(tau[size_t(links)], sound_calls > 0 ? 1 : 0);
  setenv("MISBEHAVE", how.c_str(), 1);
  Status status;
  for (int k = 0; k < 16 && status; ++k) {
    status = solver.inverse(state, vdot.data(), tau.data() + 1);
    EXPECT_TRUE(!status || sound_calls > 0) << "the first call is checked";
  }
  EXPECT_FALSE(status) << how;
  return solver.explain(status);
}

TEST_F(Lending, NamesTheArrayOfASolver) {
  for (const int calls : {0, 1, 5, 100}) {
    EXPECT_THAT(tau_of(1, "tau beyond", calls),
                HasSubstr("solver 'solver.misbehaving': inverse wrote beyond the end of 'tau'"));
    EXPECT_THAT(tau_of(7, "tau before", calls),
                HasSubstr("inverse wrote before the start of 'tau'"));
    EXPECT_THAT(tau_of(7, "work beyond", calls),
                HasSubstr("inverse wrote beyond the end of 'work'"));
    EXPECT_THAT(tau_of(40, "work before", calls),
                HasSubstr("inverse wrote before the start of 'work'"));
  }
}

TEST_F(Lending, NamesAMatrixOfASolver) {
  for (const int links : {1, 5, 30})
    for (const char* how : {"M beyond", "M before"}) {
      const State at = state(links);
      std::vector<double> M(size_t(links) * size_t(links));
      Solver solver = registry().solver("misbehaving", at.model_ptr());
      set(how);
      const Status status = solver.mass_matrix(at, M.data());
      EXPECT_FALSE(status);
      EXPECT_THAT(solver.explain(status),
                  AllOf(HasSubstr("mass_matrix wrote"), HasSubstr(" of 'M'")));
    }
}

TEST_F(Lending, NamesTheArrayOfAForce) {
  const State at = state(2);
  const auto force = registry().make<Force>("misbehaving", at.model_ptr());
  const std::vector<Pose<double>> X(size_t(at.model().n_body), Pose<double>::identity());
  const std::vector<Twist<double>> V(X.size());
  for (const std::string name : {"F_B", "tau", "xdot", "work"})
    for (const std::string side : {"beyond", "before"}) {
      Force::Result result = force->make_result();
      unsetenv("MISBEHAVE");
      EXPECT_TRUE(force->evaluate(at, {X, V}, nullptr, result));
      set(name + " " + side);
      const Status status = force->evaluate(at, {X, V}, nullptr, result);
      EXPECT_FALSE(status);
      EXPECT_THAT(force->explain(status),
                  HasSubstr("force 'force.misbehaving': evaluate wrote " + side +
                            (side == "beyond" ? " the end of '" : " the start of '") + name + "'"));
    }
}

TEST_F(Lending, NamesTheArrayOfATrajectory) {
  const auto model = pendulum_model(1, 1);
  const auto trajectory = registry().make<Trajectory>("misbehaving", model);
  for (const std::string name : {"out", "work"})
    for (const std::string side : {"beyond", "before"}) {
      Reference reference = trajectory->make_reference(2);
      unsetenv("MISBEHAVE");
      EXPECT_TRUE(trajectory->evaluate(0.5, reference));
      set(name + " " + side);
      const Status status = trajectory->evaluate(0.5, reference);
      EXPECT_FALSE(status);
      EXPECT_THAT(trajectory->explain(status),
                  AllOf(HasSubstr("evaluate wrote " + side), HasSubstr("of '" + name + "'")));
    }
}

TEST_F(Lending, NamesTheArrayOfAController) {
  const auto model = pendulum_model(1, 1);
  const auto controller = registry().controller("misbehaving", model, "misbehaving", {0, 0, -9.81});
  const double q[1] = {0}, v[1] = {0}, memory[1] = {0};
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.time = 1;
  input.q = q;
  input.v = v;
  input.memory = memory;
  for (const std::string name : {"tau", "memory", "signal", "work"})
    for (const std::string side : {"beyond", "before"}) {
      Controller::Result result = controller->make_result();
      unsetenv("MISBEHAVE");
      EXPECT_TRUE(controller->evaluate(input, result));
      set(name + " " + side);
      const Status status = controller->evaluate(input, result);
      EXPECT_FALSE(status);
      EXPECT_THAT(controller->explain(status),
                  AllOf(HasSubstr("evaluate wrote " + side), HasSubstr("of '" + name + "'")));
    }
}

TEST_F(Lending, NamesTheArrayOfAConstraintSolver) {
  const double G[] = {1, 0, 0, 1}, c[] = {0, 0}, lower[] = {-1, -1}, upper[] = {1, 1};
  for (const int rows : {1, 2})
    for (const std::string name : {"lambda", "work"})
      for (const std::string side : {"beyond", "before"}) {
        const auto solver = registry().make<ConstraintSolver>("misbehaving", pendulum_model(1, 1));
        solver->reserve(9);
        const auto n = size_t(rows);
        const ConstraintProblem problem{G, {c, n}, {c, n}, {lower, n}, {upper, n}};
        double lambda[2];
        unsetenv("MISBEHAVE");
        EXPECT_TRUE(solver->solve(problem, lambda));
        set(name + " " + side);
        const Status status = solver->solve(problem, lambda);
        EXPECT_FALSE(status);
        EXPECT_THAT(solver->explain(status),
                    AllOf(HasSubstr("solve wrote " + side), HasSubstr("of '" + name + "'")));
      }
}

TEST_F(Lending, NamesTheArrayOfATrace) {
  const State at = state(1);
  for (const std::string side : {"beyond", "before"}) {
    Tracer tracer(registry().object("solver.misbehaving", at.model_ptr()), at.model_ptr(),
                  Tracer::Frames::of_links);
    unsetenv("MISBEHAVE");
    const double vdot[1] = {1};
    EXPECT_TRUE(tracer.trace(at, vdot));
    set("out " + side);
    const Status status = tracer.trace(at, vdot);
    EXPECT_FALSE(status);
    EXPECT_THAT(tracer.explain(status),
                AllOf(HasSubstr("trace wrote " + side), HasSubstr("of 'out'")));
  }
}

// Checks that a change of the process by the first call is reported. A change of the rounding mode
// is also reported after 77 correct calls, because the host checks the arithmetic in every call. It
// checks other state in the first 32 calls and in some later ones.
TEST_F(Lending, NamesChangesOfTheProcess) {
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  const struct {
    const char *how, *said;
  } cases[] = {{"rounding", "inverse changed the rounding mode"},
               {"traps", "inverse changed the traps of floating-point exceptions"},
               {"sigint", "inverse changed the handler of the signal SIGINT"},
               {"mask", "inverse changed the mask of signals"},
               {"folder", "inverse changed the current folder"},
               {"locale", "inverse changed the locale"}};
  for (const auto& [how, said] : cases) {
    unsetenv("MISBEHAVE");
    std::setlocale(LC_ALL, "C");
    EXPECT_THAT(tau_of(1, how, 0),
                AllOf(HasSubstr("solver 'solver.misbehaving': "), HasSubstr(said)));
    EXPECT_EQ(fegetround(), FE_TONEAREST);
    EXPECT_EQ(fegetexcept(), 0);
    struct sigaction after {};
    sigaction(SIGINT, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_FALSE(sigismember(&mask, SIGTERM));
  }
  unsetenv("MISBEHAVE");
  EXPECT_THAT(tau_of(1, "rounding", 77), HasSubstr("inverse changed the rounding mode"));
}

TEST_F(Lending, NamesChangesWhileAPluginIsSetUp) {
  const auto model = pendulum_model(1, 1);
  set("create");
  EXPECT_THAT(error_of([&] { registry().solver("misbehaving", model); }),
              HasSubstr("plugin 'solver.misbehaving': create changed the rounding mode"));
  set("prepare");
  EXPECT_THAT(
      error_of([&] { registry().solver("misbehaving", model); }),
      HasSubstr("plugin 'solver.misbehaving': prepare changed the handler of the signal SIGTERM"));
  set("describe");
  EXPECT_THAT(
      error_of([&] { registry().make<Trajectory>("misbehaving", model); }),
      HasSubstr(
          "trajectory 'trajectory.misbehaving' failed in describe: it changed the rounding mode"));
}

}  // namespace
}  // namespace torsor::host_test
