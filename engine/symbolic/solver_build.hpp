#pragma once
// Compiles the source of a generated solver.

#include <filesystem>
#include <string>

namespace torsor::symbolic {

// Compiles a plugin in C11 to a file FOLDER/NAME.so, for this machine's processor. The compiler is
// that of the variable CC, or clang, or cc if clang is not installed. The source is written to
// FOLDER/NAME.c first, so that it can be read if the compiler fails. Throws Error if there is no
// compiler, if it fails, or if a file cannot be written.
std::filesystem::path compile_solver(const std::string& source, const std::string& name,
                                     const std::filesystem::path& folder);

// Returns the plugin for this source. Compiles it in the user's cache folder, unless it is already
// there. Other sources and other compilers have other folders there. Throws Error as
// compile_solver().
std::filesystem::path cached_solver(const std::string& source, const std::string& name);

}  // namespace torsor::symbolic
