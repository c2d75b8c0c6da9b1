#include "fuzz/support.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "torsor/base/error.hpp"

extern "C" {
const torsor_entry* articulated_body_entry(void);
const torsor_entry* newton_euler_entry(void);
const torsor_entry* ground_entry(void);
const torsor_entry* pid_entry(void);
const torsor_entry* point_to_point_entry(void);
}

namespace torsor::fuzz {

namespace fs = std::filesystem;

bool accepts(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty()) throw Finding("an error has no message");
    if (message.find('\n') != message.npos)
      throw Finding(fmt::format("the message of an error has several lines: {}", message));
    return false;
  }
}

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("torsor_fuzz_{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::shared_ptr<const PluginSource> source_of(const torsor_entry* entry, const char* name) {
  const auto create = [](const torsor_descriptor& descriptor, const torsor_host* host) {
    return descriptor.create(host);
  };
  return std::make_shared<const PluginSource>(
      PluginSource{name, std::string(64, '0'), entry, create, nullptr, {}, nullptr});
}

}  // namespace

fs::path written(const char* name, std::string_view input) {
  static const Folder folder;
  fs::path file = folder.path() / name;
  std::ofstream out(file, std::ios::binary);
  out << input;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  return file;
}

Registry linked_plugins() {
  Registry registry({});
  registry.add(source_of(articulated_body_entry(), "articulated_body"));
  registry.add(source_of(newton_euler_entry(), "newton_euler"));
  registry.add(source_of(ground_entry(), "ground"));
  registry.add(source_of(pid_entry(), "pid"));
  registry.add(source_of(point_to_point_entry(), "point_to_point"));
  return registry;
}

void compute_inverse_dynamics(const std::shared_ptr<const Model>& model) {
  static const Registry registry = linked_plugins();
  Solver solver = registry.solver("articulated_body", model);
  State state(model);
  state.set_q(neutral(*model));
  state.v.assign(size_t(model->n_v), 1.0);
  const std::vector<double> vdot(size_t(model->n_v), 1.0);
  std::vector<double> tau(size_t(model->n_v));
  const Status status = solver.inverse(state, vdot.data(), tau.data());
  if (!status && TORSOR_STATUS_CODE(status.value) != Status::not_finite)
    throw Finding(solver.explain(status));
}

}  // namespace torsor::fuzz
