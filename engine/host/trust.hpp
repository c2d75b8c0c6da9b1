#pragma once
// The user's decisions about which files scenes and robot files may load or read outside their own
// folder.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"

namespace torsor {

// A request to use a file for which a scene or robot file needs the user's permission.
struct AccessRequest {
  enum class Kind {
    plugin,  // machine code in any folder
    file     // data or Lua code outside the folders that a scene may read
  };
  Kind kind;
  std::filesystem::path file;  // absolute, without symbolic links
  std::string sha256;          // hash of the file; "" if the file cannot be read
  std::string source;          // "FILE:LINE", the place that names the file
};

// Returns true if the user allows the request. An empty function denies every request.
using Permission = std::function<bool(const AccessRequest&)>;

// Thrown if a script names a file without having permission to use it. Scripts cannot catch this
// error.
class PermissionNeeded : public Error {
 public:
  PermissionNeeded(const std::string& what, AccessRequest needed)
      : Error(what), request(std::move(needed)) {}
  AccessRequest request;
};

// Returns a request with the current hash of the file. The hash is "" if the file is not a regular
// file, is larger than 256 MiB, or cannot be read.
AccessRequest access_request(AccessRequest::Kind kind, const std::filesystem::path& file,
                             std::string source);

// The folders and files that the user trusts permanently: the contents of trust.json.
struct TrustList {
  struct File {
    std::filesystem::path path;  // information for the user; a file is trusted by its hash
    std::string sha256;
  };
  std::vector<std::filesystem::path> folders;  // absolute paths
  std::vector<File> files;
};

// Returns the path $XDG_CONFIG_HOME/torsor/trust.json. If the variable is not an absolute path,
// returns ~/.config/torsor/trust.json. Returns "" if there is no home folder.
std::filesystem::path trust_file();
// Reads the trust list from a file. Returns an empty list if the file does not exist. Throws Error,
// "FILE: what", if the file is damaged or other users can write to it.
TrustList read_trust(const std::filesystem::path& file);
// Reads the trust list, calls change() with it, and replaces the file by the changed list. The new
// file can be read only by its owner. Changes by other processes at the same time are not lost.
// Throws Error under the same conditions as read_trust(), and if the file cannot be written.
void change_trust(const std::filesystem::path& file, const std::function<void(TrustList&)>& change);

// Decides about requests. A file is allowed by the user's trust list, or if it was allowed for this
// process. Thread-safe.
class Trust {
 public:
  // file: the trust list, or "" for none. It is read again for each decision. If it cannot be used,
  // it is treated as empty, and warn() is called once with each reason.
  Trust(std::filesystem::path file, std::function<void(const std::string&)> warn);

  bool allows(const AccessRequest& request);
  // allow_once() allows a file with its present contents until this process ends. allow_always()
  // also adds it to the trust list. Both throw Error if the file has no hash, and allow_always() if
  // the list cannot be written.
  void allow_once(const AccessRequest& request);
  void allow_always(const AccessRequest& request);
  // Adds a folder to the trust list, including all its present and future contents. Throws Error if
  // the list cannot be written.
  void allow_folder(const std::filesystem::path& folder);

 private:
  TrustList list();

  const std::filesystem::path file_;
  const std::function<void(const std::string&)> warn_;
  std::mutex mutex_;
  std::set<std::string> once_, warned_;
};

}  // namespace torsor
