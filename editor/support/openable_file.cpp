#include "editor/support/openable_file.hpp"

#include <fmt/format.h>

#include "torsor/base/input_file.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor::editor {

bool can_be_opened(const std::filesystem::path& file) {
  return is_script(file) || robot_format(file) || is_recording(file);
}

std::string openable_files() {
  return fmt::format("scenes and robots (.lua or {}), recordings (.h5, .csv) and studies (.h5)",
                     robot_extensions());
}

}  // namespace torsor::editor
