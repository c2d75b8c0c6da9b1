#include "torsor/host/outgoing_files.hpp"

#include <algorithm>

#include "torsor/host/registry.hpp"

namespace torsor {

void OutgoingFiles::add(const Registry& before, const Registry& after) {
  const auto remaining = after.sources();
  for (const auto& source : before.sources())
    if (source->unloading && std::ranges::find(remaining, source) == remaining.end())
      files_.push_back({source->path, source->unloading});
}

std::vector<std::filesystem::path> OutgoingFiles::stayed() {
  using State = PluginSource::Unloading::State;
  std::vector<std::filesystem::path> out;
  std::erase_if(files_, [&](const File& file) {
    const State state = file.unloading->state;
    if (state == State::stayed) out.push_back(file.path);
    return state != State::loaded;
  });
  return out;
}

}  // namespace torsor
