#include "bench/step_costs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "bench/json.hpp"
#include "bench/robots.hpp"
#include "bench/steps.hpp"
#include "bench/table.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/study/study_scene.hpp"

namespace torsor::bench {

namespace {

namespace fs = std::filesystem;

// Steps with the checks that `torsor run` makes, and with a recording if `file` is not empty.
class CheckedRun : public SteppedRun {
 public:
  CheckedRun(const Experiment& experiment, const fs::path& file) : run_(experiment), file_(file) {
    if (!file.empty()) recording_ = create_recording(file, run_.columns(), experiment.record, "{}");
    run_.begin(writer());
  }
  ~CheckedRun() override {
    recording_.reset();
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
  }
  void step() override { run_.advance(writer()); }
  void observe(State&) override {}
  double work() const override { return 0; }

 private:
  Run::Writer writer() {
    return [this](std::span<const double> row) {
      if (recording_) recording_->write(row);
    };
  }

  Run run_;
  fs::path file_;
  std::unique_ptr<RecordingFile> recording_;
};

using StartRun = std::function<std::unique_ptr<SteppedRun>()>;

constexpr int compared_steps = 10;

// A simulation to measure: by Torsor if `library` is empty.
struct StepSubject {
  size_t row;
  std::string library;
  StartRun start;
  std::function<double()> difference;  // of a library, see LibraryStep
  double ns = 0;
  std::string failure = "";
};

// Reads a scene with the values of its parameters, or a robot, which falls from its neutral pose.
Experiment read_robot_scene(const std::string& scene, const StudySettings& values,
                            const Registry& plugins, const Permission& permission) {
  if (!scene.starts_with("chain:") && !scene.starts_with("tree:") && !robot_format(scene))
    return StudySceneLoader({.file = scene, .plugins = &plugins, .permission = permission})
        .load(values)
        .experiment;
  Experiment out;
  out.model = read_robots({scene}, plugins, false)[0].model;
  out.q = neutral(*out.model);
  out.v.assign(size_t(out.model->n_v), 0.0);
  set_plugins(out, std::make_shared<const Registry>(plugins));
  return out;
}

// The rows of a table and the subjects that provide their times.
class StepPlan {
 public:
  explicit StepPlan(StepCosts& out) : out_(out) {}

  void add(const std::string& feature, StartRun start) {
    out_.rows.push_back({feature});
    subjects_.push_back({out_.rows.size() - 1, "", std::move(start), {}});
  }
  // Adds a row of Torsor, and the libraries that simulate it by an integrator of order 1 or 4.
  void add_with_libraries(const std::string& feature, const Experiment& experiment, int order) {
    add(feature, [experiment] { return start_torsor(experiment); });
    if (!experiment.load.controls.empty()) return;  // the libraries have none of them
    for (const Peer& peer : peers()) {
      if (!peer.start) continue;
      const StartRun start = [peer, experiment, order] { return peer.start(experiment, order); };
      subjects_.push_back({out_.rows.size() - 1, peer.name, start, [experiment, start] {
                             return motion_difference(experiment, *start_torsor(experiment),
                                                      *start(), compared_steps);
                           }});
    }
  }

  void measure(long long n, int repetitions) {
    for (int repetition = 0; repetition < repetitions; ++repetition)
      for (StepSubject& subject : subjects_)
        if (subject.failure.empty()) measure(subject, n);
    for (const StepSubject& subject : subjects_) {
      StepCost& row = out_.rows[subject.row];
      const std::string who = subject.library.empty() ? "Torsor" : subject.library;
      if (!subject.failure.empty())
        out_.notes.push_back(fmt::format("{}: {} {}", row.feature, who, subject.failure));
      else if (subject.library.empty())
        row.ns = subject.ns;
      else
        row.libraries[subject.library] = {subject.ns, subject.difference()};
    }
  }

 private:
  static void measure(StepSubject& subject, long long n) {
    try {
      const std::unique_ptr<SteppedRun> run = subject.start();
      time_steps(*run, n / 10 + 1);
      const double ns = time_steps(*run, n);
      subject.ns = subject.ns == 0 ? ns : std::min(subject.ns, ns);
    } catch (const Error& error) {
      subject.failure = error.what();
    }
  }

  StepCosts& out_;
  std::vector<StepSubject> subjects_;
};

}  // namespace

double motion_difference(const Experiment& scene, SteppedRun& a, SteppedRun& b, int steps) {
  State of_a(scene.model), of_b(scene.model);
  double change = 0, difference = 0;
  for (int k = 0; k < steps; ++k) a.step(), b.step();
  a.observe(of_a);
  b.observe(of_b);
  const auto compare = [&](std::span<const double> start, std::span<const double> from_a,
                           std::span<const double> from_b) {
    for (size_t i = 0; i < start.size(); ++i) {
      change = std::max(change, std::abs(from_a[i] - start[i]));
      difference = std::max(difference, std::abs(from_a[i] - from_b[i]));
    }
  };
  compare(scene.q, of_a.q(), of_b.q());
  compare(scene.v, of_a.v, of_b.v);
  return change > 0 ? difference / change : difference;
}

StepCosts measure_step_costs(const std::string& scene, long long n, int repetitions,
                             const Registry& plugins, const Permission& permission) {
  StudySettings values;
  for (const auto& [name, value] : read_robot_scene(scene, {}, plugins, permission).parameters)
    if (std::holds_alternative<bool>(value)) values[name] = "false";
  Experiment base = read_robot_scene(scene, values, plugins, permission);
  base.integrator = Integrator::rk4;
  StepCosts out{.scene = scene, .n_v = base.model->n_v, .rows = {}, .notes = {}};
  StepPlan plan(out);
  plan.add_with_libraries("rk4", base, 4);
  for (const auto& [name, value] : values) {
    StudySettings changed = values;
    changed[name] = "true";
    Experiment experiment = read_robot_scene(scene, changed, plugins, permission);
    experiment.integrator = Integrator::rk4;
    plan.add_with_libraries(fmt::format("rk4, {}", name), experiment, 4);
  }
  // The loops below end after the run does.
  Experiment checked = base;
  checked.duration = 2 * double(n + 10) * base.dt;
  Experiment bare = checked;
  bare.record.clear();
  bare.record_interval = bare.duration;
  checked.record_interval = checked.dt;
  const fs::path file = fs::temp_directory_path() / fmt::format("torsor_bench_{}.h5", getpid());
  plan.add("rk4, checks of a run", [bare] { return std::make_unique<CheckedRun>(bare, ""); });
  plan.add("rk4, checks, recorded in each step",
           [checked, file] { return std::make_unique<CheckedRun>(checked, file); });
  for (const std::string& name : integrator_names()) {
    Experiment other = base;
    other.integrator = *integrator(name);
    if (other.integrator == Integrator::semi_implicit_euler)
      plan.add_with_libraries(name, other, 1);
    else if (other.integrator != Integrator::rk4)
      plan.add(name, [other] { return start_torsor(other); });
  }
  plan.measure(n, repetitions);
  return out;
}

std::string step_costs_table(const StepCosts& costs) {
  std::vector<std::string> libraries;
  for (const StepCost& row : costs.rows)
    for (const auto& [library, step] : row.libraries)
      if (!std::ranges::count(libraries, library)) libraries.push_back(library);
  std::vector<std::vector<std::string>> lines = {{"us per step", "Torsor", "x rk4"}};
  for (const std::string& library : libraries) {
    lines[0].push_back(library);
    lines[0].push_back("ratio");
    lines[0].push_back("difference");
  }
  for (const StepCost& row : costs.rows) {
    if (row.ns == 0) continue;
    auto& line = lines.emplace_back(
        std::vector<std::string>{row.feature, fmt::format("{:.2f}", 1e-3 * row.ns),
                                 fmt::format("{:.2f}", row.ns / costs.rows[0].ns)});
    for (const std::string& library : libraries) {
      const auto found = row.libraries.find(library);
      const bool has = found != row.libraries.end();
      line.push_back(has ? fmt::format("{:.2f}", 1e-3 * found->second.ns) : "-");
      line.push_back(has ? fmt::format("{:.2f}", row.ns / found->second.ns) : "-");
      line.push_back(has ? fmt::format("{:.0e}", found->second.difference) : "-");
    }
  }
  std::string out = fmt::format("{}: {} dof\n{}", costs.scene, costs.n_v, aligned(lines));
  for (const std::string& note : costs.notes) out += fmt::format("  not measured: {}\n", note);
  return out;
}

nlohmann::ordered_json step_costs_json(const std::vector<StepCosts>& all) {
  nlohmann::ordered_json out = facts();
  out["simulations"] = nlohmann::ordered_json::array();
  for (const StepCosts& costs : all) {
    auto rows = nlohmann::ordered_json::array();
    for (const StepCost& row : costs.rows) {
      auto& entry = rows.emplace_back(nlohmann::ordered_json{{"feature", row.feature}});
      if (row.ns > 0) entry["ns_per_step"] = row.ns;
      for (const auto& [library, step] : row.libraries)
        entry["libraries"][library] = {
            {"ns_per_step", step.ns}, {"ratio", row.ns / step.ns}, {"difference", step.difference}};
    }
    out["simulations"].push_back({{"scene", costs.scene},
                                  {"dof", costs.n_v},
                                  {"rows", rows},
                                  {"not_measured", costs.notes}});
  }
  return out;
}

}  // namespace torsor::bench
