#pragma once
// The place of the folder resources/, as importers give it: a path (FMI 3.0) or a URI (FMI 2.0).

#include <filesystem>
#include <string>

namespace torsor::fmi {

// Returns the path of a location. "file:///a%20b", "file:/a%20b" and "file://localhost/a%20b" are
// URIs, whose percent encoding is decoded. Any other text that begins with / or has no "://" is a
// path. Throws Error for "", for a URI of another scheme or host, and for a percent sign without
// two hexadecimal digits.
std::filesystem::path resource_folder(const std::string& location);

}  // namespace torsor::fmi
