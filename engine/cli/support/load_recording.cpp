#include "torsor/cli/support/load_recording.hpp"

#include <fmt/format.h>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

Recording load_recording(const std::filesystem::path& path) {
  Recording recording = read_recording(path);
  if (!recording.error.empty())
    print_message(fmt::format("warning: '{}' is not complete, it has {}: {}", path.string(),
                              counted(recording.rows(), "row"), recording.error));
  return recording;
}

}  // namespace torsor::cli
