#pragma once
// Compiled files, places of modules and memory for scripts that are loaded many times: the samples
// of a study. The loader of the scripts owns the cache, and gives it to scripts of one scene with
// the same options. All of them use the files as they were at the first use, even if a file has
// changed since.
//
// The bytecode is that of Lua's own compiler. Scripts cannot provide bytecode: load_file() rejects
// files with it.

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "torsor/scripting/cache/block_arena.hpp"

namespace torsor {

// Thread-safe.
class ScriptCache {
 public:
  struct Chunk {
    std::string bytecode;
    size_t text_size;   // of the source text, in bytes
    std::string shown;  // the name of the file as Lua shortens it in messages
  };

  // Returns the compiled file, or null if it is unknown.
  std::shared_ptr<const Chunk> chunk(const std::filesystem::path& file) const {
    const std::lock_guard lock(mutex_);
    const auto found = chunks_.find(file);
    return found == chunks_.end() ? nullptr : found->second;
  }
  // Adds a compiled file, unless it is known.
  void add_chunk(const std::filesystem::path& file, Chunk chunk) {
    const std::lock_guard lock(mutex_);
    chunks_.try_emplace(file, std::make_shared<const Chunk>(std::move(chunk)));
  }

  // Returns the file of a module, or "" if it is unknown. Only modules in the folders that a script
  // may read without permission are added.
  std::filesystem::path module(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find(name);
    return found == modules_.end() ? std::filesystem::path() : found->second;
  }
  void add_module(const std::string& name, const std::filesystem::path& file) {
    const std::lock_guard lock(mutex_);
    modules_.try_emplace(name, file);
  }

  // Returns an arena for the memory of a Lua state. The state gives it back at its end.
  std::unique_ptr<BlockArena> take_arena() {
    const std::lock_guard lock(mutex_);
    if (arenas_.empty()) return std::make_unique<BlockArena>();
    std::unique_ptr<BlockArena> out = std::move(arenas_.back());
    arenas_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<BlockArena> arena) {
    arena->clear();
    const std::lock_guard lock(mutex_);
    arenas_.push_back(std::move(arena));
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, std::shared_ptr<const Chunk>> chunks_;
  std::map<std::string, std::filesystem::path> modules_;
  std::vector<std::unique_ptr<BlockArena>> arenas_;  // unused ones
};

}  // namespace torsor
