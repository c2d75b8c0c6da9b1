#include "torsor/symbolic/generated_solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "torsor/base/error.hpp"
#include "torsor/symbolic/solver_build.hpp"
#include "torsor/symbolic/solver_source.hpp"

namespace torsor::symbolic {

namespace {

const std::vector<std::string> default_quantities = {"inverse_dynamics", "forward_dynamics",
                                                     "mass_matrix", "gravity", "bias"};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t plus = std::min(text.find('+'), text.size());
    names.emplace_back(text.substr(0, plus));
    text.remove_prefix(std::min(plus + 1, text.size()));
  }
  return names;
}

// Returns an identifier for the robots of a model, which is short enough for the name of a file.
std::string identifier(const Model& model) {
  std::string name = model.robots.empty() ? "robot" : model.robots.front().name.substr(0, 60);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "robot_" + name : name;
}

// The generated solvers of this process, so that a model is not generated again for each of its
// solvers.
class GeneratedSolvers {
 public:
  std::shared_ptr<const PluginSource> source(const Registry& registry,
                                             const std::shared_ptr<const Model>& model,
                                             std::string_view arguments) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<const PluginSource>& known =
        sources_[{fingerprint(*model), std::string(arguments)}];
    if (!known) known = load(registry, model, split(arguments));
    return known;
  }

 private:
  static std::shared_ptr<const PluginSource> load(const Registry& registry,
                                                  const std::shared_ptr<const Model>& model,
                                                  std::vector<std::string> quantities) {
    if (quantities.empty()) quantities = default_quantities;
    require_solver_quantities(quantities);
    const std::string name = identifier(*model);
    const GeneratedCode code =
        solver_source(model, {.name = name, .quantities = std::move(quantities)});
    const std::filesystem::path file = cached_solver(code.text, name);
    try {
      return loaded(registry, file);
    } catch (const Error&) {  // a damaged file
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
    try {
      return loaded(registry, cached_solver(code.text, name));
    } catch (const Error& why) {
      throw Error(fmt::format("the generated solver {} {}", file.string(), why.what()));
    }
  }

  static std::shared_ptr<const PluginSource> loaded(const Registry& registry,
                                                    const std::filesystem::path& file) {
    auto source = registry.load(file, {});
    const std::string_view id = source->entry->descriptor[0]->id;
    if (!id.starts_with("solver.generated.")) throw Error(fmt::format("has the plugin '{}'", id));
    return source;
  }

  std::mutex mutex_;
  std::map<std::pair<uint64_t, std::string>, std::shared_ptr<const PluginSource>> sources_;
};

}  // namespace

void add_generated_solver(Registry& registry) {
  GeneratedPlugin plugin;
  plugin.info.id = "solver.generated";
  plugin.info.version = "1.0";
  plugin.info.summary = "straight-line code, generated for each robot";
  plugin.info.abi_major = TORSOR_ABI_MAJOR;
  plugin.info.abi_minor = TORSOR_ABI_MINOR;
  const auto solvers = std::make_shared<GeneratedSolvers>();
  plugin.generate = [solvers](const Registry& from, const std::shared_ptr<const Model>& model,
                              std::string_view arguments) {
    return solvers->source(from, model, arguments);
  };
  registry.add(std::move(plugin));
}

std::string generated_solver_id(std::span<const std::string> quantities) {
  require_solver_quantities(quantities);
  return fmt::format("generated({})", fmt::join(quantities, "+"));
}

}  // namespace torsor::symbolic
