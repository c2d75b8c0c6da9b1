#pragma once
// Finds the files that robot files and scenes name: meshes, and models that a file includes.

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace torsor {

// Returns whether the user allows a file, a path without symbolic links. source: the place that
// names it.
using FilePermission =
    std::function<bool(const std::filesystem::path& file, const std::string& source)>;
// Returns a permission that asks the other one once for each file, and repeats its answers.
FilePermission asked_once(FilePermission permission);

// Access to the files that a robot file or a scene names. Files in or below these folders may be
// read:
// - the folder of the scene
// - the parent of the folder of the robot file that names the file
// - the folders in the search paths (named_file.cpp), and those of `packages`
// - folders with a package.xml or a model.config
struct MeshAccess {
  std::filesystem::path folder = {};  // folder of the scene; "": the current folder
  FilePermission permission = {};     // for other files. Empty: no other file is allowed
  // Folders of packages, by the name of the package.
  std::map<std::string, std::filesystem::path> packages = {};
  // Receives each file that is read besides the robot file: included files, the descriptions of
  // models, files of closures and meshes. It is called before the file is read. May be empty.
  std::function<void(const std::filesystem::path& file)> found_file = {};
  // True if a script names the robot file. Its parts (NamedFile::is_part) must then be below
  // `folder` or allowed. Otherwise they may be where meshes may be.
  bool is_of_script = false;
};

// A file as it is named in a robot file or a scene.
struct NamedFile {
  std::string name;      // path, or file://, package:// or model:// URL
  std::string source;    // "file:line" of the place that names it
  bool is_part = false;  // a part of an MJCF file that it includes, or a file of closures
};

// Returns whether a file may be read. file: a path without symbolic links.
bool may_read(const std::filesystem::path& file, const NamedFile& named, const MeshAccess& access);

// A test of a place. access: the access of find_file(), which remembers the answers of the user.
using FileTest = std::function<bool(const std::filesystem::path& place, const MeshAccess& access)>;

// Returns the path of a file. A relative path begins at the folder of the file that names it.
// package://NAME/REST and model://NAME/REST are searched in this order:
// - access.packages
// - the folder of the file that names it, and the parents of this folder: folders called NAME,
//   folders with a folder NAME, and folders with the package.xml of the package NAME
// - for package://, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH (PREFIX/share)
// - for model://, SDF_PATH, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH and GAZEBO_MODEL_PATH,
//   and then those of package://. package:// searches these last.
// exists: decides whether the file is at a place. Asks for permission only if no place that may be
// read without has the file, and only once for each file. Throws Error, in one sentence, if the
// file is not found or may not be read. The message does not depend on whether a file exists that
// may not be read, and does not name the target of a symbolic link.
std::filesystem::path find_file(const NamedFile& named, MeshAccess access, const FileTest& exists);
// Returns whether a path is a regular file that may be read. Asks for permission first.
bool is_readable_file(const std::filesystem::path& file, const NamedFile& named,
                      const MeshAccess& access);

// Reads "NAME=FOLDER", the argument of --package, and adds it to the folders of packages. Throws
// Error if the text has another form, or if there is no such folder.
void add_package(const std::string& text, MeshAccess& access);

}  // namespace torsor
