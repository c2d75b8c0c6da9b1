#pragma once
// A plugin object, calls of its functions, and the status of these calls.

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "torsor/base/error.hpp"
#include "torsor/model/model.hpp"
#include "torsor/plugin/host_state.hpp"
#include "torsor/plugin/lent_array.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/plugin/plugin_function.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// Owns a plugin object made by a descriptor. The host keeps the plugin's file loaded while this
// object exists.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual torsor_plugin* get() const = 0;
  virtual const torsor_descriptor& descriptor() const = 0;
  virtual std::string report() const = 0;          // what the plugin last reported, or ""
  virtual const char* file() const { return ""; }  // path of the plugin's file, for messages
  // Provides a host service before the plugin is prepared. The service must outlive the plugin.
  virtual void provide(const char*, const void*) {}

  // [hot] Calls function(in...), a function of the object, and returns its status. name: its name
  // in the ABI. An exception that leaves the function ends the process.
  template <class Function, class... In>
  torsor_status ask(PluginFunction name, Function function, In... in) const noexcept;
  // Returns the interface that the plugin offers with this id, or null.
  const void* interface(const char* id) const;

 protected:
  // Removes the time limit of first calls, for a plugin whose calls are limited by other means.
  void leave_first_calls_unbounded() { called_ = ~uint64_t(0); }

 private:
  CallWatch watch_;
  mutable std::atomic<uint64_t> called_ = 0;  // one bit per function that has returned once
};

// The outcome of a hot call, without allocation: a status of the plugin ABI, or one of the host's
// own codes.
struct Status {
  // An entry of the result is not a finite number. The number in the status says which one.
  static constexpr int not_finite = 64;
  // M^-1 of the plugin, from which M should be derived, is not positive definite.
  static constexpr int not_positive = 65;
  // No combination of sticking and moving joints is consistent with the forces.
  static constexpr int undecided = 66;
  static constexpr int no_partials = 67;  // the plugin offers no partial derivatives
  static constexpr int no_rates = 68;     // the plugin offers no rates of torques
  static constexpr int no_second_partials = 70;
  static constexpr int no_equation_rates = 71;
  // The order of the time derivatives is too high. The number in the status is the requested order.
  static constexpr int order_too_high = 72;
  // The plugin wrote outside of the memory that it was lent.
  static constexpr int overrun = overrun_code;
  static constexpr int altered = altered_code;  // the plugin changed the state of the host
  torsor_status value = TORSOR_OK;
  explicit operator bool() const { return value == TORSOR_OK; }
};

template <class Function, class... In>
torsor_status Plugin::ask(PluginFunction name, Function function, In... in) const noexcept {
  const PluginCall call(this, name.text);
  // An exception must end the process here, before the destructor of call resets plugin_call: the
  // message names the plugin from it.
  const auto made = [&]() noexcept -> torsor_status { return function(in...); };
  if (called_.load(std::memory_order_relaxed) & name.bit) [[likely]]
    return watch_.around(made);
  const FirstCall bounded;
  const torsor_status status = watch_.around(made);
  called_.fetch_or(name.bit, std::memory_order_relaxed);
  return status;
}

// Throws Error if the status of a setup call reports a change of the state of the host.
void require_kept(const Plugin& plugin, const char* function, torsor_status status);

// The error of a plugin that does not support a model. reason: as the plugin reported it.
struct UnsupportedModel : Error {
  UnsupportedModel(const std::string& what, std::string why)
      : Error(what), reason(std::move(why)) {}
  std::string reason;
};

// Prepares a plugin for a model and returns the sizes that it requests. Throws UnsupportedModel
// with the plugin's reason if it does not support the model, and Error if it fails.
torsor_sizes prepare(Plugin& plugin, const torsor_model& model);

// Returns whether each of x [n] is finite, in vector code.
bool many_finite(const double* x, size_t n);
// Returns whether each of x [n] is finite. Results of small models have often just been written one
// by one. A vector load would have to wait for them, so up to 16 are read one by one. A number that
// is not finite has an exponent of all ones.
inline bool all_finite(const double* x, size_t n) {
  constexpr size_t few = 16;
  if (n > few) return many_finite(x, n);
  constexpr uint64_t infinity = uint64_t(0x7ff) << 53;  // shifted left, without the sign
  for (size_t k = 0; k < n; ++k)
    if ((std::bit_cast<uint64_t>(x[k]) << 1) >= infinity) return false;
  return true;
}

}  // namespace torsor
