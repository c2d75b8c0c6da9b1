#include "torsor/host/trust.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/base/json_text.hpp"
#include "torsor/base/open_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/loading/plugin_file.hpp"

namespace torsor {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t max_hashed_size = std::uintmax_t(256) << 20;

bool is_sha256(const std::string& text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

constexpr const char* remedy =
    "nothing in it is trusted: correct it, or delete it and trust your files again with 'torsor "
    "trust PATH'";

[[noreturn]] void damaged(const fs::path& file, const std::string& what) {
  throw Error(fmt::format("{}: {}; {}", file.string(), what, remedy));
}

// Throws Error if another user owns the file or can write to it.
void require_own(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0)
    damaged(file,
            fmt::format("the list of trusted files cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) damaged(file, "this is not a regular file");
  if (status.st_uid != geteuid() && status.st_uid != 0)
    damaged(file, "the list of trusted files belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    throw Error(fmt::format("{}: other users can write it; run chmod 600 on it", file.string()));
}

// Returns a JSON value that must be a string. where: the place in the list for the message, such as
// "folders[0]" or "files[0].file".
std::string string_of(const nlohmann::json& value, const std::string& where, const fs::path& file) {
  if (!value.is_string()) damaged(file, fmt::format("'{}' is missing or not a string", where));
  return value.get<std::string>();
}

// Returns the list in the JSON member `key`, or an empty list if there is no such member.
nlohmann::json member(const nlohmann::json& json, const char* key, const fs::path& file) {
  const nlohmann::json list = json.value(key, nlohmann::json::array());
  if (!list.is_array()) damaged(file, fmt::format("'{}' is not a list", key));
  return list;
}

TrustList list_of(const nlohmann::json& json, const fs::path& file) {
  if (!json.is_object()) damaged(file, "the list of trusted files is not a JSON object");
  TrustList out;
  for (const auto& [key, value] : json.items())
    if (key != "folders" && key != "files")
      damaged(file, fmt::format("unknown key '{}'", quotable(key)));
  for (const auto& folder : member(json, "folders", file)) {
    out.folders.emplace_back(
        string_of(folder, fmt::format("folders[{}]", out.folders.size()), file));
    const fs::path& added = out.folders.back();
    if (!added.is_absolute())
      damaged(file,
              fmt::format("the folder '{}' is not an absolute path", quotable(added.string())));
  }
  for (const auto& entry : member(json, "files", file)) {
    const std::string where = fmt::format("files[{}]", out.files.size());
    if (!entry.is_object()) damaged(file, fmt::format("'{}' is not an object", where));
    const auto text = [&](const char* key) {
      return string_of(entry.value(key, nlohmann::json()), fmt::format("{}.{}", where, key), file);
    };
    out.files.push_back({text("file"), text("sha256")});
    const auto& [path, sha256] = out.files.back();
    if (!is_sha256(sha256))
      damaged(file, fmt::format("the sha256 of '{}' is not 64 hexadecimal digits",
                                quotable(path.string())));
  }
  return out;
}

std::string text_of(const TrustList& list) {
  auto json = nlohmann::ordered_json{{"folders", nlohmann::ordered_json::array()},
                                     {"files", nlohmann::ordered_json::array()}};
  for (const fs::path& folder : list.folders) json["folders"].push_back(folder.string());
  for (const auto& [path, sha256] : list.files)
    json["files"].push_back({{"file", path.string()}, {"sha256", sha256}});
  using Handler = nlohmann::ordered_json::error_handler_t;
  return json.dump(1, ' ', false, Handler::replace) + "\n";
}

[[noreturn]] void cannot_write(const fs::path& file) {
  throw Error(fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
}

// Replaces the file by a new one that only its owner can read and write. The caller must have
// locked the folder, so that no other process uses the .part file. An existing .part file was left
// by a killed process.
void replace(const fs::path& file, const std::string& text) {
  const std::string part = file.string() + ".part";
  unlink(part.c_str());
  const OpenFile out(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) cannot_write(file);
  const bool written = write(out.number(), text.data(), text.size()) == ssize_t(text.size()) &&
                       fsync(out.number()) == 0 && rename(part.c_str(), file.c_str()) == 0;
  if (written) return;
  const int reason = errno;
  unlink(part.c_str());
  errno = reason;
  cannot_write(file);
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Reads a JSON file. Throws Error "FILE:LINE:COLUMN: ..." if it is not valid JSON.
nlohmann::json parsed(const fs::path& file) {
  try {
    return parse_json(content(file), file.string());
  } catch (const Error& error) {
    throw Error(fmt::format("{}; {}", error.what(), remedy));
  }
}

}  // namespace

AccessRequest access_request(AccessRequest::Kind kind, const fs::path& file, std::string source) {
  AccessRequest out{kind, resolved(file), "", std::move(source)};
  std::error_code failed;
  if (out.file.empty() || !why_no_file(out.file).empty()) return out;
  if (fs::file_size(out.file, failed) > max_hashed_size || failed) return out;
  try {
    out.sha256 = sha256_of(out.file);
  } catch (const Error&) {  // ignored: the code that opens the file will report the reason
  }
  return out;
}

fs::path trust_file() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value ? value : "");
  };
  const fs::path config = folder("XDG_CONFIG_HOME"), home = folder("HOME");
  if (config.is_absolute()) return config / "torsor" / "trust.json";
  return home.is_absolute() ? home / ".config" / "torsor" / "trust.json" : fs::path();
}

TrustList read_trust(const fs::path& file) {
  std::error_code failed;
  if (file.empty() || fs::symlink_status(file, failed).type() == fs::file_type::not_found)
    return {};
  require_own(file);
  return list_of(parsed(file), file);
}

void change_trust(const fs::path& file, const std::function<void(TrustList&)>& change) {
  if (file.empty()) throw Error("there is no folder for settings; set HOME or XDG_CONFIG_HOME");
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const OpenFile folder(open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || flock(folder.number(), LOCK_EX) != 0) cannot_write(file);
  TrustList list = read_trust(file);
  change(list);
  replace(file, text_of(list));
}

Trust::Trust(fs::path file, std::function<void(const std::string&)> warn)
    : file_(std::move(file)), warn_(std::move(warn)) {}

TrustList Trust::list() {
  try {
    return read_trust(file_);
  } catch (const Error& error) {
    if (warned_.insert(error.what()).second) warn_(error.what());
    return {};
  }
}

bool Trust::allows(const AccessRequest& request) {
  const std::lock_guard lock(mutex_);
  if (!request.sha256.empty() && once_.contains(request.sha256)) return true;
  const TrustList known = list();
  if (!request.sha256.empty() &&
      std::ranges::find(known.files, request.sha256, &TrustList::File::sha256) != known.files.end())
    return true;
  return std::ranges::any_of(
      known.folders, [&](const fs::path& folder) { return is_below(request.file, folder); });
}

void Trust::allow_once(const AccessRequest& request) {
  if (request.sha256.empty())
    throw Error(fmt::format("'{}' cannot be read, so it cannot be allowed", request.file.string()));
  const std::lock_guard lock(mutex_);
  once_.insert(request.sha256);
}

void Trust::allow_always(const AccessRequest& request) {
  allow_once(request);  // valid for this process even if the list cannot be written
  change_trust(file_, [&](TrustList& list) {
    std::erase_if(list.files,
                  [&](const TrustList::File& file) { return file.sha256 == request.sha256; });
    list.files.push_back({request.file, request.sha256});
  });
}

void Trust::allow_folder(const fs::path& folder) {
  const fs::path root = resolved(folder);
  change_trust(file_, [&](TrustList& list) {
    if (std::ranges::find(list.folders, root) == list.folders.end()) list.folders.push_back(root);
  });
}

}  // namespace torsor
