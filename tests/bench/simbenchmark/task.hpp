#pragma once
// The tasks of SimBenchmark, a benchmark of rigid-body engines by D. Kang and J. Hwangbo
// (github.com/leggedrobotics/SimBenchmark, commit 3fd17646). The parameters of the scenes and the
// definitions of the errors are those of its files benchmark/include/*Benchmark.hpp,
// benchmark/raiSim/*Benchmark.cpp and benchmark/res/yaml/*.yaml. docs/bench.md lists what differs.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/simulation/simulation.hpp"

namespace torsor::bench::simbenchmark {

// How a task is simulated.
struct Method {
  SolverFactory make_solver;
  Integrator integrator = Integrator::time_stepping;
  double dt = 1e-3;  // s
};

// A model with the state from which it starts.
struct Start {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;
  Vec3<double> gravity_W{0, 0, -9.81};
  Load load = {};
};
Simulation begin(const Start& start, const Method& method);

// A squared error of the present state of a simulation.
using SquaredError = std::function<double(const Simulation& simulation)>;
// Returns the squared difference of the energy from the exact one, J^2.
SquaredError energy_error(double exact);

struct Task {
  std::string name, summary;
  // The error of the suite and its unit. Both are "" if the suite measures only speed.
  std::string error, unit;
  double duration;            // s
  std::vector<double> steps;  // the values of dt of the suite, s
  // Returns the state at which the measurement starts. A task that moves before the measurement
  // simulates this motion by the method.
  std::function<Start(const Method& method)> start;
  // Returns the squared error of a simulation that is at its start; may be an empty function.
  std::function<SquaredError(const Simulation& at_start)> squared_error = {};
  // Returns whether the run is over, because a structure has collapsed; may be an empty function.
  std::function<bool(const Simulation& simulation)> is_over = {};
};

// Returns all tasks, with the parameters of the suite.
std::vector<Task> tasks();

// A force of 150 N pulls a box of 10 kg, which carries 25 balls of 1 kg, over a plane. The balls
// roll on the box. The force is along y, or 60 degrees from x towards y (is_diagonal).
//   mu_ground, mu_ball: friction between box and ground, and between balls and box
Task rolling(bool is_diagonal, double mu_ground = 0.4, double mu_ball = 0.8);
// 49 balls fall from 5 m onto a plane. The suite has restitution 1.
Task bouncing(double restitution = 1);
// A cube of n^3 balls, whose places are slightly random, falls onto a plane without friction, in
// inelastic impacts.
//   height: of the lowest balls, m. The balls are 0.1 m in radius.
Task inelastic_cube(int n = 6, double height = 0.101, double duration = 10);
// The same from a greater height, in elastic impacts.
Task elastic_cube(int n = 6, double height = 1.101, double duration = 10);
// A stack of 17 blocks per floor.
Task block_tower(int floors = 6, double duration = 600);
// A force lifts the quadruped ANYmal for 1 s. Then its limbs swing freely in free fall for 2 s.
Task quadruped_energy();
// A ball of 10 kg flies into the floating quadruped ANYmal, without gravity.
Task quadruped_momentum();
// The quadruped ANYmal stands on a plane. Springs and dampers hold its joints.
Task quadruped_stand(double duration = 250);

}  // namespace torsor::bench::simbenchmark
