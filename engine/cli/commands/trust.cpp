// torsor trust: prints and changes the list of files and folders that the user trusts.

#include "torsor/host/trust.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "torsor/base/text.hpp"
#include "torsor/cli/options/command.hpp"

namespace torsor::cli {

namespace fs = std::filesystem;

namespace {

struct TrustOptions {
  std::vector<std::string> paths;
  bool remove = false;
};

const fs::path& file_of_list() {
  static const fs::path file = trust_file();
  if (file.empty()) throw Error("there is no folder for settings; set HOME or XDG_CONFIG_HOME");
  return file;
}

void print_list() {
  const TrustList list = read_trust(file_of_list());
  fmt::print("{} in {}\n",
             list.folders.empty() && list.files.empty() ? "nothing is trusted" : "trusted",
             file_of_list().string());
  for (const fs::path& folder : list.folders)
    fmt::print("  folder {}\n", one_line(folder.string()));
  for (const auto& [path, sha256] : list.files)
    fmt::print("  file   {} (SHA-256 {}...)\n", one_line(path.string()), sha256.substr(0, 12));
}

void add(const std::string& path) {
  Trust trust(file_of_list(), [](const std::string& why) { throw Error(why); });
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    trust.allow_folder(path);
    fmt::print("trusted: folder {}, with all that is in it now and later\n",
               resolved(path).string());
    return;
  }
  const AccessRequest file = access_request(AccessRequest::Kind::plugin, path, "");
  if (file.sha256.empty())
    throw Error(fmt::format(
        "'{}' is neither a folder nor a file that can be read; give a folder or a file", path));
  trust.allow_always(file);
  fmt::print("trusted: file {}, until it changes (SHA-256 {}...)\n", file.file.string(),
             file.sha256.substr(0, 12));
}

// Removes all entries for a path from the list. The file itself need not exist.
void remove(const std::string& path) {
  const fs::path file = resolved(path);
  bool found = false;
  change_trust(file_of_list(), [&](TrustList& list) {
    found |=
        std::erase_if(list.folders, [&](const fs::path& f) { return f == path || f == file; }) > 0;
    found |= std::erase_if(list.files,
                           [&](const auto& f) { return f.path == path || f.path == file; }) > 0;
  });
  if (!found) throw Error(fmt::format("'{}' is not in the list; 'torsor trust' prints it", path));
  fmt::print("no longer trusted: {}\n", file.string());
}

void run(const TrustOptions& options) {
  if (options.paths.empty() && options.remove)
    throw Error("--remove needs a path; 'torsor trust' prints the list");
  if (options.paths.empty()) return print_list();
  for (const std::string& path : options.paths) options.remove ? remove(path) : add(path);
}

}  // namespace

void add_trust_command(CLI::App& app) {
  const auto options = std::make_shared<TrustOptions>();
  CLI::App* command = app.add_subcommand(
      "trust",
      "Trust files and folders: scenes may load their plugins and read them without a question");
  command->add_option(
      "PATH", options->paths,
      "folder, trusted with all that is in it now and later; or a file, trusted until it "
      "changes; by default, the list of what is trusted is printed");
  command->add_flag("--remove", options->remove, "no longer trust the paths");
  command->footer(
      "Plugins of machine code that a scene names can do anything that you can do. Trust the "
      "folder in which you build your plugins, never one with files of others.\n"
      "Example: torsor trust");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
