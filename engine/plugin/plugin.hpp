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

// Owns a plugin object that a descriptor created. The plugin's file stays loaded while this object
// exists.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual torsor_plugin* get() const = 0;
  virtual const torsor_descriptor& descriptor() const = 0;
  virtual std::string report() const = 0;          // last report of the plugin, or ""
  virtual const char* file() const { return ""; }  // path of the plugin's file, for messages
  // Provides a host service. Must be called before the plugin is prepared. The service must outlive
  // the plugin.
  virtual void provide(const char*, const void*) {}

  // [hot] Calls function(in...), a function of the plugin object, and returns its status. name: the
  // name of the function in the ABI. If the function throws, the process ends.
  template <class Function, class... In>
  torsor_status ask(PluginFunction name, Function function, In... in) const noexcept;
  // Returns the interface with this id, or null if the plugin does not offer it.
  const void* interface(const char* id) const;

 protected:
  // Removes the time limit of first calls (FirstCall). Used for plugins whose calls have another
  // limit.
  void leave_first_calls_unbounded() { called_ = ~uint64_t(0); }

 private:
  CallWatch watch_;
  mutable std::atomic<uint64_t> called_ = 0;  // one bit per function that has returned
};

// The outcome of a hot call: a status of the plugin ABI, or one of the host's codes below. Needs no
// allocation.
struct Status {
  // An entry of the result is not a finite number. The number in the status identifies the entry.
  static constexpr int not_finite = 64;
  // M should be derived from the plugin's M^-1, but this M^-1 is not positive definite.
  static constexpr int not_positive = 65;
  // No combination of sticking and moving joints is consistent with the forces.
  static constexpr int undecided = 66;
  static constexpr int no_partials = 67;    // the plugin offers no partial derivatives
  static constexpr int no_rates = 68;       // the plugin offers no time derivatives of torques
  static constexpr int out_of_bounds = 69;  // a multiplier of a constraint is outside of its bounds
  static constexpr int no_second_partials = 70;
  static constexpr int no_equation_rates = 71;
  // The requested order of time derivatives is too high. The number in the status is this order.
  static constexpr int order_too_high = 72;
  static constexpr int not_converged = 73;  // a constraint solver found no solution
  // The plugin wrote outside of the memory that the host provided.
  static constexpr int overrun = overrun_code;
  static constexpr int altered = altered_code;  // the plugin changed the state of the host
  torsor_status value = TORSOR_OK;
  explicit operator bool() const { return value == TORSOR_OK; }
};

template <class Function, class... In>
torsor_status Plugin::ask(PluginFunction name, Function function, In... in) const noexcept {
  const PluginCall call(this, name.text);
  // noexcept ends the process here if the function throws. plugin_call is still set then, and the
  // fault report names the plugin from it.
  const auto made = [&]() noexcept -> torsor_status { return function(in...); };
  if (called_.load(std::memory_order_relaxed) & name.bit) [[likely]]
    return watch_.around(made);
  const FirstCall bounded;
  const torsor_status status = watch_.around(made);
  called_.fetch_or(name.bit, std::memory_order_relaxed);
  return status;
}

// Throws Error if the status of a [setup] call has altered_code.
void require_unaltered_host(const Plugin& plugin, const char* function, torsor_status status);

// Thrown if a plugin does not support a model. reason: the report of the plugin.
struct UnsupportedModel : Error {
  UnsupportedModel(const std::string& what, std::string why)
      : Error(what), reason(std::move(why)) {}
  std::string reason;
};

// Prepares a plugin for a model and returns the sizes that it requests. Throws UnsupportedModel
// with the plugin's reason if the plugin does not support the model. Throws Error if the plugin
// fails.
torsor_sizes prepare(Plugin& plugin, const torsor_model& model);

// Returns whether all of x [n] are finite, with vector instructions.
bool many_finite(const double* x, size_t n);
// Returns whether all of x [n] are finite. Tests up to 16 numbers one by one: small results have
// often just been written one by one, and a vector load would wait for these stores. The exponent
// of a number that is not finite has all bits set.
inline bool all_finite(const double* x, size_t n) {
  constexpr size_t few = 16;
  if (n > few) return many_finite(x, n);
  constexpr uint64_t infinity = uint64_t(0x7ff) << 53;  // shifted left by one, without sign
  for (size_t k = 0; k < n; ++k)
    if ((std::bit_cast<uint64_t>(x[k]) << 1) >= infinity) return false;
  return true;
}

}  // namespace torsor
