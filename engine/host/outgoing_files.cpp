#include "torsor/host/outgoing_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/host/registry.hpp"

namespace torsor {

void OutgoingFiles::add(const Registry& before, const Registry& after) {
  const auto remaining = after.sources();
  for (const auto& source : before.sources())
    if (source->unloading && std::ranges::find(remaining, source) == remaining.end())
      files_.push_back({source->path, source->unloading});
}

std::vector<std::string> OutgoingFiles::warnings() {
  using State = PluginSource::Unloading::State;
  std::vector<std::string> out;
  std::erase_if(files_, [&](const File& file) {
    const State state = file.unloading->state;
    if (state == State::stayed)
      out.push_back(fmt::format(
          "the previous version of '{}' stays in memory: it has threads, thread-local data with "
          "destructors, or unique symbols; 'torsor validate' names them",
          file.path.string()));
    return state != State::loaded;
  });
  return out;
}

}  // namespace torsor
