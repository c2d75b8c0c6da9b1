#pragma once
// Stores the report of a fault that ended a window in a file, so that the next window can show it.

#include <filesystem>
#include <string>

namespace torsor::editor {

// Returns the reports in the file of a folder, joined by "; ", or "" if there are none. Empties the
// file.
std::string take_fault_note(const std::filesystem::path& folder);

// Makes a later fault of this process append its report to the file (loading/fault_report.hpp).
// Does nothing if the file cannot be opened, because standard error has the report anyway.
void keep_fault_note(const std::filesystem::path& folder);

}  // namespace torsor::editor
