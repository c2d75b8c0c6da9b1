#include "torsor/validation/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/loading/descriptor.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

constexpr const char* planar_family = "planar_n_link";

}  // namespace

Trial::Trial(const Subject& subject, const std::string& id, Stage& stage)
    : subject_(subject), stage_(stage), registry_({subject.file}, subject.load_script) {
  for (const PluginInfo& plugin : registry_.plugins())
    if (plugin.id == id) info_ = &plugin;
  if (info_) return;
  for (const SkippedFile& file : registry_.skipped()) throw Failed("the file " + file.reason);
  throw Failed(fmt::format("the file has no plugin '{}'", id));
}

RobotDescription Trial::draw(uint64_t seed, int n, const std::vector<JointKind>& kinds) const {
  if (!subject_.robots.empty()) return subject_.robots[seed % subject_.robots.size()];
  if (info_->family == planar_family) return random_planar_chain(n, seed);
  if (!info_->family.empty())
    throw Failed(
        fmt::format("it is made for robots of the family '{}', and none is known here; give one: "
                    "torsor validate FILE ROBOT",
                    info_->family));
  const TreeShape shape = seed % 2 == 0 ? TreeShape::tree : TreeShape::chain;
  if (!kinds.empty()) return random_robot(n, shape, seed, kinds);
  return random_robot(n, shape, seed, RandomKinds::every);
}

namespace {

Case case_of(RobotDescription robot, uint64_t seed) {
  std::shared_ptr<const Model> model = build(robot);
  Random random(seed);
  State state = random_state(model, random);
  state.time = random.uniform(0, 20);
  return {seed, std::move(robot), std::move(model), random, std::move(state)};
}

RobotDescription motorised(uint64_t seed) {
  constexpr int joints = 7;
  RobotDescription robot =
      random_robot(joints, TreeShape::chain, seed,
                   {JointKind::revolute, JointKind::revolute, JointKind::prismatic});
  Random random(seed);
  for (LinkDescription& link : robot.links) {
    if (seed % 2 == 0 || link.joint.name.empty()) continue;
    Drive drive;
    drive.elasticity = Elasticity{.stiffness = random.uniform(1e3, 1e4)};
    drive.motor.rotor_inertia = random.uniform(1e-5, 1e-4);
    drive.motor.gear_ratio = 50;
    link.joint.armature = 0;
    link.joint.drives = {drive};
  }
  return robot;
}

}  // namespace

void Trial::on_robots(int count, const ForCase& function,
                      const std::vector<JointKind>& kinds) const {
  constexpr int sizes[] = {1, 2, 4, 7, 3, 12};
  for (int k = 0; k < count; ++k) {
    const uint64_t seed = subject_.seed + uint64_t(k);
    Case at = case_of(draw(seed, sizes[seed % std::size(sizes)], kinds), seed);
    const std::string where =
        fmt::format(" ({} of {} joints, seed {})", at.robot.name, at.model->joints.size(), seed);
    stage_.set("on" + where);
    try {
      function(at);
    } catch (const Failed& failure) {
      throw Failed(failure.what() + where);
    }
  }
}

const TrialKind& Trial::kind() const {
  return trial_kind(info_->id);
}

Case Trial::one_case(uint64_t number) const {
  const uint64_t seed = subject_.seed + number;
  RobotDescription robot = kind().is_of_motors && subject_.robots.empty() && info_->family.empty()
                               ? motorised(seed)
                               : draw(seed, 5, {});
  Case at = case_of(std::move(robot), seed);
  add_random_wrenches(at.random, at.state);
  return at;
}

bool Trial::is_named_robot(const Model& model) const {
  return std::any_of(subject_.robots.begin(), subject_.robots.end(), [&](const auto& robot) {
    return fingerprint(*build(robot)) == fingerprint(model);
  });
}

Solver Trial::solver(const Case& at) const {
  try {
    return registry_.solver(info_->id, at.model);
  } catch (const UnsupportedModel& rejection) {
    // A generated solver supports the named robots exactly as they are.
    if (info_->family.empty() && !subject_.robots.empty() && !is_named_robot(*at.model))
      throw NotApplicable("it is made for the named robots, and rejects changes of them");
    throw Failed(fmt::format(
        "it rejects a robot of its family: {}; a solver for special robots must name their family",
        rejection.reason));
  } catch (const Error& error) {
    throw Failed(error.what());
  }
}

Solver Trial::reference(const Case& at) const {
  const bool is_it = info_->id == "solver.newton_euler";
  return shipped().solver(is_it ? "articulated_body" : "newton_euler", at.model);
}

std::unique_ptr<DynamicsService> Trial::dynamics(const Case& at) const {
  return std::make_unique<DynamicsService>(shipped().solver("newton_euler", at.model), at.model,
                                           at.state.gravity_W());
}

State moved(const State& state, double t) {
  State out = state;
  std::vector<double> q(state.q().size());
  integrate(state.model(), state.q().data(), state.v.data(), t, q.data());
  out.set_q(q);
  return out;
}

void require(const Solver& solver, Status status, const char* what) {
  if (!status) throw Failed(fmt::format("{}: {}", what, solver.explain(status)));
}

namespace {

// Draws a value for a parameter. value() returns nullopt if the parameter keeps its default.
class Drawn {
 public:
  Drawn(Case& at, const torsor_param& row, bool vary)
      : at_(at), random_(at.random), row_(row), vary_(vary) {}

  std::optional<ParameterValue> value() {
    switch (row_.type) {
      case TORSOR_FRAME:
        return places();
      case TORSOR_CONFIGURATION:
        return optional(random_position(random_, *at_.model, 1.5));
      case TORSOR_PATH:
        return optional(path());
      case TORSOR_TABLE:
        return optional(table());
      case TORSOR_POSE:
        return optional(pose());
      case TORSOR_POSES:
        return optional(poses());
      default:
        return plain();
    }
  }

 private:
  bool coin() { return random_.below(2) == 0; }
  std::optional<ParameterValue> optional(ParameterValue value) {
    if (row_.count == 0 && !(vary_ && coin())) return std::nullopt;
    return value;
  }
  std::vector<FramePlace> places() {
    std::vector<FramePlace> out(row_.count > 0 ? row_.count : size_t(1 + random_.below(3)));
    for (FramePlace& place : out)
      place = {at_.model->frames[size_t(random_.below(int(at_.model->frames.size())))].name,
               random_.pose(0.3)};
    return out;
  }
  Rows path() {
    Rows rows;
    double t = 0;
    for (int k = 0; k < 4; ++k, t += random_.uniform(0.3, 1)) {
      rows.push_back({t});
      const std::vector<double> q = random_position(random_, *at_.model, 0.5);
      rows.back().insert(rows.back().end(), q.begin(), q.end());
    }
    return rows;
  }
  double within() {
    const double middle =
        row_.type == TORSOR_TABLE ? std::clamp(0.0, row_.min, row_.max) : row_.initial;
    const double reach = 10 * std::max(1.0, std::abs(middle));
    return random_.uniform(std::max(row_.min, middle - reach), std::min(row_.max, middle + reach));
  }
  Rows table() {
    const int n_v = at_.model->n_v, lengths[] = {n_v, n_v + 1, 1, 2, 3, 2 * n_v + 1};
    const int length = lengths[random_.below(6)];
    Rows rows(size_t(random_.below(2) == 0 ? n_v : 1 + random_.below(4)),
              std::vector<double>(size_t(length)));
    for (auto& row : rows)
      for (double& x : row) x = within();
    return rows;
  }
  std::vector<double> pose() {
    const Pose<double> X = random_.pose(0.5);
    const double* from = X.R.m;
    return {from, from + 12};
  }
  Rows poses() {
    Rows rows;
    for (int k = 0; k < 4; ++k) rows.push_back(pose());
    return rows;
  }
  std::optional<ParameterValue> plain() {
    if (!vary_ || coin()) return std::nullopt;
    if (row_.type == TORSOR_FLAG) return coin();
    if (row_.type == TORSOR_CHOICE)
      return std::string(row_.choices[random_.below(int(row_.max) + 1)]);
    const int lengths[] = {1, at_.model->n_v};
    std::vector<double> out(row_.count > 0 ? row_.count : size_t(lengths[random_.below(2)]));
    for (double& x : out) x = row_.type == TORSOR_INTEGER ? std::floor(within()) : within();
    if (out.size() == 1 && row_.count == 1) return out[0];
    return out;
  }

  Case& at_;
  Random& random_;
  const torsor_param& row_;
  bool vary_;
};

}  // namespace

void Trial::try_parameters(const Case& at, const std::vector<Parameter>& parameters) const try {
  kind().make(*this, at, parameters);
} catch (const UnsupportedModel& refusal) {
  throw Rejected(fmt::format("it does not support this robot: {}", refusal.reason));
}

std::vector<Parameter> Trial::parameters(Case& at, uint64_t number) const {
  // Some plugins accept one choice of a thousand, for example blends shorter than their lines.
  constexpr int attempts = 10000;
  const std::vector<torsor_param> rows = parameter_rows(registry_.descriptor(info_->id));
  if (rows.empty()) try {
      try_parameters(at, {});
      return {};
    } catch (const Error& error) {
      throw Rejected(error.what());
    }
  std::string refusal;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<Parameter> out;
    for (const torsor_param& row : rows)
      if (auto value = Drawn(at, row, number > 0 || attempt > 0).value())
        out.push_back({row.name, *value});
    try {
      try_parameters(at, out);
      return out;
    } catch (const Error& error) {
      refusal = error.what();
    }
  }
  throw Rejected(fmt::format("it rejects {} random choices of its parameters; the last one: {}",
                             attempts, refusal));
}

}  // namespace torsor::validation
