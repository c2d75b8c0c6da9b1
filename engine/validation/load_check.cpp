#include "torsor/validation/load_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/host/elf_file.hpp"
#include "torsor/host/plugin_file.hpp"
#include "torsor/model/error.hpp"
#include "torsor/validation/child.hpp"

namespace torsor::validation {

void check_loading(const std::filesystem::path& file, const Registry::ScriptLoader& load_script) {
  constexpr double seconds = 5;
  Stage stage;
  const auto load = [&] {
    (void)Registry({file}, load_script);
    return std::string("loaded");
  };
  const ChildEnd end = run_in_child(load, seconds, stage);
  if (end.how != ChildEnd::How::finished) throw Error(fmt::format("cannot be loaded: {}", end.text));
}

void check_reloading(const std::filesystem::path& file) {
  if (file.extension() == ".lua") return;
  require_readable(file);
  const ElfFile library(file);
  const auto unique = std::ranges::find_if(library.exported, &ElfFile::Symbol::unique);
  if (unique != library.exported.end())
    throw Error(fmt::format(
        "has unique symbols, such as {}, which it would share with the version before; build it with "
        "torsor_add_plugin, or with -fno-gnu-unique -fvisibility=hidden",
        unique->name));
  check_loading(file, {});
}

}  // namespace torsor::validation
