#pragma once
// The files of an MJCF robot: the main file, the files that it includes, and those that <attach>
// adds.
//
// A model is a main file with the files that it includes. Each <attach> of a model adds another
// model: a copy of its file in which all names have the prefix (attach.hpp). It keeps its own
// classes, assets and settings of <compiler>. Elements outside of the tree, such as actuators, are
// those of all models.

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/xml/element.hpp"

namespace torsor::mjcf {

using tinyxml2::XMLElement;

// Returns an attribute of an element, or "" if it has none.
std::string attribute_of(const XMLElement& xml, const char* name);

// An element that <attach> adds.
struct AttachedElement {
  const XMLElement* xml;
  std::string childclass;  // class of the elements in it that name none
  std::string suffix;      // of the names in it, if it is a copy of <replicate> (replicate.hpp)
};

class Files {
 public:
  // Reads and checks the main file and all files that it includes or attaches. A relative path is
  // relative to the folder of the main file of its model; if there is no such file, to that of the
  // file that contains it. Throws Error with file:line if a file cannot be read, is malformed, is
  // included twice, or attaches itself.
  Files(const std::filesystem::path& file, const RobotFileOptions& options);

  const XMLElement& root() const { return root(0); }
  // The models: the main file is the first. root() returns the root of the main file of a model.
  size_t n_models() const { return models_.size(); }
  const XMLElement& root(size_t model) const {
    return documents_[models_[model].documents.front()]->root();
  }
  size_t model_of(const XMLElement& xml) const { return model_[index_.at(xml.GetDocument())]; }
  // Returns whether a model is another one, or is attached in it.
  bool is_in(size_t model, size_t other) const;
  // Returns the prefix of all names in a model, "" for the main file.
  const std::string& prefix(size_t model) const { return models_[model].prefix; }

  // Returns the child elements in order. An <include> is replaced by the elements of its file.
  // Elements that refer to parts of their model that are not attached are left out.
  std::vector<const XMLElement*> children(const XMLElement& parent) const;
  // Returns the child elements with a name.
  std::vector<const XMLElement*> children(const XMLElement& parent, std::string_view name) const;
  // Returns the elements in all elements SECTION of the roots of all models, or those NAME.
  std::vector<const XMLElement*> all(std::string_view section) const;
  std::vector<const XMLElement*> all(std::string_view section, std::string_view name) const;
  // Returns what an <attach> adds in its place, or nullptr if it adds nothing.
  const std::vector<AttachedElement>* attached(const XMLElement& xml) const;

  // owner: the name of the element in messages, such as "joint 'elbow'".
  xml::Element element(const XMLElement& xml, std::string owner) const {
    return {document_of(xml), xml, std::move(owner)};
  }
  const xml::Document& document_of(const XMLElement& xml) const;
  // Returns the place of an element as "FILE:LINE".
  std::string place(const XMLElement& xml) const { return document_of(xml).at(xml.GetLineNum()); }
  // Returns a place in the main file of its model: of the element, or of the <include> that leads
  // to it. Paths of meshes are relative to the folder of this file.
  std::string place_in_main_file(const XMLElement& xml) const;

  // Records an element or attribute that is not used. Throws Error if it is unknown or unsupported
  // and the option strict is set.
  void note(UnusedWord::Kind kind, const XMLElement& xml, std::string what, std::string hint = "");
  // Adds the unused words of all files to a robot, with one warning for each file.
  void report(RobotDescription& robot) const;

 private:
  struct Model {
    std::filesystem::path path;  // of the main file, without symbolic links
    std::string prefix;
    std::vector<size_t> documents;  // indices; that of the main file is the first
    int outer;                      // model with the <attach>, or -1
  };
  size_t read_model(const std::filesystem::path& file, const std::string& prefix, int outer);
  void read(const std::filesystem::path& file, std::string_view scope, int main_line, size_t model);
  void attach(const XMLElement& xml, size_t outer);
  const XMLElement* find_model(const xml::Element& attach, size_t outer);
  const std::string& name_of_model(const XMLElement& xml);
  void count_bytes(const std::filesystem::path& file, const xml::Element& element);
  void note_unused_models(size_t model);
  void check_nesting(const xml::Element& attach, const std::filesystem::path& file,
                     size_t outer) const;
  std::vector<AttachedElement> find_target(const xml::Element& attach, size_t model);
  void leave_out(const std::vector<AttachedElement>& attached, size_t model, bool is_whole);
  void leave_out(const XMLElement& xml, std::string_view section, const std::string& part);
  std::filesystem::path find(const XMLElement& xml) const;
  void add_children(const XMLElement& parent, std::vector<const XMLElement*>& out) const;
  std::vector<UnusedWord> unused_in(size_t document) const;

  const RobotFileOptions& options_;
  std::vector<std::unique_ptr<xml::Document>> documents_;  // the main file is the first
  std::vector<int> main_line_;  // of each file: the line in the main file that includes it
  std::vector<std::filesystem::path> paths_;  // of each file, without symbolic links
  std::vector<size_t> model_;                 // of each file
  std::vector<Model> models_;
  std::map<const tinyxml2::XMLDocument*, size_t> index_;
  std::map<const XMLElement*, const XMLElement*> included_;  // <include> -> root of its file
  std::map<const XMLElement*, std::vector<AttachedElement>> attached_;  // by <attach>
  std::unordered_set<const XMLElement*> left_out_;
  std::unordered_set<const XMLElement*> used_;  // <model> that an <attach> names
  // Names of models by <model>, and those of their files by path.
  std::map<const XMLElement*, std::string> model_names_;
  std::map<std::filesystem::path, std::string> names_in_files_;
  size_t n_attached_ = 0;  // elements in the files of attached models
  size_t n_bytes_ = 0;     // bytes of these files, and of those that give names to models
  size_t n_copied_ = 0;    // elements of copies that are searched in them
  std::vector<UnusedWord> notes_;
};

}  // namespace torsor::mjcf
