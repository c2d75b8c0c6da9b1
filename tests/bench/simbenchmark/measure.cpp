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

// Returns a row of the table: an engine, its error, and how fast it is.
std::string row(const std::string& dt, const std::string& engine, const std::string& error,
                double speed, const std::string& remark) {
  return fmt::format("  {:<8} {:<20} {:>10} {:>12}{}{}", dt, engine, error, number(speed),
                     remark.empty() ? "" : "  ", remark);
}

// Returns what the numbers of a row do not say about a run.
std::string remark(const Task& task, const Outcome& outcome, double dt) {
  if (!outcome.reason.empty()) return outcome.reason;
  if (task.is_over)
    return fmt::format("{} after {} steps", outcome.is_over ? "collapsed" : "stands",
                       outcome.steps);
  if (outcome.is_cut) return fmt::format("ended at {:.3g} s", double(outcome.steps) * dt);
  return "";
}

std::string row_of_torsor(const Task& task, const Method& method, const Limits& limits) {
  const Outcome outcome = run(task, method, limits);
  const bool has_error = outcome.reason.empty() && !outcome.is_cut;
  return row(fmt::format("{:g}", method.dt), fmt::format("Torsor {}", name(method.integrator)),
             has_error ? number(outcome.error) : "-",
             outcome.steps > 0 ? double(outcome.steps) * method.dt / outcome.seconds : std::nan(""),
             remark(task, outcome, method.dt));
}

}  // namespace

Simulation begin(const Start& start, const Method& method) {
  Simulation out(start.model, method.make_solver, method.integrator, method.dt);
  out.set_gravity(start.gravity_W);
  out.begin(start.load, start.q, start.v);
  return out;
}

Outcome run(const Task& task, const Method& method, const Limits& limits) {
  Outcome out;
  const long long all = std::llround(task.duration / method.dt);
  double sum = 0;
  try {
    Simulation simulation = begin(task.start(method), method);
    const SquaredError squared_error =
        task.squared_error ? task.squared_error(simulation) : SquaredError{};
    while (out.steps < all && !out.is_over && !out.is_cut) {
      if (squared_error) sum += squared_error(simulation);
      const double start = processor_seconds();
      simulation.step();
      out.seconds += processor_seconds() - start;
      ++out.steps;
      out.is_over = task.is_over && task.is_over(simulation);
      out.is_cut = out.steps < all && (out.steps >= limits.steps || out.seconds > limits.seconds);
    }
    out.q.assign(simulation.state().q().begin(), simulation.state().q().end());
  } catch (const Error& error) {
    out.reason = error.what();
  }
  out.error = task.squared_error ? sum / double(out.steps) : std::nan("");
  return out;
}

void print(const Task& task, const SolverFactory& make_solver, const Limits& limits,
           const std::function<void(const std::string& line)>& print_line) {
  print_line(fmt::format(
      "{}: {}, {:g} s{}", task.name, task.summary, task.duration,
      task.error.empty() ? "" : fmt::format("; error: mean {}, {}", task.error, task.unit)));
  print_line(
      fmt::format("  {:<8} {:<20} {:>10} {:>12}", "dt, s", "engine", "error", "x real time"));
  for (const double dt : task.steps) {
    if (task.error.empty() || std::llround(task.duration / dt) <= limits.steps)
      for (const Integrator integrator : {Integrator::time_stepping, Integrator::rk4})
        print_line(row_of_torsor(task, {make_solver, integrator, dt}, limits));
    for (const Published& figure : published(task.name, dt))
      print_line(row(fmt::format("{:g}", dt), figure.engine, number(figure.error), figure.speed(),
                     figure.remark()));
  }
}

std::vector<Task> tasks() {
  return {rolling(true), rolling(false),     bouncing(),           inelastic_cube(), elastic_cube(),
          block_tower(), quadruped_energy(), quadruped_momentum(), quadruped_stand()};
}

}  // namespace torsor::bench::simbenchmark
