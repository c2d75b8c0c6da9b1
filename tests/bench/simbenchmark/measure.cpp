#include "bench/simbenchmark/measure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "bench/simbenchmark/published.hpp"

namespace torsor::bench::simbenchmark {

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

// One row of a table: an engine, its error, and how fast it is.
std::string row(const std::string& dt, const std::string& engine, const std::string& error,
                double speed, const std::string& remark = "") {
  return fmt::format("\n  {:<8} {:<20} {:>10} {:>12}{}{}", dt, engine, error, number(speed),
                     remark.empty() ? "" : "  ", remark);
}

std::string rows_of_torsor(const Task& task, const Method& method, long long max_steps) {
  const std::string dt = fmt::format("{:g}", method.dt);
  const std::string engine = fmt::format("Torsor {}", name(method.integrator));
  const Outcome outcome = run(task, method, max_steps);
  std::string remark = outcome.reason;
  if (task.is_over && outcome.steps > 0)
    remark = fmt::format("{} after {} steps{}{}", outcome.is_over ? "collapsed" : "stands",
                         outcome.steps, remark.empty() ? "" : "; ", remark);
  if (outcome.steps == 0) return row(dt, engine, "-", std::nan(""), remark);
  return row(dt, engine, outcome.reason.empty() ? number(outcome.error) : "-",
             double(outcome.steps) * method.dt / outcome.seconds, remark);
}

}  // namespace

Simulation begin(const Start& start, const Method& method) {
  Simulation out(start.model, method.make_solver, method.integrator, method.dt);
  out.set_gravity(start.gravity_W);
  out.begin(start.load, start.q, start.v);
  return out;
}

Outcome run(const Task& task, const Method& method, long long max_steps) {
  Outcome out;
  out.error = task.squared_error ? 0 : std::nan("");
  const long long steps = std::min(max_steps, std::llround(task.duration / method.dt));
  try {
    Simulation simulation = begin(task.start(method), method);
    const SquaredError squared_error =
        task.squared_error ? task.squared_error(simulation) : SquaredError{};
    for (; out.steps < steps && !out.is_over; ++out.steps) {
      if (squared_error) out.error += squared_error(simulation) / double(steps);
      const double start = processor_seconds();
      simulation.step();
      out.seconds += processor_seconds() - start;
      out.is_over = task.is_over && task.is_over(simulation);
    }
    out.q.assign(simulation.state().q().begin(), simulation.state().q().end());
  } catch (const Error& error) {
    out.reason = error.what();
  }
  return out;
}

std::string table(const Task& task, const SolverFactory& make_solver, long long max_steps) {
  std::string out = fmt::format("{}: {}, {:g} s", task.name, task.summary, task.duration);
  if (!task.error.empty()) out += fmt::format("; error: mean {}, {}", task.error, task.unit);
  out += fmt::format("\n  {:<8} {:<20} {:>10} {:>12}", "dt, s", "engine", "error", "x real time");
  for (const double dt : task.steps) {
    const bool is_short =
        task.is_over || task.error.empty() || task.duration / dt < double(max_steps) + 0.5;
    if (is_short)
      for (const Integrator integrator : {Integrator::time_stepping, Integrator::rk4})
        out += rows_of_torsor(task, {make_solver, integrator, dt}, max_steps);
    for (const Published& figure : published(task.name, dt))
      out += row(fmt::format("{:g}", dt), figure.engine, number(figure.error), figure.speed(),
                 figure.remark());
  }
  return out;
}

std::vector<Task> tasks() {
  return {rolling(true), rolling(false),     bouncing(),           inelastic_cube(), elastic_cube(),
          block_tower(), quadruped_energy(), quadruped_momentum(), quadruped_stand()};
}

}  // namespace torsor::bench::simbenchmark
