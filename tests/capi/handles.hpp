#pragma once
// Handles of the C interface that destroy themselves, for tests.

#include <gtest/gtest.h>
#include <torsor.h>

#include <memory>
#include <string>
#include <vector>

#include "support/scratch_folder.hpp"

namespace torsor::test {

struct DestroyHandle {
  void operator()(torsor_engine* handle) const { torsor_engine_destroy(handle); }
  void operator()(torsor_robot* handle) const { torsor_robot_destroy(handle); }
  void operator()(torsor_evaluator* handle) const { torsor_evaluator_destroy(handle); }
  void operator()(torsor_scene* handle) const { torsor_scene_destroy(handle); }
  void operator()(torsor_simulation* handle) const { torsor_simulation_destroy(handle); }
  void operator()(torsor_snapshot* handle) const { torsor_snapshot_destroy(handle); }
  void operator()(torsor_signals* handle) const { torsor_signals_destroy(handle); }
  void operator()(torsor_recording* handle) const { torsor_recording_destroy(handle); }
  void operator()(torsor_study* handle) const { torsor_study_destroy(handle); }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, DestroyHandle>;

// An error to pass to functions of the interface.
struct ErrorText : torsor_error {
  ErrorText() : torsor_error{sizeof(torsor_error), TORSOR_SUCCESS, ""} {}
};

// Creates a handle by a function whose last arguments are `out` and `error`. Fails the test after
// an error.
template <class Handle, class Function, class... In>
Owned<Handle> made(Function function, In... in) {
  ErrorText error;
  Handle* out = nullptr;
  EXPECT_EQ(function(in..., &out, &error), TORSOR_SUCCESS) << error.text;
  return Owned<Handle>(out);
}

inline Owned<torsor_engine> made_engine() {
  return made<torsor_engine>(torsor_engine_create, nullptr);
}
// Creates an engine whose scripts print into `lines`, which must outlive it.
inline Owned<torsor_engine> made_engine_printing_to(std::vector<std::string>& lines) {
  torsor_engine_options options{};
  options.struct_size = sizeof options;
  options.user = &lines;
  options.print = [](void* user, const char* line) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(line);
  };
  return made<torsor_engine>(torsor_engine_create, &options);
}
inline std::string source_file(const std::string& name) {
  return std::string(TORSOR_SOURCE_DIR) + "/" + name;
}
inline Owned<torsor_robot> made_robot(const torsor_engine* engine, const std::string& name,
                                      const torsor_load_options* options = nullptr) {
  return made<torsor_robot>(torsor_robot_load, engine, source_file(name).c_str(), options);
}
inline Owned<torsor_scene> made_scene(const torsor_engine* engine, const std::string& name,
                                      const torsor_load_options* options = nullptr) {
  return made<torsor_scene>(torsor_scene_load, engine, source_file(name).c_str(), options);
}

}  // namespace torsor::test
