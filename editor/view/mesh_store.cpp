#include "editor/view/mesh_store.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor::editor {

namespace {

// A version of a file.
struct Key {
  std::filesystem::path file;
  std::filesystem::file_time_type changed;
  auto operator<=>(const Key&) const = default;
};

}  // namespace

class MeshStore::Worker {
 public:
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void request(const Model& model, const MeshAccess& access) {
    const std::lock_guard lock(mutex_);
    access_ = access;
    ++wanted_;
    ++version_;
    names_.clear();
    failures_.clear();
    keys_.assign(model.visuals.size(), {});
    for (const Visual& visual : model.visuals) {
      const auto* mesh = std::get_if<MeshFile>(&visual.shape);
      names_.push_back(mesh ? *mesh : MeshFile{});
    }
    next_ = 0;
    skip_others();
    if (next_ == names_.size()) return;
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    wake_.notify_one();
  }

  bool busy() const {
    const std::lock_guard lock(mutex_);
    return next_ < names_.size();
  }
  int version() const {
    const std::lock_guard lock(mutex_);
    return version_;
  }
  std::vector<std::string> take_failures() {
    constexpr size_t most = 3;
    const std::lock_guard lock(mutex_);
    if (next_ < names_.size()) return {};
    std::vector<std::string> out = std::exchange(failures_, {});
    if (out.size() <= most) return out;
    const std::string rest = fmt::format("{} more meshes are not drawn", out.size() - most);
    out.resize(most);
    out.push_back(rest);
    return out;
  }
  std::vector<Surfaces> loaded() const {
    const std::lock_guard lock(mutex_);
    std::vector<Surfaces> out;
    for (const Key& key : keys_) {
      const auto found = meshes_.find(key);
      out.push_back(found == meshes_.end() ? nullptr : found->second);
    }
    return out;
  }

 private:
  void skip_others() {
    while (next_ < names_.size() && names_[next_].file.empty()) ++next_;
  }

  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return quit_ || next_ < names_.size(); });
      if (quit_) return;
      const MeshFile mesh = names_[next_];
      const MeshAccess access = access_;
      const int wanted = wanted_;
      std::string failure;
      std::optional<Key> key;
      Surfaces surfaces;
      lock.unlock();
      try {
        const std::filesystem::path file = find_mesh(mesh, access);
        key = {file, std::filesystem::last_write_time(file)};
        surfaces = known(*key);
        if (!surfaces) surfaces = std::make_shared<std::vector<Surface>>(read_mesh(file));
      } catch (const std::exception& error) {
        failure = error.what();
      }
      lock.lock();
      if (wanted != wanted_) continue;  // request() was called meanwhile
      take(mesh, failure, key, surfaces);
    }
  }

  Surfaces known(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = meshes_.find(key);
    return found == meshes_.end() ? nullptr : found->second;
  }

  void take(const MeshFile& mesh, const std::string& failure, const std::optional<Key>& key,
            const Surfaces& surfaces) {
    if (failure.empty()) {
      keys_[next_] = *key;
      meshes_[*key] = surfaces;
      ++version_;
    } else {
      failures_.push_back(
          fmt::format("{}: mesh '{}' is not drawn: {}", mesh.source, one_line(mesh.file), failure));
    }
    ++next_;
    skip_others();
    if (next_ < names_.size()) return;
    const std::set<Key> in_use(keys_.begin(), keys_.end());
    std::erase_if(meshes_, [&](const auto& entry) { return !in_use.contains(entry.first); });
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  MeshAccess access_;
  std::vector<MeshFile> names_;  // [visuals] mesh files; the name is empty for other shapes
  std::vector<Key> keys_;        // [visuals] set for loaded meshes
  size_t next_ = 0;
  std::map<Key, Surfaces> meshes_;
  std::vector<std::string> failures_;
  int version_ = 0, wanted_ = 0;
  bool quit_ = false;
  std::thread thread_;
};

MeshStore::MeshStore() : worker_(std::make_unique<Worker>()) {}
MeshStore::~MeshStore() = default;
void MeshStore::request(const Model& model, const MeshAccess& access) {
  worker_->request(model, access);
}
bool MeshStore::busy() const {
  return worker_->busy();
}
std::vector<Surfaces> MeshStore::loaded() const {
  return worker_->loaded();
}
int MeshStore::version() const {
  return worker_->version();
}
std::vector<std::string> MeshStore::take_failures() {
  return worker_->take_failures();
}

}  // namespace torsor::editor
