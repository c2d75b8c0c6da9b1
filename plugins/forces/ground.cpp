// Compliant ground: the half-space below the x-y plane of a frame. n is the z axis of the frame and
// o its origin. Spheres and points of bodies press into the ground.
//
// A sphere of radius r (0: a point) with centre p penetrates by d = r - n . (p - o). Its lowest
// point is c = p - r n. Let v be the velocity of c relative to the ground, ddot = -n . v the
// penetration speed, and v_t = v + ddot n the tangential velocity. The normal force is limited to
// compression (Hunt and Crossley 1975, their lambda = k a):
//   f_n = k d^e max(0, 1 + a ddot)
// Coulomb friction is regularised below the speed v_s (KHALIL Fig. 7.2d):
//   f_t = -mu f_n v_t / max(|v_t|, v_s)
// Both forces act at c. The opposite forces act on the body to which the ground is attached. The
// stored energy is k d^(e+1) / (e+1). An impact at speed v_i without other forces ends at speed
// v_o:
//   a v_i - ln(1 + a v_i) = -a v_o - ln(1 - a v_o),   v_o / v_i ~ 1 - 2 a v_i / 3 for small a v_i

#include <algorithm>
#include <cmath>
#include <vector>

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Ground {
  static constexpr const char* id = "force.ground";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "compliant contact of spheres and points with a plane, with friction";
  static constexpr bool is_contact = true;
  static constexpr torsor_param params[] = {
      sdk::frame("plane",
                 "frame whose x-y plane is the surface; its z axis points out of the ground"),
      sdk::frame("frames", "centres of the spheres, or points, that can touch the ground", 0),
      sdk::real("radius", "m",
                "radius of the spheres, 0 for points; one value for all frames, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("stiffness", "N/m^exponent", "stiffness k of the contact", 0, sdk::no_limit, 1e5),
      sdk::real(
          "exponent", "1",
          "exponent of the penetration depth: 1 for a linear spring, 1.5 for a sphere (Hertz)", 1,
          10, 1),
      sdk::real("dissipation", "s/m", "dissipation of impacts (Hunt and Crossley); 0: none", 0,
                sdk::no_limit, 0),
      sdk::real("friction", "1", "Coulomb friction coefficient mu", 0, sdk::no_limit, 0),
      sdk::real("transition", "m/s",
                "sliding speed below which friction is proportional to velocity", 1e-9,
                sdk::no_limit, 1e-3),
  };

  sdk::Frame plane;
  std::vector<sdk::Frame> frames;
  std::vector<double> radius;
  double value[std::size(params)] = {};

  void set_frames(uint32_t index, std::span<const torsor_frame> given) {
    if (index == 0)
      plane = sdk::frame(given[0]);
    else
      for (const torsor_frame& frame : given) frames.push_back(sdk::frame(frame));
  }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 2)
      radius.assign(values.begin(), values.end());
    else
      value[index] = values[0];
  }
  void prepare(const torsor_model&, torsor_sizes&) {
    if (value[3] == 0)
      throw sdk::bad_argument(
          "the stiffness is 0, so the ground would not resist; set stiffness above 0");
    sdk::require_frames(frames, "frames");
    sdk::fit(radius, frames.size(), "radius", 0);
    for (const sdk::Frame& frame : frames)
      if (frame.body == plane.body)
        throw sdk::bad_argument("one of the frames is on the same body as the plane; remove it");
  }

  torsor_status evaluate(const torsor_model&, const torsor_state&,
                         const torsor_kinematics* kinematics, const double*, double*,
                         torsor_force_out* out) const {
    const double k = value[3], e = value[4], a = value[5], mu = value[6], v_s = value[7];
    const sdk::Motion ground = sdk::motion(*kinematics, plane);
    const Vec3<double> n{ground.X.R(0, 2), ground.X.R(1, 2), ground.X.R(2, 2)};
    for (size_t i = 0; i < frames.size(); ++i) {
      const sdk::Motion at = sdk::motion(*kinematics, frames[i]);
      const double d = radius[i] - dot(n, at.X.p - ground.X.p);
      if (d <= 0) continue;
      const Vec3<double> c = at.X.p - radius[i] * n,
                         v = sdk::velocity(at, c) - sdk::velocity(ground, c);
      const double ddot = -dot(n, v), spring = k * std::pow(d, e),
                   f_n = spring * std::max(0.0, 1 + a * ddot);
      const Vec3<double> v_t = v + ddot * n;
      const Vec3<double> f = f_n * n - (mu * f_n / std::max(norm(v_t), v_s)) * v_t;
      sdk::push_at(*out, frames[i], at, c, f);
      sdk::push_at(*out, plane, ground, c, -f);
      out->energy += spring * d / (e + 1);
      out->energy_rate += spring * ddot;
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Ground)
