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

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_model(const fs::path& place) {
  return is_file(place) || is_file(place / "model.config") || is_file(place / "model.sdf");
}

// Returns the minor version of an <sdf> in a model.config, 6 for "1.6", or 0.
int minor_version(const tinyxml2::XMLElement& sdf) {
  const char* version = sdf.Attribute("version");
  const std::string_view text = version ? version : "";
  return text.starts_with("1.") ? std::atoi(text.substr(2).data()) : 0;
}

// Returns the file that the model.config of a folder names.
fs::path file_of_config(const fs::path& folder) {
  const xml::Document document(folder / "model.config", model_config_type(), false);
  constexpr int newest = 12;
  const tinyxml2::XMLElement* best = nullptr;
  for (auto sdf = document.root().FirstChildElement("sdf"); sdf;
       sdf = sdf->NextSiblingElement("sdf"))
    if (!best || (minor_version(*sdf) <= newest && minor_version(*sdf) >= minor_version(*best)))
      best = sdf;
  if (!best) document.fail(document.root().GetLineNum(), "there is no <sdf>, which names the file");
  const std::string name = xml::Element(document, *best, "<model>").text();
  if (name.empty()) document.fail(best->GetLineNum(), "<sdf> is empty; it names a file");
  return folder / name;
}

fs::path find_model(const NamedFile& named, const MeshAccess& access) {
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

fs::path included_file(const NamedFile& named, const MeshAccess& access) {
  fs::path found;
  try {
    found = find_model(named, access);
  } catch (const Error& error) {
    throw FileNotIncluded(fmt::format("is not included: {}", error.what()));
  }
  if (is_file(found)) return found;
  const fs::path file =
      is_file(found / "model.config") ? file_of_config(found) : found / "model.sdf";
  if (!is_file(file))
    throw FileNotIncluded(fmt::format(
        "is not included: its model.config names '{}', which is not a file", file.string()));
  if (!may_read(resolved(file), named, access))
    throw FileNotIncluded(
        fmt::format("is not included: its model.config names '{}', which is outside its folder",
                    file.string()));
  return file;
}

}  // namespace torsor::sdf
