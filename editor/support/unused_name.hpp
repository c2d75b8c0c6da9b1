#pragma once
// Chooses names for files that the window writes, so that no existing file is overwritten.

#include <filesystem>
#include <initializer_list>

namespace torsor::editor {

// Returns the name if it is free, or else the first free name of NAME-2.EXT, NAME-3.EXT, ... A name
// is taken if it exists with its own extension or with one of `also` ("" is the name without an
// extension).
std::filesystem::path unused_name(const std::filesystem::path& file,
                                  std::initializer_list<const char*> also = {});

}  // namespace torsor::editor
