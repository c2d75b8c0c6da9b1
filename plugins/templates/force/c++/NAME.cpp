// force.@NAME@: a damped spring from the point p_0 of the world, where it is unloaded, to the origin p of a frame of a body:
//   f = -k (p - p_0) - d pdot
// acts on the body at p. It keeps the energy k |p - p_0|^2 / 2.

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Force {
  static constexpr const char* id = "force.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "a damped spring from a point of the world to a frame";
  static constexpr torsor_param params[] = {
      sdk::frame("frame", "which it pulls"),
      // name, unit, help, min, max, initial, how many
      sdk::real("point", "m", "p_0, in the world", -sdk::no_limit, sdk::no_limit, 0, 3),
      sdk::real("stiffness", "N/m", "k", 0, sdk::no_limit, 100),
      sdk::real("damping", "N s/m", "d", 0, sdk::no_limit, 0),
  };

  sdk::Frame pulled;
  Vec3<double> point{0, 0, 0};
  double stiffness = 100, damping = 0;

  // [setup] The values of params[index], which the host has checked.
  void set_frames(uint32_t, std::span<const torsor_frame> frames) { pulled = sdk::frame(frames[0]); }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1)
      point = {values[0], values[1], values[2]};
    else
      (index == 2 ? stiffness : damping) = values[0];
  }

  // [hot] From any thread: no allocation, no lock, no throw, nothing kept.
  torsor_status evaluate(const torsor_model&, const torsor_state&, const torsor_kinematics* kinematics,
                         const double*, double*, torsor_force_out* out) const {
    const sdk::Motion at = sdk::motion(*kinematics, pulled);
    const Vec3<double> r = at.X.p - point;
    sdk::push_at(*out, pulled, at, at.X.p, -stiffness * r - damping * at.v);
    out->energy = 0.5 * stiffness * dot(r, r);
    out->energy_rate = stiffness * dot(r, at.v);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Force)
