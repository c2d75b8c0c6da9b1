// A spring and a damper in line between two frames, with r = p_to - p_from in the world, l = |r|, u = r / l:
//   f = k (l - l_0) + d ldot,   ldot = u . rdot                      (Kelvin-Voigt)
// pulls `from` by f u and `to` by -f u, at their origins. It keeps k (l - l_0)^2 / 2.

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct SpringDamper {
  static constexpr const char* id = "force.spring_damper";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "a spring and a damper between two frames";
  static constexpr torsor_param params[] = {
      sdk::frame("from", "where it begins"),
      sdk::frame("to", "where it ends"),
      sdk::real("stiffness", "N/m", "k", 0, sdk::no_limit, 0),
      sdk::real("damping", "N s/m", "d", 0, sdk::no_limit, 0),
      sdk::real("rest_length", "m", "l_0, its length without load", 0, sdk::no_limit, 0),
  };

  sdk::Frame end[2];
  double value[5] = {};

  void set_frames(uint32_t index, std::span<const torsor_frame> frames) {
    end[index] = sdk::frame(frames[0]);
  }
  void set_param(uint32_t index, std::span<const double> values) { value[index] = values[0]; }
  void prepare(const torsor_model&, torsor_sizes&) {
    if (value[2] == 0 && value[3] == 0)
      throw sdk::bad_argument("it has neither stiffness nor damping: give it one of them");
    if (end[0].body == end[1].body)
      throw sdk::bad_argument("its two frames are on one body: it could not move them");
  }

  torsor_status evaluate(const torsor_model&, const torsor_state&, const torsor_kinematics* kinematics,
                         const double*, double*, torsor_force_out* out) const {
    const double k = value[2], d = value[3], rest = value[4];
    const sdk::Motion from = sdk::motion(*kinematics, end[0]), to = sdk::motion(*kinematics, end[1]);
    const Vec3<double> r = to.X.p - from.X.p, rdot = to.v - from.v;
    const double l = norm(r);
    if (l == 0 && rest > 0)
      throw sdk::bad_argument("its two frames meet, and where its rest length is to lie is open there");
    const Vec3<double> u = l > 0 ? (1 / l) * r : Vec3<double>{0, 0, 0};
    const double ldot = dot(u, rdot), x = l - rest, f = k * x + d * ldot;
    sdk::push_at(*out, end[0], from, from.X.p, f * u);
    sdk::push_at(*out, end[1], to, to.X.p, -f * u);
    out->energy = 0.5 * k * x * x;
    out->energy_rate = k * x * ldot;
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(SpringDamper)
