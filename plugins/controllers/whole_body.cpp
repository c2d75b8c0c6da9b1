// Whole-body inverse dynamics of a robot that stands on its feet. Each call solves the quadratic
// program of sdk/contact_program.hpp for vdot, tau and the contact forces, with the tasks
//   w |A vdot + Adot v - a|^2
//
// A foot in stance has the point p = its origin - radius n, or the four corners of its sole. J_p is
// the Jacobian of the material point at p, in the axes (t_1, t_2, n) with the normal n of the
// ground:
//   J_p = J_v + (J_w x rho),   rho = p - origin
// rho is constant for a ball that rolls on a plane, and the point accelerates with
//   d/dt (J_p v) = J_p vdot + Jdot_v v + (Jdot_w v) x rho
//
// The tasks and their accelerations a:
//   each dof             a_r + kd (v_r - v) + kp e
//   centre of mass c     cddot_d + kd (cdot_d - cdot) + kp (c_d - c)
//   points in stance     -kd J_p v; a sole also turns its z axis to n, with (kd^2 / 4) (z x n)
//   feet in the air      pddot_s + kd (pdot_s - pdot) + kp (p_s - p); soles also keep the rotation
//                        of the reference
// c_d and the foothold p_d are those of the reference q_d(t). From the point p_0 where it was
// lifted, a foot moves along
//   p_s = p_0 + b (p_d + shift - p_0) + height l n,   shift = step_gain (cdot - cdot_d) in the
//   plane
// with b and l of gait.hpp.
//
// The points in stance have a large weight in place of equations J_p vdot + .. = a, which torque
// limits or a slipping foot can contradict.

#include <numeric>
#include <optional>
#include <utility>

#include "gait.hpp"
#include "torsor/sdk/contact_program.hpp"
#include "torsor/sdk/control_view.hpp"
#include "whole_body_parameters.hpp"

using namespace torsor;

namespace {

using Vec = Vec3<double>;

// Position, velocity and acceleration of a point or frame: [0] angular, [1] linear.
struct Moving {
  Pose<double> X;
  Vec V[2], A[2];  // A is Jdot v if no vdot is given
};

struct Gains {
  double kp, kd, weight;
};

// The work area of a call.
struct Work {
  sdk::ContactProgram program;
  double *J, *C, *com;  // Jacobians of frames [6][n], and of the centre of mass [3][n]
  double* limit;        // [n] of the torques
};

struct WholeBody {
  static constexpr const char* id = "controller.whole_body";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "whole-body inverse dynamics of a robot on its feet: torques and contact forces from a "
      "quadratic program";
  static constexpr auto params = whole_body_parameters;
  static constexpr torsor_signal signals[] = {sdk::acceleration_signal("w"),
                                              sdk::signal("contact", "", 0)};

  sdk::Dynamics dynamics;
  std::vector<torsor_frame> feet, bodies;  // bodies: frames at the centres of mass
  std::vector<double> share;               // mass of each body / total mass
  std::vector<double> sole, mu, normal, base_weight;
  std::vector<Gains> of_dof;
  Vec axes[3];  // t_1, t_2, n
  double radius = 0, contact_weight = 1e4, contact_kd = 50, force_weight = 1e-6;
  Gains base{100, 20, 0}, joint{100, 20, 0.01}, com{100, 20, 0}, swing{400, 40, 10};
  Gait gait;
  double step_height = 0.05, step_gain = 0;
  int sides = 4;
  bool friction = true;

  void set_frames(uint32_t, std::span<const torsor_frame> frames) {
    feet.assign(frames.begin(), frames.end());
  }
  void set_param(uint32_t index, std::span<const double> values) {
    const std::pair<uint32_t, std::vector<double>*> lists[] = {
        {sole_row, &sole},        {mu_row, &mu},
        {normal_row, &normal},    {stance_row, &gait.stance},
        {phase_row, &gait.phase}, {base_weight_row, &base_weight}};
    for (const auto& [row, list] : lists)
      if (row == index) return list->assign(values.begin(), values.end());
    const std::pair<uint32_t, double*> numbers[] = {{radius_row, &radius},
                                                    {contact_weight_row, &contact_weight},
                                                    {contact_kd_row, &contact_kd},
                                                    {force_weight_row, &force_weight},
                                                    {base_kp_row, &base.kp},
                                                    {base_kd_row, &base.kd},
                                                    {kp_row, &joint.kp},
                                                    {kd_row, &joint.kd},
                                                    {weight_row, &joint.weight},
                                                    {com_kp_row, &com.kp},
                                                    {com_kd_row, &com.kd},
                                                    {com_weight_row, &com.weight},
                                                    {swing_kp_row, &swing.kp},
                                                    {swing_kd_row, &swing.kd},
                                                    {swing_weight_row, &swing.weight},
                                                    {period_row, &gait.period},
                                                    {start_row, &gait.start},
                                                    {step_height_row, &step_height},
                                                    {step_gain_row, &step_gain}};
    for (const auto& [row, number] : numbers)
      if (row == index) *number = values[0];
    if (index == sides_row) sides = int(values[0]);
    if (index == friction_row) friction = values[0] != 0;
  }

  size_t corners() const { return sole.empty() ? 1 : 4; }
  bool uses_com() const { return com.weight > 0 || step_gain > 0; }

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    check_joints(model, host);
    for (const torsor_frame& foot : feet)
      if (foot.body == 0)
        throw sdk::bad_argument("a frame of 'feet' is fixed to the world; name frames of links");
    if (!sole.empty() && sole.size() != 2)
      throw sdk::bad_argument("'sole' has " + std::to_string(sole.size()) +
                              " values; give its length and its width");
    if (!sole.empty() && radius > 0)
      throw sdk::bad_argument("both sole and radius are set; set one of them");
    set_axes();
    fit_per_foot(mu, "mu", 0.5);
    fit_per_foot(gait.stance, "stance", 1);
    fit_per_foot(gait.phase, "phase", 0);
    set_gains(model);
    find_bodies(model);
    const size_t n = size_t(model.n_v);
    sizes.n_memory = gait.period > 0 ? 4 * feet.size() : 0;
    sizes.work_doubles =
        16 * n + sdk::ContactProgram::work_doubles(n, corners() * feet.size(), sides);
  }
  void check_joints(const torsor_model& model, const torsor_host& host) const {
    if (!dynamics.has_regressor())
      throw sdk::unsupported("the law does not know closed loops; remove the closures");
    bool elastic = false;
    for (int k = 0; k < model.n_v; ++k) {
      elastic |= dynamics.drive(k).stiffness > 0;
      if (dynamics.is_tied(k))
        throw sdk::unsupported(
            "the law needs joints that move independently; give it a 'model' without mimic joints "
            "and coupled transmissions");
    }
    if (elastic)
      host.report(&host, TORSOR_OK, "the springs of elastic joints are treated as rigid");
  }
  void set_axes() {
    if (normal.empty()) normal = {0, 0, 1};
    if (normal.size() != 3)
      throw sdk::bad_argument("'normal' has " + std::to_string(normal.size()) +
                              " values; give its three components in the world");
    const Vec given{normal[0], normal[1], normal[2]};
    const double size = norm(given);
    if (!(size > 0)) throw sdk::bad_argument("'normal' is zero; give the normal of the ground");
    const Vec n = (1 / size) * given;
    // The axis of the world that is most perpendicular to n makes t_1 well conditioned.
    const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
    const Vec other = x <= y && x <= z ? Vec{1, 0, 0} : y <= z ? Vec{0, 1, 0} : Vec{0, 0, 1};
    const Vec across = cross(n, other), t = cross(across, n);
    axes[0] = (1 / norm(t)) * t, axes[1] = cross(n, axes[0]), axes[2] = n;
  }
  void fit_per_foot(std::vector<double>& values, const char* name, double otherwise) const {
    if (values.empty()) values = {otherwise};
    if (values.size() == 1) values.resize(feet.size(), values[0]);
    if (values.size() != feet.size())
      throw sdk::bad_argument("'" + std::string(name) + "' has " + std::to_string(values.size()) +
                              " values for " + std::to_string(feet.size()) +
                              " feet; give one value, or one for each foot");
  }
  void set_gains(const torsor_model& model) {
    size_t passive = 0;
    for (int k = 0; k < model.n_v; ++k) passive += dynamics.drive(k).max_torque == 0;
    if (base_weight.empty()) base_weight = {10};
    if (base_weight.size() == 1) base_weight.resize(passive, base_weight[0]);
    if (base_weight.size() != passive)
      throw sdk::bad_argument(
          "'base_weight' has " + std::to_string(base_weight.size()) + " values for " +
          std::to_string(passive) +
          " degrees of freedom without a motor; give one value, or one for each");
    size_t next = 0;
    for (int k = 0; k < model.n_v; ++k)
      of_dof.push_back(
          dynamics.drive(k).max_torque == 0 ? Gains{base.kp, base.kd, base_weight[next++]} : joint);
  }
  // Finds the centres of mass of all bodies that move.
  void find_bodies(const torsor_model& model) {
    double total = 0;
    for (int body = 1; body < model.n_body; ++body) {
      const double* I = model.inertia_B + 10 * body;
      if (!(I[0] > 0)) continue;
      torsor_frame& at = bodies.emplace_back(torsor_frame{.body = body, .X_BF = {}});
      *reinterpret_cast<Pose<double>*>(at.X_BF) =
          translation(Vec{I[1] / I[0], I[2] / I[0], I[3] / I[0]});
      share.push_back(I[0]);
      total += I[0];
    }
    for (double& mass : share) mass /= total;
  }

  // Returns the motion of a frame, and writes J [6][n] to J.
  Moving look(const torsor_frame& frame, size_t n, const double* q, const double* v,
              const double* vdot, double* J) const {
    Moving out;
    double A[6];
    dynamics.frame(frame, q, v, reinterpret_cast<double*>(&out.X), J, A);
    for (size_t i = 0; i < 6; ++i) {
      (&out.V[i / 3].x)[i % 3] = product(J + i * n, v, n);
      (&out.A[i / 3].x)[i % 3] = A[i] + (vdot ? product(J + i * n, vdot, n) : 0);
    }
    return out;
  }
  // Returns the motion of the centre of mass, [1], and writes its Jacobian [3][n] to com. C: [6][n]
  // scratch.
  Moving look_at_com(size_t n, const double* q, const double* v, const double* vdot, double* C,
                     double* com_jacobian) const {
    Moving out{Pose<double>::identity(), {}, {}};
    out.V[1] = out.A[1] = {0, 0, 0};
    std::fill_n(com_jacobian, 3 * n, 0.0);
    for (size_t k = 0; k < bodies.size(); ++k) {
      const Moving body = look(bodies[k], n, q, v, vdot, C);
      out.X.p += share[k] * body.X.p;
      out.V[1] += share[k] * body.V[1];
      out.A[1] += share[k] * body.A[1];
      for (size_t i = 0; i < 3 * n; ++i) com_jacobian[i] += share[k] * C[3 * n + i];
    }
    return out;
  }

  static double product(const double* a, const double* b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    Work w{sdk::ContactProgram(n, corners() * feet.size(), sides, work + 16 * n), work,
           work + 6 * n, work + 12 * n, work + 15 * n};
    double *M = w.program.mass_matrix(), *h = w.program.bias(), sum = 0;
    dynamics.mass_matrix(in.q, M);
    dynamics.bias(in.q, in.v, h);
    for (size_t k = 0; k < n; ++k) {
      const torsor_drive& drive = dynamics.drive(int(k));
      if (friction) h[k] += sdk::friction(drive, in.v[k]);
      w.limit[k] = std::min(in.max_torque[k], drive.max_torque);
      const auto& [kp, kd, weight] = of_dof[k];
      const double a = in.a_r[k] + kd * (in.v_r[k] - in.v[k]) + kp * in.e[k];
      w.program.add_dof_task(k, a, weight);
      sum += h[k] + a + std::accumulate(M + k * n, M + (k + 1) * n, 0.0);
    }
    // A measurement that is NaN makes all torques NaN, which the host reports.
    if (std::isnan(sum)) {
      std::fill_n(out.tau, n, sum);
      return TORSOR_OK;
    }
    const Vec shift = add_com(w, in, n);
    for (size_t foot = 0; foot < feet.size(); ++foot) add_foot(w, in, n, foot, shift, out);
    if (w.program.solve({w.limit, n}, force_weight) != sdk::QuadraticProgram::Outcome::solved)
      throw sdk::Failure(TORSOR_INTERNAL,
                         "the quadratic program of the contact forces is too badly conditioned; "
                         "use weights and gains that differ less");
    for (size_t k = 0; k < n; ++k) {
      out.tau[k] = w.limit[k] == 0 ? 0 : w.program.torque(k);
      out.signal[k] = w.program.vdot()[k];
      out.signal[n + k] = w.program.contact_torque(k);
    }
    return TORSOR_OK;
  }

  // Adds the task of the centre of mass. Returns the shift of the steps.
  Vec add_com(Work& w, const torsor_control_input& in, size_t n) const {
    if (!uses_com()) return {0, 0, 0};
    const Moving d = look_at_com(n, in.q_d, in.v_d, in.vdot_d, w.C, w.com),
                 at = look_at_com(n, in.q, in.v, nullptr, w.C, w.com);
    const Vec a = d.A[1] - at.A[1] + com.kd * (d.V[1] - at.V[1]) + com.kp * (d.X.p - at.X.p);
    for (size_t i = 0; i < 3; ++i) w.program.add_task(w.com + i * n, (&a.x)[i], com.weight);
    const Vec shift = step_gain * (at.V[1] - d.V[1]);
    return shift - dot(axes[2], shift) * axes[2];
  }

  // Adds the tasks of a foot, and its points in contact.
  void add_foot(Work& w, const torsor_control_input& in, size_t n, size_t foot, const Vec& shift,
                torsor_control_output& out) const {
    const Moving at = look(feet[foot], n, in.q, in.v, nullptr, w.J);
    const auto air = gait.swing(foot, in.time);
    double* memory = gait.period > 0 ? out.memory + 4 * foot : nullptr;
    if (air) {
      const bool lifts = memory[0] == 0;
      const Vec p_0 = lifts ? at.X.p : Vec{memory[1], memory[2], memory[3]};
      if (lifts) memory[0] = 1, memory[1] = p_0.x, memory[2] = p_0.y, memory[3] = p_0.z;
      add_swing(w, in, n, foot, *air, at, p_0, shift);
      return;
    }
    if (memory) memory[0] = 0;
    if (!sole.empty()) {
      const Vec z{at.X.R(0, 2), at.X.R(1, 2), at.X.R(2, 2)};
      const Vec tilt = 0.25 * contact_kd * contact_kd * cross(z, axes[2]);
      add_frame(w, n, at, tilt - contact_kd * at.V[0], -contact_kd * at.V[1], contact_weight, 0);
    }
    for (size_t corner = 0; corner < corners(); ++corner) {
      const Vec rho = sole.empty() ? -radius * axes[2]
                                   : at.X.R * Vec{(corner & 1 ? 0.5 : -0.5) * sole[0],
                                                  (corner & 2 ? 0.5 : -0.5) * sole[1], 0};
      double* J_p = w.program.add_point(mu[foot]);
      for (size_t i = 0; i < 3; ++i) {
        double* row = J_p + i * n;
        const Vec linear = axes[i], angular = cross(rho, axes[i]);
        for (size_t k = 0; k < n; ++k)
          row[k] = dot(linear, Vec{w.J[3 * n + k], w.J[4 * n + k], w.J[5 * n + k]}) +
                   dot(angular, Vec{w.J[k], w.J[n + k], w.J[2 * n + k]});
        if (sole.empty())
          w.program.add_task(
              row,
              -contact_kd * product(row, in.v, n) - dot(linear, at.A[1]) - dot(angular, at.A[0]),
              contact_weight);
      }
    }
  }

  // Adds the task that a foot has the angular and the linear acceleration. first: 3 leaves out the
  // angular one.
  void add_frame(Work& w, size_t n, const Moving& at, const Vec& angular, const Vec& linear,
                 double weight, size_t first) const {
    const Vec a[2] = {angular - at.A[0], linear - at.A[1]};
    for (size_t i = first; i < 6; ++i)
      w.program.add_task(w.J + i * n, (&a[i / 3].x)[i % 3], weight);
  }

  void add_swing(Work& w, const torsor_control_input& in, size_t n, size_t foot,
                 const Gait::Swing& air, const Moving& at, const Vec& p_0, const Vec& shift) const {
    const Moving d = look(feet[foot], n, in.q_d, in.v_d, in.vdot_d, w.C);
    const SwingProfile b = swing_progress(air), l = swing_lift(air);
    const Vec way = d.X.p + shift - p_0, up = step_height * axes[2];
    const Vec p = p_0 + b.value * way + l.value * up,
              v = b.rate * way + b.value * d.V[1] + l.rate * up,
              a = b.acceleration * way + 2 * b.rate * d.V[1] + b.value * d.A[1] +
                  l.acceleration * up;
    const Vec turn = sdk::frame_error(at.X, d.X).w;
    add_frame(w, n, at, d.A[0] + swing.kd * (d.V[0] - at.V[0]) + swing.kp * turn,
              a + swing.kd * (v - at.V[1]) + swing.kp * (p - at.X.p), swing.weight,
              sole.empty() ? 3 : 0);
  }
};

}  // namespace

TORSOR_PLUGINS(WholeBody)
