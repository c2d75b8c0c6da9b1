#include "torsor/capi/engine.hpp"

#include "torsor/loading/search_paths.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

using namespace torsor;
using namespace torsor::capi;

namespace torsor::capi {

Overrides overrides_of(const torsor_setting* settings, size_t n) {
  if (n > 0) require_pointer(settings, "settings");
  Overrides out;
  for (size_t k = 0; k < n; ++k) {
    require_pointer(settings[k].name, "the name of a setting");
    require_pointer(settings[k].value, settings[k].name);
    if (!out.emplace(settings[k].name, settings[k].value).second)
      throw Error(fmt::format("the setting '{}' is given twice", settings[k].name));
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

namespace {

// Returns the permission of scenes: everything, or what the user's trust list allows. Nobody is
// asked.
Permission permission_of(bool allow_plugins) {
  if (allow_plugins) return [](const AccessRequest&) { return true; };
  const auto trust = std::make_shared<Trust>(trust_file(), [](const std::string&) {});
  return [trust](const AccessRequest& request) { return trust->allows(request); };
}

std::string warnings_about(const Registry& plugins, bool allow_plugins) {
  std::vector<std::string> out;
  for (const SkippedFile& skipped : plugins.skipped()) {
    std::error_code ignored;
    if (skipped.is_second || std::filesystem::is_directory(skipped.file, ignored)) continue;
    out.push_back(fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason));
  }
  if (!allow_plugins) {
    try {
      read_trust(trust_file());
    } catch (const Error& error) {
      out.emplace_back(error.what());
    }
  }
  return joined(out);
}

// Throws Error if a file that the caller named cannot be used.
void require_usable(const Registry& plugins, const std::vector<std::filesystem::path>& given) {
  for (const SkippedFile& skipped : plugins.skipped()) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(skipped.file, ignored) &&
        std::ranges::find(given, skipped.path) != given.end())
      throw Error(fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason));
  }
}

std::unique_ptr<torsor_engine> make_engine(const torsor_engine_options& options) {
  std::vector<std::filesystem::path> given;
  if (options.n_plugin_paths > 0) require_pointer(options.plugin_paths, "plugin_paths");
  for (size_t k = 0; k < options.n_plugin_paths; ++k) {
    require_pointer(options.plugin_paths[k], "plugin_paths");
    given.emplace_back(options.plugin_paths[k]);
  }
  auto plugins = std::make_shared<const Registry>(find_all_plugins(given));
  for (const auto& path : environment_plugin_paths()) given.push_back(path);
  require_usable(*plugins, given);
  const bool allow = options.allow_plugins != 0;
  std::string warnings = warnings_about(*plugins, allow);
  auto out = std::make_unique<torsor_engine>();
  out->plugins = std::move(plugins);
  out->permission = permission_of(allow);
  out->print = options.print;
  out->user = options.user;
  out->warnings = std::move(warnings);
  return out;
}

}  // namespace
}  // namespace torsor::capi

ScriptOptions torsor_engine::script_options() const {
  ScriptOptions out{.plugins = plugins.get(), .permission = permission, .visuals = false};
  if (print)
    out.print = [call = print, to = user](std::string_view line) {
      call(to, std::string(line).c_str());
    };
  return out;
}

uint32_t torsor_api_version(void) {
  return TORSOR_API_MAJOR << 16 | TORSOR_API_MINOR;
}

const char* torsor_version(void) {
  return TORSOR_VERSION;
}

torsor_result torsor_engine_create(const torsor_engine_options* options, torsor_engine** out,
                                   torsor_error* error) {
  return create(out, error, [&] { return make_engine(read_struct(options, "options")).release(); });
}

void torsor_engine_destroy(torsor_engine* engine) {
  delete engine;
}

const char* torsor_engine_warnings(const torsor_engine* engine) {
  return engine ? engine->warnings.c_str() : "";
}
