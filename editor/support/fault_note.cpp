#include "editor/support/fault_note.hpp"

#include <fcntl.h>

#include <fstream>
#include <system_error>

#include "torsor/loading/fault_report.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;

fs::path note_file(const fs::path& folder) {
  return folder / "fault.txt";
}

}  // namespace

std::string take_fault_note(const fs::path& folder) {
  constexpr std::string_view prefix = "torsor: ";
  std::string out;
  std::ifstream in(note_file(folder));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
    out += (out.empty() ? "" : "; ") + line;
  }
  std::error_code ignored;
  fs::resize_file(note_file(folder), 0, ignored);
  return out;
}

void keep_fault_note(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  // Several windows may have the file open. Each one appends its line.
  const int descriptor =
      open(note_file(folder).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor >= 0) copy_fault_report_to(descriptor);
}

}  // namespace torsor::editor
