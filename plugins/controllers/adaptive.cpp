// Passivity-based control with adaptation (Slotine and Li 1987). e is the position error and v_r,
// a_r are the reference velocity and acceleration (torsor_control_input). The law defines
//   v* = v_r + Lambda e,   a* = a_r + Lambda (v_r - v),   s = v* - v
// pi are the inertial parameters of the nominal model, and the state x is their correction:
//   tau = Y(q, v, v*, a*) (pi + x) + armature a* + friction + K_d s,   xdot = Gamma Y^T s
// Let x~ be the error of pi + x with respect to the true parameters. Since Mdot - 2C is
// skew-symmetric,
//   d/dt (s^T M s + x~^T Gamma^-1 x~) / 2 = -s^T K_d s
// Therefore s and e converge to zero, even if the inertial parameters of the adapted bodies are
// unknown. Gamma is diagonal. Its entry is `gain` for the mass, gain length^2 for each first
// moment, and gain length^4 for each entry of the inertia tensor. Without adapted bodies the law is
// passivity-based control with a known model.

#include "torsor/sdk/control_view.hpp"

using namespace torsor;

namespace {

constexpr size_t n_inertial = 10;

struct Adaptive {
  static constexpr const char* id = "controller.adaptive";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "adaptive control (Slotine and Li): estimates the inertial parameters of bodies while it "
      "runs";
  static constexpr bool all_joints = true;
  static constexpr torsor_param params[] = {
      sdk::real("lambda", "1/s",
                "decay rates of the errors; one value for all degrees of freedom, or one for each",
                0, sdk::no_limit, 0, 0),
      sdk::real("kd", "N m s/rad",
                "gains of the combined error s = e' + lambda e; one value for all degrees of "
                "freedom, or one for each",
                0, sdk::no_limit, 0, 0),
      sdk::frame("bodies", "frames on the bodies whose inertial parameters are adapted", 0),
      sdk::real("gain", "1/(N m s)",
                "adaptation gain, relative to the squared scale of each parameter; default 1", 0,
                sdk::no_limit, 0, 0),
      sdk::real("length", "m", "length scale of the inertial parameters; default 0.1", 1e-6,
                sdk::no_limit, 0.1, 0),
      sdk::flag("friction", "compensate the model's friction", true),
  };
  static constexpr torsor_signal signals[] = {sdk::signal("s", "rad/s", 0),
                                              sdk::signal("added_mass", "kg", 1)};

  std::vector<double> lambda, kd, gain, length;
  std::vector<int> bodies;
  bool friction = true;
  sdk::Dynamics dynamics;
  std::vector<double> scale;  // [bodies * n_inertial]: the diagonal of Gamma

  void set_frames(uint32_t, std::span<const torsor_frame> frames) {
    for (const torsor_frame& frame : frames) bodies.push_back(frame.body);
  }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 5)
      friction = values[0] != 0;
    else
      (index == 0   ? lambda
       : index == 1 ? kd
       : index == 3 ? gain
                    : length)
          .assign(values.begin(), values.end());
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    if (!dynamics.has_regressor())
      throw sdk::unsupported(
          "it needs a regressor, which a mechanism with closures does not have; use a controller "
          "such as controller.computed_torque");
    if (lambda.empty() && kd.empty())
      throw sdk::bad_argument("no gains are set; set lambda and kd");
    if (bodies.empty() && (!gain.empty() || !length.empty()))
      throw sdk::bad_argument("gain and length have no effect without adapted bodies; set bodies");
    sdk::fit_per_dof(lambda, model.n_v, "lambda", 0);
    sdk::fit_per_dof(kd, model.n_v, "kd", 0);
    std::sort(bodies.begin(), bodies.end());
    if (std::adjacent_find(bodies.begin(), bodies.end()) != bodies.end())
      throw sdk::bad_argument("two of the 'bodies' are the same body or fixed to it; list it once");
    if (!bodies.empty() && bodies.front() == 0)
      throw sdk::bad_argument(
          "one of the 'bodies' is fixed to the world, so its inertia has no effect; remove it");
    if (gain.size() > 1 || length.size() > 1)
      throw sdk::bad_argument("gain and length take one number each");
    const double Gamma = gain.empty() ? 1 : gain[0], scale_l = length.empty() ? 0.1 : length[0];
    for (size_t b = 0; b < bodies.size(); ++b)
      for (size_t p = 0; p < n_inertial; ++p) {
        const double l = p == 0 ? 1 : p < 4 ? scale_l : scale_l * scale_l;
        scale.push_back(Gamma * l * l);
      }
    sizes.n_x = n_inertial * bodies.size();
    sizes.work_doubles =
        2 * size_t(model.n_v) + n_inertial * size_t(model.n_body) * size_t(model.n_v);
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v), row = n_inertial * size_t(model.n_body);
    double *v_r = work, *a_r = work + n, *s = out.signal, *Y = work + 2 * n;
    for (size_t k = 0; k < n; ++k) {
      v_r[k] = in.v_r[k] + lambda[k] * in.e[k];
      a_r[k] = in.a_r[k] + lambda[k] * (in.v_r[k] - in.v[k]);
      s[k] = v_r[k] - in.v[k];
    }
    dynamics.regressor(in.q, in.v, v_r, a_r, Y);
    for (size_t k = 0; k < n; ++k) {
      double tau = model.armature[k] * a_r[k] + kd[k] * s[k];
      for (size_t p = 0; p < row; ++p) tau += Y[k * row + p] * model.inertia_B[p];
      if (friction) tau += sdk::friction(dynamics.drive(int(k)), in.v[k]);
      for (size_t b = 0; b < bodies.size(); ++b)
        for (size_t p = 0; p < n_inertial; ++p) {
          const double y = Y[k * row + n_inertial * size_t(bodies[b]) + p];
          tau += y * in.x[n_inertial * b + p];
          out.xdot[n_inertial * b + p] += scale[n_inertial * b + p] * y * s[k];
        }
      out.tau[k] = tau;
    }
    for (size_t b = 0; b < bodies.size(); ++b) out.signal[n] += in.x[n_inertial * b];
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Adaptive)
