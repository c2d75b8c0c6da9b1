// force.@NAME@: a damped spring between a point p_0 of the world and the origin p of a frame,
//   f = -k (p - p_0) - d pdot
// The force f acts at p on the body of the frame. The rest length is zero, and the stored energy is
// k |p - p_0|^2 / 2.

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Force {
  static constexpr const char* id = "force.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "a damped spring between a point of the world and a frame";
  static constexpr torsor_param params[] = {
      sdk::frame("frame", "frame on which the spring acts"),
      // name, unit, help, min, max, initial, number of values
      sdk::real("point", "m", "p_0, in the world", -sdk::no_limit, sdk::no_limit, 0, 3),
      sdk::real("stiffness", "N/m", "k of the spring", 0, sdk::no_limit, 100),
      sdk::real("damping", "N s/m", "d of the damper", 0, sdk::no_limit, 0),
  };

  sdk::Frame pulled;
  Vec3<double> point{0, 0, 0};
  double stiffness = 100, damping = 0;

  // [setup] Set the frames or values of params[index]. The host has checked their range.
  void set_frames(uint32_t, std::span<const torsor_frame> frames) {
    pulled = sdk::frame(frames[0]);
  }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1)
      point = {values[0], values[1], values[2]};
    else
      (index == 2 ? stiffness : damping) = values[0];
  }

  // [hot] Computes the force. May be called from any thread. Must not allocate, lock, throw or
  // store anything.
  torsor_status evaluate(const torsor_model&, const torsor_state&,
                         const torsor_kinematics* kinematics, const double*, double*,
                         torsor_force_out* out) const {
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
