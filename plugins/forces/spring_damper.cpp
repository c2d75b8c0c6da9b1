// A spring and a damper between two frames. With r = p_to - p_from in the world, l = |r| and u = r
// / l:
//   f = k (l - l_0) + d ldot,   ldot = u . rdot                      (Kelvin-Voigt)
// The force f u acts on the frame `from`, and -f u acts on `to`, each at the origin of the frame.
// The stored energy is k (l - l_0)^2 / 2.

#include "torsor/sdk/force_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct SpringDamper {
  static constexpr const char* id = "force.spring_damper";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "linear spring and damper between two frames";
  static constexpr torsor_param params[] = {
      sdk::frame("from", "frame at the first end"),
      sdk::frame("to", "frame at the second end"),
      sdk::real("stiffness", "N/m", "spring stiffness", 0, sdk::no_limit, 0),
      sdk::real("damping", "N s/m", "damping coefficient", 0, sdk::no_limit, 0),
      sdk::real("rest_length", "m", "length at which the spring is at rest", 0, sdk::no_limit, 0),
  };

  sdk::Frame end[2];
  double value[5] = {};

  void set_frames(uint32_t index, std::span<const torsor_frame> frames) {
    end[index] = sdk::frame(frames[0]);
  }
  void set_param(uint32_t index, std::span<const double> values) { value[index] = values[0]; }
  void prepare(const torsor_model&, torsor_sizes&) {
    if (value[2] == 0 && value[3] == 0)
      throw sdk::bad_argument("no spring or damper is set; set stiffness or damping");
    if (end[0].body == end[1].body)
      throw sdk::bad_argument("both frames are on the same body; choose frames on two bodies");
  }

  torsor_status evaluate(const torsor_model&, const torsor_state&,
                         const torsor_kinematics* kinematics, const double*, double*,
                         torsor_force_out* out) const {
    const double k = value[2], d = value[3], rest = value[4];
    const sdk::Motion from = sdk::motion(*kinematics, end[0]),
                      to = sdk::motion(*kinematics, end[1]);
    const Vec3<double> r = to.X.p - from.X.p, rdot = to.v - from.v;
    const double l = norm(r);
    if (l == 0 && rest > 0)
      throw sdk::bad_argument(
          "the two frames coincide, so the direction of the spring is undefined; set rest_length = "
          "0 or keep the frames apart");
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
