#pragma once
// An object of a plugin, and what the host gives it: the model it is prepared for and its work area.

#include <memory>
#include <string>

#include "torsor/model/error.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

// Owns a plugin object made by a descriptor; the host keeps its file loaded as long as this lives.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual torsor_plugin* get() const = 0;
  virtual const torsor_descriptor& descriptor() const = 0;
  virtual std::string report() const = 0;  // what the plugin last reported, or ""
  // Gives it a host service, before it is prepared; the service outlives it.
  virtual void provide(const char*, const void*) {}
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
  torsor_status value = TORSOR_OK;
  explicit operator bool() const { return value == TORSOR_OK; }
};

// A plugin does not take a model; reason is the plugin's.
struct UnsupportedModel : Error {
  UnsupportedModel(const std::string& what, std::string why) : Error(what), reason(std::move(why)) {}
  std::string reason;
};

// Throws UnsupportedModel with the plugin's reason where it does not support the model, Error where it fails.
torsor_sizes prepare(Plugin& plugin, const torsor_model& model);

// Scratch of hot calls, [size] doubles. Throws std::bad_alloc.
struct AlignedDelete {
  void operator()(double* p) const { ::operator delete[](p, std::align_val_t(64)); }
};
using WorkArea = std::unique_ptr<double[], AlignedDelete>;
WorkArea make_work_area(size_t size);

// Whether each of x [n] is a finite number.
bool all_finite(const double* x, size_t n);

}  // namespace torsor
