#include "torsor/formats/sdf/included_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "torsor/base/input_file.hpp"
#include "torsor/formats/sdf/table.hpp"
#include "torsor/formats/xml/element.hpp"

namespace torsor::sdf {

namespace fs = std::filesystem;

namespace {

// Returns the file of a model in a folder: model.config or model.sdf, or "" if there is none that
// may be read.
fs::path description_in(const fs::path& folder, const NamedFile& named, const MeshAccess& access) {
  for (const char* name : {"model.config", "model.sdf"})
    if (is_readable_file(folder / name, named, access)) return folder / name;
  return "";
}

// Returns the minor version of an <sdf> in a model.config, 6 for "1.6", or 0.
int minor_version(const tinyxml2::XMLElement& sdf) {
  const char* version = sdf.Attribute("version");
  const std::string_view text = version ? version : "";
  return text.starts_with("1.") ? std::atoi(text.substr(2).data()) : 0;
}

// Returns the file that a model.config names.
fs::path file_of_config(const fs::path& config) {
  const xml::Document document(config, model_config_type(), false);
  constexpr int newest = 12;
  const tinyxml2::XMLElement* best = nullptr;
  for (auto sdf = document.root().FirstChildElement("sdf"); sdf;
       sdf = sdf->NextSiblingElement("sdf"))
    if (!best || (minor_version(*sdf) <= newest && minor_version(*sdf) >= minor_version(*best)))
      best = sdf;
  if (!best) document.fail(document.root().GetLineNum(), "there is no <sdf>, which names the file");
  const std::string name = xml::Element(document, *best, "<model>").text();
  if (name.empty()) document.fail(best->GetLineNum(), "<sdf> is empty; it names a file");
  return config.parent_path() / name;
}

fs::path find_model(const NamedFile& named, const MeshAccess& access) {
  const auto is_model = [&](const fs::path& place, const MeshAccess& asked) {
    return is_readable_file(place, named, asked) || !description_in(place, named, asked).empty();
  };
  try {
    return find_file(named, access, is_model);
  } catch (const Error&) {
    if (named.name.find("://") != named.name.npos || named.name.starts_with('/')) throw;
    try {
      return find_file({"model://" + named.name, named.source}, access, is_model);
    } catch (const Error&) {
    }
    throw;
  }
}

}  // namespace

fs::path included_file(const NamedFile& named, MeshAccess access) {
  access.permission = asked_once(access.permission);
  fs::path found;
  try {
    found = find_model(named, access);
  } catch (const Error& error) {
    throw FileNotIncluded(fmt::format("is not included: {}", error.what()));
  }
  const auto tell = [&](const fs::path& file) {
    if (access.found_file) access.found_file(file);
    return file;
  };
  std::error_code ignored;
  if (fs::is_regular_file(found, ignored)) return tell(found);
  const fs::path description = tell(description_in(found, named, access));
  if (description.filename() != "model.config") return description;
  const fs::path file = file_of_config(description);
  if (!is_readable_file(file, named, access))
    throw FileNotIncluded(
        fmt::format("is not included: its model.config names '{}', which is not a file that may be "
                    "read; name a file in its folder",
                    file.string()));
  return tell(file);
}

}  // namespace torsor::sdf
