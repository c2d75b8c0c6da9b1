#pragma once
// An object of a plugin, and what the host gives it: the model it is prepared for and its work area.

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "torsor/dynamics/host_state.hpp"
#include "torsor/dynamics/lent_array.hpp"
#include "torsor/dynamics/plugin_call.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

// Owns a plugin object made by a descriptor; the host keeps its file loaded as long as this lives.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual torsor_plugin* get() const = 0;
  virtual const torsor_descriptor& descriptor() const = 0;
  virtual std::string report() const = 0;          // what the plugin last reported, or ""
  virtual std::string file() const { return ""; }  // that it is loaded from, for messages
  // Gives it a host service, before it is prepared; the service outlives it.
  virtual void provide(const char*, const void*) {}

  // function(in...), one of the object's by its name in the ABI, and its status: broken_off where the call was broken off, and
  // for every one after that, as nobody knows what the object is then. Hot.
  template <class Function, class... In>
  torsor_status ask(const char* name, Function function, In... in) const;
  // What it offers under an id, or null. Throws Error where it breaks.
  const void* interface(const char* id) const;
  bool is_broken() const { return is_broken_.load(std::memory_order_relaxed); }
  // Whom and how it was: "solver 'solver.x' crashed in forward: segmentation fault at address 0x0", and with the file.
  std::string breakdown() const;
  std::string breakdown_with_file() const;

 private:
  torsor_status break_down() const;

  CallWatch watch_;
  mutable std::atomic<bool> is_broken_ = false;
  mutable std::mutex mutex_;  // of breakdown_
  mutable std::string breakdown_;
};

// How a hot call went, without allocation: a status of the plugin ABI, or one of the host's own codes.
struct Status {
  static constexpr int not_finite =
      64;  // an entry of the result, in the column that follows, is not a finite number
  static constexpr int not_positive =
      65;  // the M^-1 of a plugin, from which M was to be derived, is not positive definite
  static constexpr int undecided =
      66;  // no choice of what holds and what moves was found to agree with the forces
  static constexpr int no_partials = 67;  // the plugin offers no partial derivatives
  static constexpr int no_rates = 68;     // the plugin offers no rates of torques
  static constexpr int broken_off = 69;   // the plugin crashed, or did not come back
  static constexpr int no_second_partials = 70;
  static constexpr int no_equation_rates = 71;
  static constexpr int order_too_high = 72;  // of derivatives by time; the order follows
  static constexpr int no_rates_of_loads =
      73;  // what acts from outside changes, and the plugin takes it for constant
  static constexpr int overrun = overrun_code;  // the plugin wrote outside of the memory that it is lent
  static constexpr int altered = altered_code;  // the plugin changed the state of the host
  torsor_status value = TORSOR_OK;
  explicit operator bool() const { return value == TORSOR_OK; }
};

template <class Function, class... In>
torsor_status Plugin::ask(const char* name, Function function, In... in) const {
  if (is_broken()) return TORSOR_STATUS(Status::broken_off, 0);
  return watch_.around([&] {
    return call_plugin<[](const Plugin* broken) { return broken->break_down(); }>(this, name, function,
                                                                                  in...);
  });
}

// Throws Error where the status of a setup call says that it changed the state of the host.
void require_kept(const Plugin& plugin, const char* function, torsor_status status);

// A plugin does not take a model; reason is the plugin's.
struct UnsupportedModel : Error {
  UnsupportedModel(const std::string& what, std::string why) : Error(what), reason(std::move(why)) {}
  std::string reason;
};

// Throws UnsupportedModel with the plugin's reason where it does not support the model, Error where it fails.
torsor_sizes prepare(Plugin& plugin, const torsor_model& model);

// Whether each of x [n] is a finite number.
bool many_finite(const double* x, size_t n);  // in vector code
// What a plugin gives is often a few numbers that it has only just written one by one: a vector of them could not be read before they are
// in the cache. The exponent of what is not finite is all ones.
inline bool all_finite(const double* x, size_t n) {
  constexpr size_t few = 16;
  if (n > few) return many_finite(x, n);
  constexpr uint64_t infinity = uint64_t(0x7ff) << 53;  // without its sign
  for (size_t k = 0; k < n; ++k)
    if ((std::bit_cast<uint64_t>(x[k]) << 1) >= infinity) return false;
  return true;
}

}  // namespace torsor
