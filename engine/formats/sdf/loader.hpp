#pragma once
// Reads the <model> and <world> elements of an SDF file and of the files that it includes.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/sdf/scope.hpp"

namespace torsor::sdf {

class Loader {
 public:
  Loader(const std::filesystem::path& file, const RobotFileOptions& options);

  // Returns the scope of the world. Throws Error with file:line if a file is not valid.
  std::unique_ptr<Scope> read();

  // Return the documents of the file and of its includes, in the order of their first use, and the
  // warnings about them.
  std::vector<const xml::Document*> documents() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Adds a word that is not used because of its value (xml::Document::note).
  void note(const xml::Element& element, UnusedWord::Kind kind, std::string what,
            std::string hint = "");

 private:
  struct File {
    std::unique_ptr<xml::Document> document;
    Version version;
  };

  const File& open(const std::filesystem::path& path);
  Version read_version(const xml::Document& document);
  void note_others(const xml::Document& document, const tinyxml2::XMLElement& world);
  std::unique_ptr<Scope> read_scope(const File& file, const tinyxml2::XMLElement& xml,
                                    const Scope* parent);
  void read_contents(const File& file, Scope& scope);
  void read_links(const File& file, Scope& scope);
  void read_joints(const File& file, Scope& scope);
  void read_frames(const File& file, Scope& scope);
  void read_includes(const File& file, Scope& scope);
  std::unique_ptr<Scope> include(const xml::Element& element, Scope& scope);
  std::unique_ptr<Scope> include_model(const xml::Element& element, const std::string& uri,
                                       Scope& scope);
  void override_values(const xml::Element& element, Scope& model);

  RobotFileOptions options_;
  std::filesystem::path file_;
  std::map<std::filesystem::path, File> files_;
  std::vector<const File*> in_order_;
  std::vector<std::filesystem::path> open_includes_;  // the files that are being included
  std::vector<std::string> warnings_;
  int n_models_ = 0, n_links_ = 0;
};

}  // namespace torsor::sdf
