// Drag of a fluid on bodies, applied at the origins of frames. v is the velocity of the origin
// relative to the fluid:
//   f = -b v - 1/2 rho C_d A |v| v
// The linear term models creeping flow (Stokes 1851: b = 6 pi mu r for a sphere). The quadratic
// term models flow dominated by inertia (Rayleigh 1876). The drag has no moment about the frame's
// origin. Use several frames on a body to resist rotation.

#include <vector>

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct FluidDrag {
  static constexpr const char* id = "force.fluid_drag";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "linear and quadratic fluid drag at frames of bodies";
  static constexpr torsor_param params[] = {
      sdk::frame("frames", "frames at which the drag acts", 0),
      sdk::real("linear", "N s/m",
                "linear drag coefficient b; one value for all frames, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("drag_area", "m^2",
                "drag coefficient times area, C_d A; one value for all frames, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("density", "kg/m^3", "density of the fluid; default: air", 0, sdk::no_limit, 1.2),
      sdk::real("velocity", "m/s", "velocity of the fluid, in world axes", -sdk::no_limit,
                sdk::no_limit, 0, 3),
  };

  std::vector<sdk::Frame> frames;
  std::vector<double> linear, drag_area;
  double density = 0;
  Vec3<double> fluid{};

  void set_frames(uint32_t, std::span<const torsor_frame> given) {
    for (const torsor_frame& frame : given) frames.push_back(sdk::frame(frame));
  }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1) linear.assign(values.begin(), values.end());
    if (index == 2) drag_area.assign(values.begin(), values.end());
    if (index == 3) density = values[0];
    if (index == 4) fluid = {values[0], values[1], values[2]};
  }
  void prepare(const torsor_model&, torsor_sizes&) {
    if (linear.empty() && drag_area.empty())
      throw sdk::bad_argument("no drag is set; set linear or drag_area");
    sdk::require_frames(frames, "frames");
    sdk::fit(linear, frames.size(), "linear", 0);
    sdk::fit(drag_area, frames.size(), "drag_area", 0);
  }

  torsor_status evaluate(const torsor_model&, const torsor_state&,
                         const torsor_kinematics* kinematics, const double*, double*,
                         torsor_force_out* out) const {
    for (size_t i = 0; i < frames.size(); ++i) {
      const sdk::Motion at = sdk::motion(*kinematics, frames[i]);
      const Vec3<double> v = at.v - fluid;
      const double b = linear[i] + 0.5 * density * drag_area[i] * norm(v);
      sdk::push_at(*out, frames[i], at, at.X.p, -b * v);
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(FluidDrag)
