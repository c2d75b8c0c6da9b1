#pragma once
// The XML side of URDF import: a file that is well formed and holds nothing that the table does not know.

#include <tinyxml2.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/builder.hpp"
#include "torsor/model/urdf_table.hpp"

namespace torsor::urdf {

// A piece of the file for a message: on one line, and cut where it is long.
std::string readable(std::string_view text);

class Document {
 public:
  // Throws Error: a file that cannot be read, XML that is not well formed, and whatever has no row.
  explicit Document(const std::filesystem::path& file);

  const tinyxml2::XMLElement& robot() const { return *xml_.RootElement(); }
  // "12 <visual>, 3 lower of continuous joints, ...": how often what the table ignores was met; "" if never.
  std::string ignored() const;
  std::vector<IgnoredField> ignored_fields() const;  // each of them
  std::string at(int line) const;
  [[noreturn]] void fail(int line, const std::string& text) const;
  const std::string& name() const { return name_; }

 private:
  void parse(const std::string& text);
  void check_document();
  void check(const tinyxml2::XMLElement& element, std::string_view joint_type);
  void check_attributes(const tinyxml2::XMLElement& element, std::string_view joint_type);
  bool takes(size_t row, int line, std::string_view joint_type);
  [[noreturn]] void fail_unknown(int line, std::string_view parent, std::string_view name) const;

  std::string name_;  // of the file, as the user gave it
  tinyxml2::XMLDocument xml_;
  struct Ignored {
    size_t row;
    int line;
  };
  std::vector<Ignored> ignored_;
};

}  // namespace torsor::urdf
