#pragma once
// Files that the program writes.

#include <filesystem>
#include <string>

namespace torsor {

// Throws Error: "cannot write 'PATH': WHY".
[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why);

// Makes the folder where it is missing; "" is the present one. Throws Error where it cannot be made.
void make_folder(const std::filesystem::path& folder);

// Writes the text beside its final name, then renames it. Throws Error where it cannot be written, and for a name that is taken by
// what is no regular file: a device would become one.
void write_file(const std::filesystem::path& path, const std::string& text);

// Throws Error where write_file() would: for what is written at the end of long work.
void require_writable(const std::filesystem::path& path);

}  // namespace torsor
