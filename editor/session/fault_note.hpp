#pragma once
// The report of a fault that ended a window, kept in a file for the next window.

#include <filesystem>
#include <string>

namespace torsor::editor {

// Returns the reports in the file of a folder, without their line ends, and empties it; "" if there
// are none.
std::string take_fault_note(const std::filesystem::path& folder);

// Lets the report of a fault of this process be written to the file too (loading/fault_report.hpp).
// Does nothing if the file cannot be opened: the report is on standard error anyway.
void keep_fault_note(const std::filesystem::path& folder);

}  // namespace torsor::editor
