// Checks of the file and of plugin objects of any kind: loading, unloading, leaks, parameters.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>

#include "torsor/loading/descriptor.hpp"
#include "torsor/loading/elf_file.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

std::string visible_symbols(Trial& trial) {
  if (trial.subject().is_script()) throw NotApplicable("it is a script");
  const ElfFile file(trial.subject().file);
  if (file.exported.empty())
    throw Failed("it has no section headers, so its symbols cannot be read");
  std::vector<std::string> others, unique;
  for (const ElfFile::Symbol& symbol : file.exported) {
    if (symbol.unique) unique.push_back(symbol.name);
    if (symbol.name != "torsor_plugin_entry" && !symbol.weak) others.push_back(symbol.name);
  }
  if (!unique.empty())
    throw Failed(
        fmt::format("it has {} unique symbols, such as {}: the loader never unloads such a file, "
                    "and two builds of it would mix; build it with torsor_add_plugin, or with "
                    "-fno-gnu-unique -fvisibility=hidden",
                    unique.size(), unique[0]));
  if (!others.empty())
    throw Failed(
        fmt::format("it exports {} symbols besides torsor_plugin_entry, such as {}: build it with "
                    "torsor_add_plugin, or with -fvisibility=hidden",
                    others.size(), others[0]));
  return "only torsor_plugin_entry is visible";
}

std::string elf_note(Trial& trial) {
  if (trial.subject().is_script()) throw NotApplicable("it is a script");
  const auto found = ElfFile(trial.subject().file).note;
  if (!found)
    throw Failed(
        "it has no note to read before loading: add TORSOR_NOTE(\"id version\"), or TORSOR_PLUGINS "
        "in C++");
  return fmt::format("ABI {}.{}, {}", found->abi_major, found->abi_minor,
                     fmt::join(found->plugins, ", "));
}

// Loads and unloads the file several times in the process of the check, where it is already loaded
// once.
std::string unloads(Trial& trial) {
  if (trial.subject().is_script()) throw NotApplicable("it is a script");
  const auto loaded_libraries = [] {
    int count = 0;
    dl_iterate_phdr([](dl_phdr_info*, size_t, void* n) { return ++*static_cast<int*>(n), 0; },
                    &count);
    return count;
  };
  const int before = loaded_libraries();
  for (int k = 0; k < 3; ++k) {
    const PluginFile again(trial.subject().file);
    if (loaded_libraries() == before)
      throw Failed("it cannot be loaded a second time: the loader takes it for the first copy");
  }
  if (const int after = loaded_libraries(); after != before)
    throw Failed(
        "it stays in memory after it is unloaded: it has unique symbols, threads or thread-local "
        "data with destructors");
  return "it can be loaded again and unloaded";
}

long open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

std::string lifetime(Trial& trial) {
  Case at = trial.one_case(0);
  const std::vector<Parameter> parameters = trial.parameters(at, 0);
  const auto live = trial.subject().allocations.live;
  const bool counts = live && !trial.subject().is_script();
  const auto make = [&](bool prepared) {
    const auto plugin = trial.registry().object(trial.info().id, at.model, parameters);
    for (const char* id : {"", "torsor.unknown/1"})
      if (plugin->get()->get_interface(plugin->get(), id))
        throw Failed(fmt::format("it offers the interface '{}', which does not exist", id));
    std::unique_ptr<DynamicsService> dynamics;
    if (trial.kind().is_of_motors) {
      dynamics = trial.dynamics(at);
      plugin->provide(TORSOR_HOST_DYNAMICS, dynamics->table());
    }
    if (prepared) (void)prepare(*plugin, at.model->view());
  };
  constexpr int times = 50;
  for (const bool prepared : {false, true}) {
    trial.stage().set(prepared ? "while objects are created, prepared and destroyed"
                               : "while objects are created and destroyed");
    make(prepared);  // causes the allocations that happen only once
    const long open = open_descriptors(), before = counts ? live() : 0;
    for (int k = 0; k < times; ++k) make(prepared);
    const long left = counts ? live() - before : 0, left_open = open_descriptors() - open;
    const auto leave = [&](long n, const char* what) {
      if (n > 0)
        throw Failed(fmt::format("{} objects{} leave {} {} behind", times,
                                 prepared ? ", prepared," : "", n, what));
    };
    leave(left, "blocks of memory");
    leave(left_open, "open file descriptors");
  }
  return fmt::format("{} objects created, prepared and destroyed without a leak{}", 2 * times,
                     counts ? "" : " of files; memory cannot be counted here");
}

void set_raw(Plugin& plugin, uint32_t index, const std::vector<double>& values) {
  (void)plugin.get()->set_param(plugin.get(), index, values.data(), uint32_t(values.size()));
}

std::vector<double> strange_numbers(const torsor_param& row) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  return {row.min, row.max, row.initial, nan, inf,  -inf, -row.max,
          1e308,   -1e308,  5e-324,      0.0, -0.0, 0.5};
}

ParameterValue strange_value(Random& random) {
  const auto text = [&] {
    std::string out;
    for (int k = random.below(40); k > 0; --k) out.push_back(char(random.below(256)));
    return out;
  };
  const auto numbers = [&](int limit) {
    const double value = random.uniform(-2, 2);
    return std::vector<double>(size_t(random.below(limit)), value);
  };
  switch (random.below(5)) {
    case 0:
      return random.uniform(-1e9, 1e9);
    case 1:
      return random.below(2) == 0;
    case 2:
      return text();
    case 3:
      return numbers(20);
    default: {
      const std::vector<double> row = numbers(9);
      return Rows(size_t(random.below(4)), row);
    }
  }
}

// Sets unusual parameter values, both directly and through the host. The host rejects values
// outside of the range of the parameter.
std::string parameters(Trial& trial) {
  const std::vector<torsor_param> rows =
      parameter_rows(trial.registry().descriptor(trial.info().id));
  if (rows.empty()) throw NotApplicable("it has no parameters");
  Case at = trial.one_case(0);
  Random random(at.seed);
  const std::vector<Parameter> needed = trial.parameters(at, 0);
  int taken = 0, rejected = 0;
  const auto is_accepted = [&](const Parameter& parameter) {
    std::vector<Parameter> all = needed;
    all.push_back(parameter);
    try {
      (void)trial.registry().object(trial.info().id, at.model, all);
      ++taken;
      return true;
    } catch (const Error&) {
      ++rejected;
      return false;
    }
  };
  for (size_t k = 0; k < rows.size(); ++k) {
    const torsor_param& row = rows[k];
    trial.stage().set(fmt::format("with parameter '{}'", row.name));
    if (row.type < TORSOR_FRAME) {
      const auto plugin = trial.registry().object(trial.info().id, at.model, needed);
      for (const double x : strange_numbers(row))
        for (const size_t count : {size_t(std::max(1u, row.count)), size_t(at.model->n_v)})
          if (row.count == 0 || count == row.count)
            set_raw(*plugin, uint32_t(k), std::vector<double>(count, x));
    }
    if (row.type == TORSOR_REAL && row.count == 1 &&
        is_accepted({row.name, std::numeric_limits<double>::quiet_NaN()}))
      throw Failed(fmt::format("parameter '{}' accepts NaN", row.name));
    for (int times = 0; times < 40; ++times) is_accepted({row.name, strange_value(random)});
  }
  for (int times = 0; times < 40; ++times) {
    std::string name;
    for (int k = random.below(30); k > 0; --k) name.push_back(char(random.below(256)));
    if (is_accepted({name, 1.0}))
      throw Failed(fmt::format("a parameter with the unknown name '{}' is accepted", name));
  }
  return fmt::format("{} parameters; {} random values accepted, {} rejected", rows.size(), taken,
                     rejected);
}

}  // namespace

Checks file_checks() {
  return {{"symbols", "file", visible_symbols},
          {"note", "file", elf_note},
          {"unloads", "file", unloads},
          {"lifetime", "file", lifetime},
          {"parameters", "file", parameters}};
}

}  // namespace torsor::validation
