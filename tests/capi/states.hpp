#pragma once
// Random states of a robot of the C interface, and its quantities at them.

#include <random>

#include "capi/handles.hpp"

namespace torsor::test {

inline constexpr const char* iiwa = "scripts/robots/iiwa.lua";
inline constexpr const char* quadruped = "scripts/robots/quadruped.lua";

// Random states of a robot. Quaternions have norm 1.
struct States {
  size_t n_q, n_v, n;
  std::vector<double> q, v, x;

  States(const torsor_robot* robot, size_t count)
      : n_q(torsor_robot_count(robot, TORSOR_COORDINATES)),
        n_v(torsor_robot_count(robot, TORSOR_DOFS)),
        n(count),
        q(n * n_q),
        v(n * n_v),
        x(n * n_v) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (auto* values : {&v, &x})
      for (double& value : *values) value = number(random);
    std::vector<double> move(n_v), start(n_q);
    torsor_robot_neutral(robot, start.data(), nullptr);
    for (size_t k = 0; k < n; ++k) {
      for (double& value : move) value = number(random);
      torsor_robot_integrate(robot, start.data(), move.data(), 1, q.data() + k * n_q, nullptr);
    }
  }
  torsor_states view() const {
    torsor_states out{};
    out.struct_size = sizeof out;
    out.n = n;
    out.q = q.data();
    out.v = v.data();
    out.x = x.data();
    return out;
  }
};

inline size_t entries_of(const torsor_robot* robot, const char* name) {
  torsor_quantity_info info{};
  info.struct_size = sizeof info;
  ErrorText error;
  EXPECT_EQ(torsor_quantity_describe(robot, name, &info, &error), TORSOR_SUCCESS) << error.text;
  return info.entries;
}

inline std::vector<double> evaluated(torsor_evaluator* evaluator, const torsor_robot* robot,
                                     const char* name, const States& at, size_t k) {
  std::vector<double> out(entries_of(robot, name), -4711);
  ErrorText error;
  EXPECT_EQ(torsor_evaluate(evaluator, name, at.q.data() + k * at.n_q, at.v.data() + k * at.n_v,
                            at.x.data() + k * at.n_v, out.data(), &error),
            TORSOR_SUCCESS)
      << name << ": " << error.text;
  return out;
}

}  // namespace torsor::test
