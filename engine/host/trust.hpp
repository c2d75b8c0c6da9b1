#pragma once
// Trust: what scenes and robot files may load and read beyond their own folder, as the user
// decided.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"

namespace torsor {

// A file that a scene or a robot file names and may not use without the user's permission.
struct AccessRequest {
  enum class Kind {
    plugin,  // machine code, wherever it is
    file     // data or Lua, outside the folders that a scene may read
  };
  Kind kind;
  std::filesystem::path file;  // absolute, without symbolic links
  std::string sha256;          // of its bytes; "" if they cannot be read
  std::string source;          // "FILE:LINE" that names the file
};

// Returns whether the user allows a request. An empty function denies all.
using Permission = std::function<bool(const AccessRequest&)>;

// The error of a script that named a file without permission. No script can catch it.
class PermissionNeeded : public Error {
 public:
  PermissionNeeded(const std::string& what, AccessRequest needed)
      : Error(what), request(std::move(needed)) {}
  AccessRequest request;
};

// Returns the request for a file, with its present hash. A file that is no regular file, that is
// larger than 256 MiB, or that cannot be read has no hash.
AccessRequest access_request(AccessRequest::Kind kind, const std::filesystem::path& file,
                             std::string source);

// Returns the absolute path without symbolic links and "..", whether the file exists or not; "" if
// links form a cycle.
std::filesystem::path resolved(const std::filesystem::path& path);
// Returns whether a resolved path is the folder or below it, compared by path components. The
// folder is resolved first.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder);

// The folders and files that a user trusts permanently: the content of trust.json.
struct TrustList {
  struct File {
    std::filesystem::path path;  // where the file was; only the hash decides
    std::string sha256;
  };
  std::vector<std::filesystem::path> folders;  // absolute
  std::vector<File> files;
};

// Returns $XDG_CONFIG_HOME/torsor/trust.json, or the file below ~/.config; "" if there is no home.
std::filesystem::path trust_file();
// Reads a list; returns an empty one if there is no file. Throws Error, "FILE: what", for a file
// that is damaged, or that other users can write.
TrustList read_trust(const std::filesystem::path& file);
// Changes the list in the file, which is replaced as a whole and which only its owner can read.
// Changes of other processes are not lost. Throws Error as read_trust(), and if the file cannot be
// written.
void change_trust(const std::filesystem::path& file, const std::function<void(TrustList&)>& change);

// The decisions about requests: by the user's list, and by what was allowed for this process. Any
// thread may call it.
class Trust {
 public:
  // file: the list, which is read again for each decision; "" for none. If the list cannot be used,
  // nothing in it is trusted, and warn receives each reason once.
  Trust(std::filesystem::path file, std::function<void(const std::string&)> warn);

  bool allows(const AccessRequest& request);
  // Allow the file of a request, with its present content: while this process runs, or permanently.
  // Throw Error if the file has no hash or the list cannot be written.
  void allow_once(const AccessRequest& request);
  void allow_always(const AccessRequest& request);
  // Trusts a folder permanently, with all that is below it now and later. Throws Error if the list
  // cannot be written.
  void allow_folder(const std::filesystem::path& folder);

 private:
  TrustList list();

  const std::filesystem::path file_;
  const std::function<void(const std::string&)> warn_;
  std::mutex mutex_;
  std::set<std::string> once_, warned_;
};

}  // namespace torsor
