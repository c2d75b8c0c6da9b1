#pragma once
// Options for opening a file in a session.

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "torsor/host/trust.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

namespace torsor::cli {
struct StudySample;
}

namespace torsor::editor {

struct SessionOptions {
  std::filesystem::path file;  // a file that can_be_opened(); "": no file yet
  Overrides overrides;
  // Folder of the journal, which stores the edits of a run; "": no journal.
  std::filesystem::path journal_folder;
  // Scene or robot that replaces the one named in a recording; "": no replacement.
  std::filesystem::path model = {};
  // Joint between the world and the root link of a robot file: true: floating, false: fixed.
  bool floating_base = false;
  // Folders of packages that a robot file names, by the name of the package.
  std::map<std::string, std::filesystem::path> packages = {};
  // true: the user has named `file`. false: a recording names it, and no program is started to read
  // it.
  bool is_named_by_user = true;
  // Permissions for machine code and for files outside the folder of a scene. allow_plugins allows
  // everything. Otherwise trust decides; null denies everything.
  bool allow_plugins = false;
  std::shared_ptr<Trust> trust = nullptr;
  // The sample of a study that the scene repeats, whose parameters are in overrides; null: none.
  std::shared_ptr<const cli::StudySample> sample = nullptr;

  Permission permission() const {
    return [all = allow_plugins, trust = trust](const AccessRequest& request) {
      return all || (trust && trust->allows(request));
    };
  }
};

}  // namespace torsor::editor
