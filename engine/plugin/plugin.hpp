#pragma once
// An object of a plugin, and what the host gives it: the model it is prepared for and its work
// area.

#include <atomic>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/model/model.hpp"
#include "torsor/plugin/host_state.hpp"
#include "torsor/plugin/lent_array.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/plugin/quantity.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// A function of the plugin ABI: its name, and its bit among all of them. Another name does not
// compile.
struct PluginFunction {
  consteval PluginFunction(const char* name) : text(name), bit(bit_of(name)) {}
  constexpr explicit PluginFunction(Quantity quantity)
      : text(row_of(quantity).member.name), bit(uint64_t(1) << size_t(quantity)) {}
  const char* text;
  uint64_t bit;

 private:
  static consteval uint64_t bit_of(std::string_view name) {
    constexpr std::string_view others[] = {"create",           "destroy",
                                           "set_param",        "set_frames",
                                           "prepare",          "get_interface",
                                           "evaluate",         "describe",
                                           "inverse_partials", "forward_partials",
                                           "second_partials",  "rates",
                                           "equation_rates",   "trace"};
    static_assert(n_quantities + std::size(others) <= 64);
    uint64_t bit = 1;
    for (const QuantityRow& row : quantities) {
      if (row.member.name == name) return bit;
      bit <<= 1;
    }
    for (const std::string_view other : others) {
      if (other == name) return bit;
      bit <<= 1;
    }
    throw "neither table has this name";
  }
};

// Owns a plugin object made by a descriptor; the host keeps its file loaded as long as this lives.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual torsor_plugin* get() const = 0;
  virtual const torsor_descriptor& descriptor() const = 0;
  virtual std::string report() const = 0;          // what the plugin last reported, or ""
  virtual const char* file() const { return ""; }  // that it is loaded from, for messages
  // Gives it a host service, before it is prepared; the service outlives it.
  virtual void provide(const char*, const void*) {}

  // Calls function(in...), one of the object's by its name in the ABI, and returns its status. An
  // exception that leaves it ends the process. Hot.
  template <class Function, class... In>
  torsor_status ask(PluginFunction name, Function function, In... in) const noexcept;
  // Returns what the plugin offers under an id, or null.
  const void* interface(const char* id) const;

 protected:
  // Removes the limit of first calls. Other means bound the calls of such a plugin.
  void leave_first_calls_unbounded() { called_ = ~uint64_t(0); }

 private:
  CallWatch watch_;
  mutable std::atomic<uint64_t> called_ = 0;  // bits of functions that have returned once
};

// How a hot call went, without allocation: a status of the plugin ABI, or one of the host's own
// codes.
struct Status {
  static constexpr int not_finite =
      64;  // an entry of the result, in the column that follows, is not a finite number
  static constexpr int not_positive =
      65;  // the M^-1 of a plugin, from which M was to be derived, is not positive definite
  static constexpr int undecided =
      66;  // no choice of what holds and what moves was found to agree with the forces
  static constexpr int no_partials = 67;  // the plugin offers no partial derivatives
  static constexpr int no_rates = 68;     // the plugin offers no rates of torques
  static constexpr int no_second_partials = 70;
  static constexpr int no_equation_rates = 71;
  static constexpr int order_too_high = 72;  // of derivatives by time; the order follows
  // The plugin wrote outside of the memory that it is lent.
  static constexpr int overrun = overrun_code;
  static constexpr int altered = altered_code;  // the plugin changed the state of the host
  torsor_status value = TORSOR_OK;
  explicit operator bool() const { return value == TORSOR_OK; }
};

template <class Function, class... In>
torsor_status Plugin::ask(PluginFunction name, Function function, In... in) const noexcept {
  const PluginCall call(this, name.text);
  // An exception must end the process here, before it restores plugin_call, which names the plugin.
  const auto made = [&]() noexcept -> torsor_status { return function(in...); };
  if (called_.load(std::memory_order_relaxed) & name.bit) [[likely]]
    return watch_.around(made);
  const FirstCall bounded;
  const torsor_status status = watch_.around(made);
  called_.fetch_or(name.bit, std::memory_order_relaxed);
  return status;
}

// Throws Error where the status of a setup call says that it changed the state of the host.
void require_kept(const Plugin& plugin, const char* function, torsor_status status);

// A plugin does not take a model; reason is the plugin's.
struct UnsupportedModel : Error {
  UnsupportedModel(const std::string& what, std::string why)
      : Error(what), reason(std::move(why)) {}
  std::string reason;
};

// Throws UnsupportedModel with the plugin's reason where it does not support the model, Error where
// it fails.
torsor_sizes prepare(Plugin& plugin, const torsor_model& model);

// Whether each of x [n] is a finite number.
bool many_finite(const double* x, size_t n);  // in vector code
// What a plugin gives is often a few numbers that it has only just written one by one: a vector of
// them could not be read before they are in the cache. The exponent of what is not finite is all
// ones.
inline bool all_finite(const double* x, size_t n) {
  constexpr size_t few = 16;
  if (n > few) return many_finite(x, n);
  constexpr uint64_t infinity = uint64_t(0x7ff) << 53;  // without its sign
  for (size_t k = 0; k < n; ++k)
    if ((std::bit_cast<uint64_t>(x[k]) << 1) >= infinity) return false;
  return true;
}

}  // namespace torsor
