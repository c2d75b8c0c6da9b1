#include "torsor/fmi/package.hpp"

#include <fmt/format.h>

#include <charconv>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::fmi {

namespace {

namespace fs = std::filesystem;

constexpr const char* damaged = "export the FMU again with `torsor fmu`";

double number_of(const fs::path& file, const std::string& value) {
  double out = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error != std::errc() || end != value.data() + value.size())
    throw Error(fmt::format("{}: '{}' is not a number; {}", file.string(), value, damaged));
  return out;
}

void read_line(Package& out, const fs::path& file, const std::string& line) {
  const size_t space = line.find(' ');
  if (space == std::string::npos)
    throw Error(fmt::format("{}: the line '{}' has no value; {}", file.string(), line, damaged));
  const std::string key = line.substr(0, space), value = line.substr(space + 1);
  if (key == "token") {
    out.token = value;
  } else if (key == "scene") {
    out.scene = value;
  } else if (key == "solver") {
    out.settings.solver = value;
  } else if (key == "constraint_solver") {
    out.settings.constraint_solver = value;
  } else if (key == "integrator") {
    out.settings.integrator = value;
  } else if (key == "dt") {
    out.settings.dt = number_of(file, value);
  } else if (key == "duration") {
    out.settings.duration = number_of(file, value);
  } else if (const size_t equals = value.find('=');
             key == "set" && equals != std::string::npos && equals > 0) {
    out.parameters[value.substr(0, equals)] = value.substr(equals + 1);
  } else {
    throw Error(fmt::format("{}: unknown line '{}'; {}", file.string(), line, damaged));
  }
}

}  // namespace

std::string text_of(const Package& package) {
  std::string out = fmt::format("token {}\nscene {}\n", package.token, package.scene.string());
  for (const auto& [name, value] : package.parameters)
    out += fmt::format("set {}={}\n", name, value);
  const RunSettings& s = package.settings;
  if (s.solver) out += fmt::format("solver {}\n", *s.solver);
  if (s.constraint_solver) out += fmt::format("constraint_solver {}\n", *s.constraint_solver);
  if (s.integrator) out += fmt::format("integrator {}\n", *s.integrator);
  if (s.dt) out += fmt::format("dt {}\n", *s.dt);
  if (s.duration) out += fmt::format("duration {}\n", *s.duration);
  return out;
}

Package read_package(const fs::path& resources) {
  const fs::path file = resources / settings_file;
  Package out;
  InputLines lines(file, InputKind::settings,
                   "give the folder resources of the unpacked FMU as resourcePath");
  for (std::string line; lines.next(line);) read_line(out, file, line);
  if (out.token.empty() || out.scene.empty())
    throw Error(fmt::format("{}: the token or the scene is missing; {}", file.string(), damaged));
  return out;
}

std::shared_ptr<const Registry> find_plugins(const fs::path& resources) {
  return std::make_shared<const Registry>(
      Registry({resources / plugins_folder}, load_plugin_script));
}

Experiment load_package(const fs::path& resources, const Package& package, const Registry& plugins,
                        const Overrides& parameters,
                        const std::function<void(std::string_view)>& print) {
  Overrides all = parameters;
  all.insert(package.parameters.begin(), package.parameters.end());
  const fs::path root = resolved(resources);
  Script script({.scripts = resources / scripts_folder,
                 .print = print,
                 .plugins = &plugins,
                 .permission = [root](const AccessRequest& at) { return is_below(at.file, root); },
                 .visuals = false});
  return with_settings(script.load_scene(resources / package.scene, all), package.settings, "");
}

}  // namespace torsor::fmi
