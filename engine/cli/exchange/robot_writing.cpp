#include "torsor/cli/exchange/robot_writing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/constraints/loops/assembly.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::cli {

namespace {

namespace fs = std::filesystem;
using exporting::Effect, exporting::Loss;

// Selects the robot of a scene.
RobotDescription robot_of_scene(std::vector<RobotDescription> robots, const RobotSource& source) {
  std::vector<std::string> names;
  for (RobotDescription& robot : robots) {
    if (robots.size() == 1 || robot.name == source.robot) return std::move(robot);
    names.push_back(robot.name);
  }
  if (names.empty()) throw Error(fmt::format("{}: the scene has no robot", source.file.string()));
  throw Error(fmt::format("{}: the scene has {} robots: {}; give the file of one robot",
                          source.file.string(), names.size(), fmt::join(names, ", ")));
}

// Takes the start of a robot from a scene.
void take_start(const Experiment& scene, ReadRobot& out) {
  const Model& model = *scene.model;
  const auto robot = std::ranges::find(model.robots, out.robot.name, &Robot::name);
  if (robot == model.robots.end()) return;
  // In a scene with several robots, the names of joints begin with that of the robot.
  const size_t prefix = model.robots.size() > 1 ? robot->name.size() + 1 : 0;
  for (int j = robot->first_joint; j < robot->first_joint + robot->n_joint; ++j) {
    const Joint& joint = model.joints[size_t(j)];
    const std::string name = joint.name.substr(prefix);
    const auto q = scene.q.begin() + joint.q_index;
    out.start[name].assign(q, q + traits(joint.kind).n_q);
    if (!scene.held.empty() && scene.held[size_t(joint.v_index)]) out.held.insert(name);
  }
}

void read_script(const RobotSource& source, ReadRobot& out) {
  ScriptOptions options;
  options.plugins = source.plugins;
  options.permission = source.permission;
  Script script(std::move(options));
  auto loaded = script.load(source.file, source.overrides);
  if (auto* robot = std::get_if<RobotDescription>(&loaded)) {
    out.robot = std::move(*robot);
  } else {
    out.robot = robot_of_scene(script.load_robots(source.file, source.overrides), source);
    take_start(std::get<Experiment>(loaded), out);
    out.losses.push_back(
        {"scene",
         "not written: gravity, start, controls, loads, sensors, and what the world has",
         Effect::forces,
         {source.file.filename().string()}});
  }
  out.files = script.files();
}

void read_file(const RobotSource& source, ReadRobot& out) {
  RobotFileOptions options{.strict = source.strict,
                           .floating_base = source.floating_base,
                           .collisions = true,
                           .run_programs = source.run_programs};
  options.meshes.packages = source.packages;
  // The file may be read twice.
  options.meshes.permission = asked_once([&](const fs::path& file, const std::string& place) {
    return source.permission &&
           source.permission(access_request(AccessRequest::Kind::file, file, place));
  });
  options.meshes.found_file = [&](const fs::path& file) { out.files.push_back(file); };
  try {
    out.robot = read_robot_file(source.file, options);
  } catch (const Error& error) {
    options.collisions = false;
    out.robot = read_robot_file(source.file, options);  // throws other errors again
    out.losses.push_back({"collision shapes",
                          fmt::format("not read: {}", one_line(error.what())),
                          Effect::contact,
                          {"all links"}});
  }
}

// Adds the meshes of visuals that exist. They are not read, but the written file names them.
void add_meshes(const RobotSource& source, ReadRobot& out) {
  const MeshAccess access{source.file.parent_path(),
                          [](const fs::path&, const std::string&) { return true; },
                          source.packages};
  for (const LinkDescription& link : out.robot.links)
    for (const VisualDescription& visual : link.visuals)
      if (const auto* mesh = std::get_if<MeshFile>(&visual.shape)) try {
          out.files.push_back(find_mesh(*mesh, access));
        } catch (const Error&) {
        }
}

// Files by their device and inode, so that all links to a file are the same.
class FileSet {
 public:
  explicit FileSet(const std::vector<fs::path>& files) {
    for (const fs::path& file : files)
      if (const auto id = id_of(file)) ids_.insert(*id);
  }
  bool contains(const fs::path& file) const {
    const auto id = id_of(file);
    return id && ids_.contains(*id);
  }

 private:
  using Id = std::pair<dev_t, ino_t>;
  static std::optional<Id> id_of(const fs::path& file) {
    struct stat info;
    if (stat(file.c_str(), &info) != 0) return std::nullopt;
    return Id{info.st_dev, info.st_ino};
  }
  std::set<Id> ids_;
};

}  // namespace

ReadRobot read_whole_robot(const RobotSource& source) {
  ReadRobot out;
  is_script(source.file) ? read_script(source, out) : read_file(source, out);
  for (Loss& loss : losses_of_reading(out.robot)) out.losses.push_back(std::move(loss));
  out.files.push_back(source.file);
  add_meshes(source, out);
  return out;
}

void require_same_mechanism(const ExportedRobot& exported, const RobotTarget& format,
                            const fs::path& file, std::string_view permission) {
  if (!exported.changes_mechanism()) return;
  const auto first = std::ranges::find(exported.losses, Effect::structure, &Loss::effect);
  throw Error(
      fmt::format("{}: {} cannot express this mechanism: {} ({}) would be {}; change the robot, or "
                  "write it with this difference ({})",
                  file.string(), format.title, first->what, first->subjects.front(), first->outcome,
                  permission));
}

namespace {

// Returns a position of a model at which its loops are closed, from the start of the robot.
// Floating joints keep their positions if this is possible.
std::vector<double> closed_position(const std::shared_ptr<const Model>& model,
                                    const ReadRobot& read, const Registry& plugins) {
  std::vector<double> q = neutral(*model);
  std::vector<char> held(size_t(model->n_v), 0);
  for (const Joint& joint : model->joints) {
    const JointTraits& kind = traits(joint.kind);
    const auto start = read.start.find(joint.name);
    if (start != read.start.end() && start->second.size() == size_t(kind.n_q))
      std::ranges::copy(start->second, q.begin() + joint.q_index);
    if (read.held.contains(joint.name))
      std::fill_n(held.begin() + joint.v_index, kind.n_v, char(1));
  }
  std::vector<char> held_with_bases = held;
  for (const Joint& joint : model->joints)
    if (traits(joint.kind).n_v == 6)
      std::fill_n(held_with_bases.begin() + joint.v_index, 6, char(1));
  Solver solver = plugins.solver("newton_euler", model);
  State state(model);
  const auto assembled = [&](const std::vector<char>& fixed) {
    state.set_q(q);
    assemble_position(state, fixed, solver);
    return std::vector<double>(state.q().begin(), state.q().end());
  };
  try {
    return assembled(held_with_bases);
  } catch (const Error&) {
    if (held_with_bases == held) throw;
    return assembled(held);
  }
}

}  // namespace

ExportedRobot converted(const ReadRobot& read, const Registry* plugins, const RobotTarget& format,
                        const fs::path& out, const std::string& origin) {
  exporting::Target target{out, origin, read.losses};
  if (plugins)
    target.assemble = [&](const std::shared_ptr<const Model>& model) {
      return closed_position(model, read, *plugins);
    };
  return export_robot(read.robot, format, target);
}

std::vector<fs::path> output_paths(const ExportedRobot& robot, const ReadRobot& read,
                                   const fs::path& out) {
  const FileSet sources(read.files);
  std::vector<fs::path> paths;
  for (const exporting::ExportedFile& file : robot.files) {
    paths.push_back(out.parent_path() / file.name);
    if (sources.contains(paths.back()))
      throw Error(fmt::format("'{}' would replace its own source; choose another name",
                              paths.back().string()));
  }
  return paths;
}

std::vector<fs::path> existing(std::vector<fs::path> files) {
  std::error_code ignored;
  std::erase_if(files, [&](const fs::path& file) { return !fs::exists(file, ignored); });
  return files;
}

std::vector<fs::path> write_robot(const ExportedRobot& robot, const ReadRobot& read,
                                  const fs::path& out) {
  const std::vector<fs::path> paths = output_paths(robot, read, out);
  for (const fs::path& path : paths) require_writable(path);
  std::vector<fs::path> added;
  std::error_code ignored;
  try {
    for (size_t k = paths.size(); k-- > 0;) {
      const bool is_new = !fs::exists(paths[k], ignored);
      write_file(paths[k], robot.files[k].text);
      if (is_new) added.push_back(paths[k]);
    }
  } catch (const Error&) {
    for (const fs::path& path : added) fs::remove(path, ignored);
    throw;
  }
  return paths;
}

std::string report_text(const ExportedRobot& robot) {
  return fmt::format("{}{}{}", counted(robot.losses.size(), "difference"),
                     robot.losses.empty() ? "\n" : ":\n", without_controls(robot.report()));
}

}  // namespace torsor::cli
