#pragma once
// The figures that SimBenchmark publishes in data/TASK/*.csv
// (github.com/leggedrobotics/SimBenchmark, commit 3fd17646). They were measured on an Intel Core
// i7-7700HQ in 2018 (its file docs/about/methodology.html), so that times are not those of this
// machine.

#include <string>
#include <string_view>
#include <vector>

namespace torsor::bench::simbenchmark {

struct Published {
  std::string engine;
  double error;         // NaN if the suite has none
  double seconds;       // processor time of the run
  double simulated;     // s
  long long steps = 0;  // steps until a structure collapsed; 0 for tasks without this figure
  double speed() const { return simulated / seconds; }
  std::string remark() const;
};

// Returns the figures of a task at a dt, with no error reduction (ERP = 0) where an engine has it.
// They are those of one solver of each engine: sequential impulses of Bullet, QuickStep of ODE,
// Newton of MuJoCo, Dantzig of DART.
std::vector<Published> published(std::string_view task, double dt);

}  // namespace torsor::bench::simbenchmark
