#include "torsor/signals/signal_names.hpp"

namespace torsor {

SignalNames::SignalNames(const Model& model, const std::vector<Control>& controls,
                         std::span<const RobotSensor> sensors)
    : model_(model),
      controls_(controls),
      sensors_(sensors),
      coordinates_(model.coordinate_names()),
      columns_(model.dof_names()),
      frames_of_(model.robots.size()),
      controls_of_(model.robots.size()),
      motors_of_(model.robots.size()) {
  for (size_t r = 0; r < model.robots.size(); ++r) robots_.emplace(model.robots[r].name, int(r));
  for (int k = 0; k < int(model.frames.size()); ++k) {
    const std::string_view name = model.frames[size_t(k)].name;
    frames_.emplace(name, k);
    if (model.robots.size() == 1)
      frames_of_[0].push_back(k);
    else
      for (const auto& [robot, rest] : readings(name)) frames_of_[index(*robot)].push_back(k);
  }
  for (size_t k = 0; k < controls.size(); ++k)
    controls_of_.at(size_t(controls[k].robot)).push_back(k);
  int motor = 0;
  for (size_t r = 0; r < model.robots.size(); ++r) {
    const Robot& robot = model.robots[r];
    for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c)
      if (model.drives[size_t(c)].elasticity) motors_of_[r].push_back({c, motor++});
  }
}

std::vector<SignalNames::Reading> SignalNames::readings(std::string_view signal) const {
  std::vector<Reading> out;
  for (size_t dot = signal.find('.'); dot != signal.npos; dot = signal.find('.', dot + 1))
    if (const auto robot = robots_.find(signal.substr(0, dot)); robot != robots_.end())
      out.push_back({&model_.robots[size_t(robot->second)], signal.substr(dot + 1)});
  return out;
}

std::string SignalNames::own(const Robot& robot, const std::string& name) const {
  return model_.robots.size() > 1 ? name.substr(robot.name.size() + 1) : name;
}
std::string SignalNames::coordinate(const Robot& robot, int q_index) const {
  return own(robot, coordinates_[size_t(q_index)]);
}
std::string SignalNames::column(const Robot& robot, int v_index) const {
  return own(robot, columns_[size_t(v_index)]);
}
std::string SignalNames::frame(const Robot& robot, int frame) const {
  return own(robot, model_.frames[size_t(frame)].name);
}

std::string SignalNames::full(const Robot& robot, std::string_view name) const {
  return model_.robots.size() > 1 ? robot.name + "." + std::string(name) : std::string(name);
}

int SignalNames::find_frame(const Robot& robot, std::string_view name) const {
  const auto found = frames_.find(full(robot, name));
  return found == frames_.end() ? -1 : found->second;
}

namespace {
template <class Named>
int find_in(const std::vector<Named>& all, int first, int count, const std::string& name) {
  for (int k = first; k < first + count; ++k)
    if (all[size_t(k)].name == name) return k;
  return -1;
}
}  // namespace

int SignalNames::find_joint(const Robot& robot, std::string_view name) const {
  return find_in(model_.joints, robot.first_joint, robot.n_joint, full(robot, name));
}
std::string SignalNames::fixed_joint(const Robot& robot, std::string_view name) const {
  for (size_t colon = name.find(':');; colon = name.find(':', colon + 1)) {
    const std::string_view first = name.substr(0, colon);
    for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
      if (!first.empty() && model_.links[size_t(k)].joint == full(robot, first) &&
          find_joint(robot, first) < 0)
        return std::string(first);
    if (colon == name.npos) return "";
  }
}
int SignalNames::find_link(const Robot& robot, std::string_view name) const {
  return find_in(model_.links, robot.first_link, robot.n_link, full(robot, name));
}

}  // namespace torsor
