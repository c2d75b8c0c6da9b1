#pragma once
// Finds the file of an <include>.

#include <filesystem>

#include "torsor/base/error.hpp"
#include "torsor/formats/packages/named_file.hpp"

namespace torsor::sdf {

// An <include> of a file that is not found or may not be read. The message continues a sentence
// that begins with the URI.
struct FileNotIncluded : Error {
  using Error::Error;
};

// Returns the file of a URI (packages/named_file.hpp). A relative path is also searched like
// model://. If the URI is that of a folder, its model.config names the file of the newest version
// of SDF that the reader knows. Without a model.config, the file is model.sdf. Throws
// FileNotIncluded, and Error with file:line if the model.config is not valid.
std::filesystem::path included_file(const NamedFile& named, MeshAccess access);

}  // namespace torsor::sdf
