#include "torsor/host/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <set>
#include <system_error>

#include "torsor/host/plugin_object.hpp"
#include "torsor/host/positions.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/loading/elf_file.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/loading/plugin_variant.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace fs = std::filesystem;

namespace {

std::string joined(const std::vector<fs::path>& paths) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.string());
  return names.empty() ? "nowhere" : fmt::format("{}", fmt::join(names, ", "));
}

// Returns a clause for a message about a path that does not exist.
std::string absence(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  return error ? "does not exist"
               : fmt::format("is a link to '{}', which does not exist", target.string());
}

// Returns the kind of the value of a parameter, which is shown instead of a unit. Returns "" for a
// plain number, flag or choice.
std::string kind_of_value(const torsor_param& row) {
  constexpr const char* kinds[] = {"frame", "position", "path", "table", "pose", "poses"};
  return row.type < TORSOR_FRAME ? "" : kinds[row.type - TORSOR_FRAME];
}

// Returns the paths of the entries of a folder, sorted.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error)
    throw Error(
        fmt::format("plugin folder '{}' cannot be read: {}", folder.string(), error.message()));
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

struct Registry::Impl {
  struct Source {
    std::shared_ptr<const PluginSource> file;
    const torsor_descriptor* descriptor;
  };
  std::vector<fs::path> paths;
  ScriptLoader load_script;
  std::shared_ptr<FirstLoads> first_loads = std::make_shared<FirstLoads>();
  FirstLoads::Tried tried = FirstLoads::Tried::if_unknown;
  // If true, newly loaded files replace loaded files, see require_replaceable().
  bool replaces = false;
  std::vector<PluginInfo> plugins;  // sorted by id
  std::vector<Source> sources;      // sources[k] is the source of plugins[k]
  std::vector<GeneratedPlugin> generated;
  std::vector<SkippedFile> skipped;
  std::set<fs::path> seen;  // canonical paths of all files found so far
  // During the search: sources of the previous registry whose files have not changed.
  std::vector<std::shared_ptr<const PluginSource>> shared;

  static bool is_script(const fs::path& file, const ScriptLoader& loader) {
    return loader && file.extension() == ".lua";
  }

  // A file found in one of the search paths.
  struct Found {
    fs::path file, path;
    std::string reason;                  // why it is skipped, or ""
    std::shared_ptr<PluginImage> image;  // null for a script, and for a file that is already loaded
  };

  void look_in_all() {
    std::vector<Found> found;
    for (const fs::path& path : paths) look_in(path, found);
    std::erase_if(found, [&](const Found& each) {
      if (!each.reason.empty()) return false;
      std::error_code error;
      const fs::path canonical = fs::canonical(each.file, error);
      return !seen.insert(error ? each.file : canonical).second;
    });
    read_and_check(found);
    for (const Found& each : found) add_file(each);
    shared.clear();
  }

  std::shared_ptr<const PluginSource> known(const fs::path& file) const {
    const auto at = std::ranges::find(shared, file, &PluginSource::path);
    return at == shared.end() ? nullptr : *at;
  }

  // Reads the machine-code files and checks whether they can be loaded. Sets `reason` of those that
  // cannot.
  void read_and_check(std::vector<Found>& found) const {
    std::vector<Found*> read;
    std::vector<std::shared_ptr<PluginImage>> images;
    for (Found& each : found) {
      if (!each.reason.empty() || is_script(each.file, load_script) || known(each.file)) continue;
      try {
        images.push_back(each.image = std::make_shared<PluginImage>(each.file));
        read.push_back(&each);
      } catch (const Error& why) {
        each.reason = why.what();
      }
    }
    std::vector<std::string> reasons = first_loads->check(images, tried);
    for (size_t k = 0; k < read.size(); ++k) read[k]->reason = std::move(reasons[k]);
  }

  void look_in(const fs::path& path, std::vector<Found>& found) {
    const auto skip = [&](const fs::path& file, std::string reason) {
      found.push_back({file, path, std::move(reason), nullptr});
    };
    const auto take = [&](const fs::path& file) { found.push_back({file, path, "", nullptr}); };
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
      throw Error(fmt::format(
          "plugin path '{}' {}: give a plugin file (*.so{}) or a folder of them; the paths are {}",
          path.string(), absence(path), load_script ? ", *.lua" : "", joined(paths)));
    if (error)
      throw Error(
          fmt::format("plugin path '{}' cannot be read: {}", path.string(), error.message()));
    if (!fs::is_directory(status)) return take(path);
    for (const fs::path& entry : entries_of(path)) {
      const fs::file_status kind = fs::status(entry, error);
      if (fs::is_directory(kind)) {
        if (!contains_variants(entry)) skip(entry, "is a subfolder: give its path to search it");
        for (const fs::path& variant : variants_alone(entry))
          skip(variant,
               fmt::format("is a variant of '{}', which does not exist: add this file, for "
                           "processors of every level",
                           (path / variant.filename()).string()));
      } else if (entry.extension() != ".so" && !is_script(entry, load_script)) {
        continue;
      } else if (kind.type() == fs::file_type::not_found) {
        skip(entry, absence(entry));
      } else {
        take(entry.extension() == ".so" ? best_variant(entry) : entry);
      }
    }
  }

  // Throws Error if the file exports unique symbols (STB_GNU_UNIQUE), because it would share them
  // with its previous version. The message is a clause whose subject is the file.
  static void require_replaceable(const PluginImage& image) {
    const ElfFile library(image.descriptor());
    const auto unique = std::ranges::find_if(library.exported, &ElfFile::Symbol::unique);
    if (unique != library.exported.end())
      throw Error(fmt::format(
          "has unique symbols, such as {}, which it would share with the version before; build it "
          "with torsor_add_plugin, or with -fno-gnu-unique -fvisibility=hidden",
          unique->name));
  }

  // Loads an image that read_and_check() has accepted.
  std::shared_ptr<const PluginSource> load(std::shared_ptr<PluginImage> image) const {
    if (replaces) require_replaceable(*image);
    return load_plugin_file(std::move(image));
  }

  std::shared_ptr<const PluginSource> load(const fs::path& file, const ScriptLoader& loader,
                                           const std::string& sha256) const {
    if (is_script(file, loader)) return loader(file);
    const auto image = std::make_shared<PluginImage>(file);
    if (!sha256.empty() && image->sha256() != sha256)
      throw Error("has changed since it was allowed to load; load the scene again");
    const std::vector<std::string> reasons = first_loads->check({&image, 1}, tried);
    if (!reasons[0].empty()) throw Error(reasons[0]);
    return load(image);
  }

  void add_file(const Found& found) {
    const fs::path &file = found.file, &path = found.path;
    if (!found.reason.empty()) {
      skipped.push_back({file, found.reason, path});
      return;
    }
    try {
      std::shared_ptr<const PluginSource> source = known(file);
      if (!source) source = found.image ? load(found.image) : load_script(file);
      for (uint32_t k = 0; k < source->entry->n_descriptor; ++k) {
        const Rejection rejection = add_plugin(source, source->entry->descriptor[k], path);
        if (!rejection.reason.empty())
          skipped.push_back({file, rejection.reason, path, rejection.is_second});
      }
    } catch (const Error& why) {
      skipped.push_back({file, why.what(), path});
    }
  }

  struct Rejection {
    std::string reason = "";  // why the plugin was not added, or ""
    bool is_second = false;
  };
  Rejection add_plugin(const std::shared_ptr<const PluginSource>& source,
                       const torsor_descriptor* descriptor, const fs::path& path) {
    // A malformed descriptor may cause a crash here.
    const PluginCall call(source->path.c_str(), "its descriptors");
    if (const auto defect = descriptor_defect(descriptor))
      return {fmt::format("cannot be used: {}", *defect)};
    if (std::ranges::any_of(
            generated, [&](const GeneratedPlugin& each) { return each.info.id == descriptor->id; }))
      return {fmt::format("has a plugin '{}', which is generated for each robot: choose another id",
                          descriptor->id)};
    const auto at =
        std::lower_bound(plugins.begin(), plugins.end(), descriptor->id,
                         [](const PluginInfo& info, const char* id) { return info.id < id; });
    if (at != plugins.end() && at->id == descriptor->id)
      return at->file == source->path
                 ? Rejection{fmt::format("has two plugins '{}': give them different ids",
                                         descriptor->id)}
                 : Rejection{
                       fmt::format(
                           "has a plugin '{}', which {} already provides: the first path with "
                           "an id is used",
                           descriptor->id, at->file.string()),
                       true};
    sources.insert(sources.begin() + (at - plugins.begin()), {source, descriptor});
    std::vector<ParameterInfo> parameters;
    for (const torsor_param& row : parameter_rows(*descriptor))
      parameters.push_back(
          {row.name, *row.unit ? row.unit : kind_of_value(row), row.help, row.type, row.count});
    plugins.insert(
        at, {descriptor->id, descriptor->version, descriptor->summary, descriptor->family,
             source->path, source->sha256, source->entry->abi_major, source->entry->abi_minor,
             std::move(parameters), path, level_of_file(source->path)});
    return {};
  }

  // Returns the generated plugin with this id, with or without kind and arguments, or null.
  const GeneratedPlugin* generated_plugin(const std::string& kind, std::string_view id) const {
    const std::string_view name = id.substr(0, id.find('('));
    const auto at = std::ranges::find_if(generated, [&](const GeneratedPlugin& each) {
      return each.info.kind() == kind &&
             (each.info.id == name || each.info.id == fmt::format("{}.{}", kind, name));
    });
    return at == generated.end() ? nullptr : &*at;
  }

  size_t index(const std::string& kind, std::string_view id) const {
    const std::string prefix = kind + ".",
                      name(id.starts_with(prefix) ? id.substr(prefix.size()) : id);
    std::vector<std::string> known;
    for (size_t k = 0; k < plugins.size(); ++k) {
      if (!plugins[k].id.starts_with(prefix)) continue;
      known.push_back(plugins[k].id.substr(prefix.size()));
      if (known.back() == name) return k;
    }
    for (const GeneratedPlugin& plugin : generated)
      if (plugin.info.kind() == kind) known.push_back(plugin.info.id.substr(prefix.size()));
    const auto other = std::ranges::find_if(plugins, [&](const PluginInfo& plugin) {
      return plugin.id == name || plugin.id.substr(plugin.id.find('.') + 1) == name;
    });
    const std::string what =
        other != plugins.end()
            ? fmt::format("'{}' is a {}, not a {}", id, other->id.substr(0, other->id.find('.')),
                          kind)
            : fmt::format("there is no {} '{}'{}", kind, id, did_you_mean(name, known));
    std::string message = fmt::format(
        "{} (found: {}; searched: {}", what,
        known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")), joined(paths));
    for (const SkippedFile& file : skipped)
      message += fmt::format("; skipped {}: {}", file.file.string(), file.reason);
    throw Error(message + ")");
  }

  size_t index(std::string_view id) const {
    return index(std::string(id.substr(0, id.find('.'))), id);
  }

  // Implements Registry::configure() for a plugin of a source.
  void configure(const Source& source, const Model& model, const std::vector<Parameter>& parameters,
                 const Prepare& prepare) const {
    const auto with_file = [&](std::string_view what) {
      return fmt::format("{} ({})", what, source.file->path.string());
    };
    try {
      auto object = std::make_unique<PluginObject>(source.file, *source.descriptor);
      std::vector<double> base = base_of(*source.descriptor, model, parameters);
      for (const Parameter& parameter : parameters) set_parameter(*object, model, base, parameter);
      require_given(*object, parameters);
      std::vector<Setting> set = settings(*object, parameters);
      prepare({std::move(object), std::move(set), std::move(base)});
    } catch (const UnsupportedModel& error) {
      throw UnsupportedModel(with_file(error.what()), error.reason);
    } catch (const Error& error) {
      throw Error(with_file(error.what()));
    } catch (const std::bad_alloc&) {
      throw Error(
          with_file(fmt::format("there is not enough memory to prepare plugin '{}' for this model",
                                source.descriptor->id)));
    }
  }
};

Registry::Registry(const std::vector<fs::path>& paths, ScriptLoader load_script,
                   FirstLoads::Tried tried)
    : impl_(std::make_shared<Impl>()) {
  impl_->paths = paths;
  impl_->load_script = std::move(load_script);
  impl_->tried = tried;
  impl_->look_in_all();
}
Registry::~Registry() = default;
Registry::Registry(const Registry& other) = default;
Registry::Registry(Registry&&) noexcept = default;

Registry::Impl& Registry::own() {
  if (impl_.use_count() > 1) impl_ = std::make_shared<Impl>(*impl_);
  return *impl_;
}

Registry Registry::again(const std::vector<fs::path>& changed) const {
  Registry out({}, impl_->load_script);
  out.impl_->first_loads = impl_->first_loads;
  out.impl_->replaces = true;
  out.impl_->paths = impl_->paths;
  out.impl_->generated = impl_->generated;
  for (const auto& source : sources())
    if (std::ranges::find_first_of(source->files, changed) == source->files.end())
      out.impl_->shared.push_back(source);
  out.impl_->look_in_all();
  return out;
}

std::shared_ptr<const PluginSource> Registry::load(const fs::path& file,
                                                   const ScriptLoader& load_script,
                                                   const std::string& sha256) const {
  return impl_->load(file, load_script, sha256);
}

std::vector<std::shared_ptr<const PluginSource>> Registry::sources() const {
  std::vector<std::shared_ptr<const PluginSource>> out;
  for (const Impl::Source& source : impl_->sources)
    if (std::ranges::find(out, source.file) == out.end()) out.push_back(source.file);
  return out;
}

std::vector<fs::path> Registry::files() const {
  std::set<fs::path> out(paths().begin(), paths().end());
  for (const auto& source : sources()) out.insert(source->files.begin(), source->files.end());
  std::error_code ignored;
  for (const SkippedFile& file : skipped())
    if (!fs::is_directory(file.file, ignored)) out.insert(file.file);
  return {out.begin(), out.end()};
}

void Registry::require_files_of(const Registry& before) const {
  const auto now = sources();
  for (const auto& source : before.sources()) {
    if (std::ranges::find(now, source->path, &PluginSource::path) != now.end()) continue;
    const auto why = std::ranges::find(skipped(), source->path, &SkippedFile::file);
    throw Error(fmt::format("plugin file '{}' {}", source->path.string(),
                            why == skipped().end() ? absence(source->path) : why->reason));
  }
}

void Registry::add(const std::shared_ptr<const PluginSource>& source) {
  for (uint32_t k = 0; k < source->entry->n_descriptor; ++k)
    if (const auto [reason, second] = own().add_plugin(source, source->entry->descriptor[k], {});
        !reason.empty())
      throw Error(fmt::format("{} {}", source->path.string(), reason));
}

void Registry::add(GeneratedPlugin plugin) {
  const auto same = std::ranges::find(impl_->plugins, plugin.info.id, &PluginInfo::id);
  if (same == impl_->plugins.end()) own().generated.push_back(std::move(plugin));
}

const std::vector<PluginInfo>& Registry::plugins() const {
  return impl_->plugins;
}
std::vector<PluginInfo> Registry::generated() const {
  std::vector<PluginInfo> out;
  for (const GeneratedPlugin& plugin : impl_->generated) out.push_back(plugin.info);
  return out;
}
const std::vector<SkippedFile>& Registry::skipped() const {
  return impl_->skipped;
}
const std::vector<fs::path>& Registry::paths() const {
  return impl_->paths;
}

PluginInfo Registry::find(const char* kind, std::string_view id) const {
  const GeneratedPlugin* generated = impl_->generated_plugin(kind, id);
  if (!generated) return impl_->plugins[impl_->index(kind, id)];
  PluginInfo info = generated->info;
  info.id += id.substr(std::min(id.find('('), id.size()));
  return info;
}

void Registry::configure(const char* kind, std::string_view id,
                         const std::shared_ptr<const Model>& model,
                         const std::vector<Parameter>& parameters, const Prepare& prepare) const {
  const GeneratedPlugin* generated = impl_->generated_plugin(kind, id);
  if (!generated)
    return impl_->configure(impl_->sources[impl_->index(kind, id)], *model, parameters, prepare);
  const size_t open = id.find('(');
  if (open != id.npos && !id.ends_with(')'))
    throw Error(fmt::format("there is no {} '{}': it does not end with ')'", kind, id));
  const std::string_view arguments =
      open == id.npos ? "" : id.substr(open + 1, id.size() - open - 2);
  const auto source = generated->generate(*this, model, arguments);
  impl_->configure({source, source->entry->descriptor[0]}, *model, parameters, prepare);
}

std::shared_ptr<const Controller> Registry::controller(std::string_view id,
                                                       std::shared_ptr<const Model> model,
                                                       std::string_view solver,
                                                       const Vec3<double>& gravity_W,
                                                       const std::vector<Parameter>& parameters,
                                                       MechanismDynamics mechanism) const {
  const Impl::Source& source = impl_->sources[impl_->index(Controller::kind, id)];
  auto dynamics = std::make_unique<DynamicsService>(this->solver(solver, model), model, gravity_W,
                                                    std::move(mechanism));
  std::shared_ptr<const Controller> out;
  impl_->configure(source, *model, parameters, [&](ConfiguredPlugin configured) {
    out = std::make_shared<const Controller>(std::move(configured), std::move(dynamics));
  });
  return out;
}

const torsor_descriptor& Registry::descriptor(std::string_view id) const {
  return *impl_->sources[impl_->index(id)].descriptor;
}
std::unique_ptr<Plugin> Registry::object(std::string_view id,
                                         const std::shared_ptr<const Model>& model,
                                         const std::vector<Parameter>& parameters) const {
  std::unique_ptr<Plugin> out;
  const std::string kind(id.substr(0, id.find('.')));
  configure(kind.c_str(), id, model, parameters,
            [&](ConfiguredPlugin configured) { out = std::move(configured.plugin); });
  return out;
}

}  // namespace torsor
