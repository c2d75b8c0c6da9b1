// Control of a frame F in the world. F_d is the reference of F. V = (omega, pdot) = J v is the
// angular velocity of F and the velocity of its origin, and Vdot = J vdot + Jdot v. The error is
// e_x = (rotation vector from F to F_d, p_d - p) (KHALIL 9.37). All vectors are in world axes. The
// rows of V, J and e_x are the controlled components only.
//
// task_pid (KHALIL 9.17):  tau = J^T [K_p e_x + K_d (V_d - V) + K_i x] + Q(q) - d v,   xdot = e_x
//   Gravity compensation Q(q) and joint damping d are optional. A component x_c is frozen while a
//   joint torque tau_k is saturated and J_ck e_c has the same sign as tau_k.
//
// resolved_acceleration (KHALIL 9.33, 9.34, 9.35, 9.36, MR 9.95):  w = Vdot_d + K_d (V_d - V) + K_p
// e_x
//   tau = M vdot* + C v + Q + friction,   vdot* = J+ (w - Jdot v) + (1 - J+ J) z
//   J+ = M^-1 J^T Lambda,   Lambda = (J M^-1 J^T)^-1
//   The error obeys e_x'' + K_d e_x' + K_p e_x = 0. J+ is the pseudoinverse that minimises the
//   kinetic energy. In the null space of a redundant arm, z = k (q_0 - q) - d v moves the joints to
//   a posture q_0.
//
// operational_space (MR 9.97, 9.98, 9.99):  F = Lambda w + eta
//   eta = Lambda (J M^-1 (C v + Q + friction) - Jdot v)
//   tau = J^T F + (1 - J^T Lambda J M^-1) tau_0,   tau_0 = k (q_0 - q) - d v
//   The frame moves as with resolved_acceleration. The torques tau_0 move the joints to the posture
//   q_0. Their projection into the null space does not accelerate the frame.

#include <array>
#include <optional>

#include "torsor/sdk/control_view.hpp"

using namespace torsor;

namespace {

constexpr size_t six = 6;

// Returns the parameters common to the three controllers, followed by `more`.
template <class... Row>
constexpr auto rows(Row... more) {
  return std::array<torsor_param, sizeof...(Row) + 2>{
      sdk::frame("frame", "frame to control"),
      sdk::integer(
          "components",
          "controlled components, numbered 1 to 6 in the order omega_x, omega_y, omega_z, x, y, z; "
          "default all",
          1, 6, 1, 0),
      more...};
}

struct Gain {
  double rotation = 0, translation = 0;
  double operator[](size_t i) const { return i < 3 ? rotation : translation; }
};

// The controlled frame, its controlled components and their errors.
struct Task {
  torsor_frame frame{};
  std::vector<int> components;
  sdk::Dynamics dynamics;

  size_t size() const { return components.size(); }
  void set_components(std::span<const double> values) {
    for (const double value : values) components.push_back(int(value - 1));
  }
  void prepare(const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    if (frame.body == 0)
      throw sdk::bad_argument(
          "the frame is fixed to the world and cannot move; name a frame of a moving link");
    if (components.empty()) components = {0, 1, 2, 3, 4, 5};
    std::sort(components.begin(), components.end());
    if (std::adjacent_find(components.begin(), components.end()) != components.end())
      throw sdk::bad_argument("'components' lists a number twice; list each once");
  }

  // The errors e and e_v, the desired acceleration w and Jdot v, for the controlled components in
  // ascending order. look() also writes J [components][n_v], by rows.
  struct Now {
    double e[six], e_v[six], w[six], Jdot_v[six];
  };
  Now look(const torsor_control_input& in, size_t n, const Gain& kp, const Gain& kd,
           double* J) const {
    Pose<double> X;
    double Jdot_v[six], V[six] = {};
    dynamics.frame(frame, in.q, in.v, reinterpret_cast<double*>(&X), J, Jdot_v);
    for (size_t i = 0; i < six; ++i)
      for (size_t k = 0; k < n; ++k) V[i] += J[i * n + k] * in.v[k];
    const Twist<double> e = sdk::frame_error(X, *reinterpret_cast<const Pose<double>*>(in.X_d));
    Now now{};
    for (size_t c = 0; c < size(); ++c) {
      const size_t i = size_t(components[c]);
      now.e[c] = (&e.w.x)[i];
      now.e_v[c] = in.V_d[i] - V[i];
      now.w[c] = in.Vdot_d[i] + kd[i] * now.e_v[c] + kp[i] * now.e[c];
      now.Jdot_v[c] = Jdot_v[i];
      // Moves row i of J up to row c < i. The rows after i, which are still to be read, do not
      // change.
      if (i != c) std::copy_n(J + i * n, n, J + c * n);
    }
    return now;
  }
};

constexpr torsor_param acceleration_gains[] = {
    sdk::real("kp", "1/s^2", "proportional gain of translation", 0, sdk::no_limit, 0),
    sdk::real("kd", "1/s", "derivative gain of translation", 0, sdk::no_limit, 0),
    sdk::real("kp_rotation", "1/s^2", "proportional gain of rotation", 0, sdk::no_limit, 0),
    sdk::real("kd_rotation", "1/s", "derivative gain of rotation", 0, sdk::no_limit, 0),
};

struct TaskPid {
  static constexpr const char* id = "controller.task_pid";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "task-space PID: the feedback acts as a wrench on a frame";
  static constexpr int32_t reference = TORSOR_REFERENCE_FRAME;
  static constexpr auto params = rows(
      sdk::real("kp", "N/m", "proportional gain of translation", 0, sdk::no_limit, 0),
      sdk::real("kd", "N s/m", "derivative gain of translation", 0, sdk::no_limit, 0),
      sdk::real("ki", "N/(m s)", "integral gain of translation", 0, sdk::no_limit, 0),
      sdk::real("kp_rotation", "N m/rad", "proportional gain of rotation", 0, sdk::no_limit, 0),
      sdk::real("kd_rotation", "N m s/rad", "derivative gain of rotation", 0, sdk::no_limit, 0),
      sdk::real("ki_rotation", "N m/(rad s)", "integral gain of rotation", 0, sdk::no_limit, 0),
      sdk::real("damping", "N m s/rad", "damping of the joints, needed by redundant arms", 0,
                sdk::no_limit, 0),
      sdk::flag("gravity", "add gravity compensation", true));
  static constexpr torsor_signal signals[] = {sdk::signal("error", "", 6)};

  Task task;
  Gain kp, kd, ki;
  double damping = 0;
  bool with_gravity = true;

  void set_frames(uint32_t, std::span<const torsor_frame> frames) { task.frame = frames[0]; }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1) return task.set_components(values);
    double* const numbers[] = {&kp.translation, &kd.translation, &ki.translation, &kp.rotation,
                               &kd.rotation,    &ki.rotation,    &damping};
    if (index < 9)
      *numbers[index - 2] = values[0];
    else
      with_gravity = values[0] != 0;
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    task.prepare(host);
    const double gains[] = {kp.rotation,    kp.translation, kd.rotation,
                            kd.translation, ki.rotation,    ki.translation};
    if (std::all_of(std::begin(gains), std::end(gains), [](double gain) { return gain == 0; }))
      throw sdk::bad_argument("no gains are set; set kp and kd, or kp_rotation and kd_rotation");
    sizes.n_x = task.size();
    sizes.work_doubles = six * size_t(model.n_v);
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* J,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    if (with_gravity) task.dynamics.gravity(in.q, out.tau);
    const Task::Now now = task.look(in, n, {}, {}, J);
    for (size_t c = 0; c < task.size(); ++c) {
      const size_t i = size_t(task.components[c]);
      const double F = kp[i] * now.e[c] + kd[i] * now.e_v[c] + ki[i] * in.x[c];
      for (size_t k = 0; k < n; ++k) out.tau[k] += J[c * n + k] * F;
      out.signal[i] = now.e[c];
    }
    for (size_t k = 0; k < n; ++k) out.tau[k] -= damping * in.v[k];
    sdk::release_passive(in, n, out.tau);
    for (size_t c = 0; c < task.size(); ++c) {
      bool idle = ki[size_t(task.components[c])] == 0;
      for (size_t k = 0; k < n; ++k)
        idle |= in.max_torque[k] != 0 && sdk::winds_up(in, k, out.tau[k], J[c * n + k] * now.e[c]);
      out.xdot[c] = idle ? 0 : now.e[c];
    }
    return TORSOR_OK;
  }
};

// A controller that computes a desired acceleration of the frame. Law defines the units of the
// posture gains in the null space.
template <class Law>
struct Accelerated {
  static constexpr int32_t reference = TORSOR_REFERENCE_FRAME;
  static constexpr bool all_joints = true;
  static constexpr auto params =
      rows(acceleration_gains[0], acceleration_gains[1], acceleration_gains[2],
           acceleration_gains[3], Law::stiffness, Law::damping,
           sdk::real("posture", "rad",
                     "preferred joint positions of a redundant arm, one for each degree of "
                     "freedom; default none",
                     -sdk::no_limit, sdk::no_limit, 0, 0),
           sdk::flag("friction", "compensate the model's friction", true));

  Task task;
  Gain kp, kd;
  double k_posture = 0, d_posture = 0;
  bool friction = true;
  std::vector<double> posture;  // [n_v]; empty: no posture

  void set_frames(uint32_t, std::span<const torsor_frame> frames) { task.frame = frames[0]; }
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1) return task.set_components(values);
    double* const numbers[] = {&kp.translation, &kd.translation, &kp.rotation,
                               &kd.rotation,    &k_posture,      &d_posture};
    if (index < 8)
      *numbers[index - 2] = values[0];
    else if (index == 9)
      friction = values[0] != 0;
    else
      posture.assign(values.begin(), values.end());
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    task.prepare(host);
    if (task.size() > size_t(model.n_v))
      throw sdk::unsupported(std::to_string(task.size()) +
                             " components of the frame are controlled, but the arm has only " +
                             std::to_string(model.n_v) +
                             " degrees of freedom; list fewer components");
    if ((k_posture > 0) != !posture.empty())
      throw sdk::bad_argument("posture and posture_stiffness need each other; set both or neither");
    if (!posture.empty()) {
      if (model.n_q != model.n_v)
        throw sdk::unsupported(
            "posture needs joints with one coordinate for each degree of freedom; remove posture "
            "and posture_stiffness");
      sdk::fit_per_dof(posture, model.n_v, "posture", 0);
    }
    const size_t n = size_t(model.n_v);
    sizes.work_doubles = 2 * six * n + n * n + 3 * n + six * six;
  }

  // Pointers into the work area: J, Y = M^-1 J^T (stored as rows of its transpose), the Cholesky
  // factor of M in M, bias b, posture term z, scratch y, and the Cholesky factor A of Lambda^-1 = J
  // Y.
  struct Dynamics {
    double *J, *Y, *M, *b, *z, *y, *A;
  };
  // Returns nullopt if M or the arm is singular. M is singular if its factorisation fails at 1e-14.
  // The arm is singular if the condition number of Lambda^-1 exceeds about 1e8. Depending on its
  // direction, a unit acceleration of the frame then needs joint accelerations (in the norm of M)
  // that differ by a factor of about 1e4.
  std::optional<Dynamics> make(const torsor_model& model, const torsor_control_input& in,
                               double* work, Task::Now& now) const {
    const size_t n = size_t(model.n_v), m = task.size();
    const Dynamics d{work,
                     work + six * n,
                     work + 2 * six * n,
                     work + 2 * six * n + n * n,
                     work + 2 * six * n + n * n + n,
                     work + 2 * six * n + n * n + 2 * n,
                     work + 2 * six * n + n * n + 3 * n};
    now = task.look(in, n, kp, kd, d.J);
    task.dynamics.mass_matrix(in.q, d.M);
    task.dynamics.bias(in.q, in.v, d.b);
    for (size_t k = 0; friction && k < n; ++k)
      d.b[k] += sdk::friction(task.dynamics.drive(int(k)), in.v[k]);
    if (!sdk::factor(d.M, n, 1e-14)) return std::nullopt;
    std::copy_n(d.J, m * n, d.Y);
    for (size_t c = 0; c < m; ++c) sdk::solve(d.M, n, d.Y + c * n);
    for (size_t c = 0; c < m; ++c)
      for (size_t r = 0; r < m; ++r) {
        d.A[c * m + r] = 0;
        for (size_t k = 0; k < n; ++k) d.A[c * m + r] += d.J[c * n + k] * d.Y[r * n + k];
      }
    if (!sdk::factor(d.A, m, 1e-8)) return std::nullopt;
    for (size_t k = 0; k < n; ++k)
      d.z[k] = (posture.empty() ? 0 : k_posture * (posture[k] - in.q[k])) - d_posture * in.v[k];
    return d;
  }
};

struct AccelerationLaw {
  static constexpr auto stiffness =
      sdk::real("posture_stiffness", "1/s^2",
                "stiffness of the posture in the null space of the frame", 0, sdk::no_limit, 0);
  static constexpr auto damping =
      sdk::real("posture_damping", "1/s", "damping of the posture in the null space of the frame",
                0, sdk::no_limit, 0);
};

struct ResolvedAcceleration : Accelerated<AccelerationLaw> {
  static constexpr const char* id = "controller.resolved_acceleration";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "resolved acceleration: computed torque for a frame, with a preferred posture of redundant "
      "arms";
  static constexpr torsor_signal signals[] = {sdk::signal("error", "", 6),
                                              sdk::acceleration_signal("w")};

  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v), m = task.size();
    Task::Now now;
    const std::optional<Dynamics> made = make(model, in, work, now);
    if (!made) return TORSOR_SINGULAR;
    const Dynamics& d = *made;
    double f[six], *vdot = out.signal + six;
    for (size_t c = 0; c < m; ++c) {
      out.signal[task.components[c]] = now.e[c];
      f[c] = now.w[c] - now.Jdot_v[c];
      for (size_t k = 0; k < n; ++k) f[c] -= d.J[c * n + k] * d.z[k];
    }
    sdk::solve(d.A, m, f);
    for (size_t k = 0; k < n; ++k) {
      vdot[k] = d.z[k];
      for (size_t c = 0; c < m; ++c) vdot[k] += d.Y[c * n + k] * f[c];
    }
    task.dynamics.inverse(in.q, in.v, vdot, out.tau);
    for (size_t k = 0; friction && k < n; ++k)
      out.tau[k] += sdk::friction(task.dynamics.drive(int(k)), in.v[k]);
    return TORSOR_OK;
  }
};

struct TorqueLaw {
  static constexpr auto stiffness =
      sdk::real("posture_stiffness", "N m/rad",
                "stiffness of the posture in the null space of the frame", 0, sdk::no_limit, 0);
  static constexpr auto damping =
      sdk::real("posture_damping", "N m s/rad",
                "damping of the posture in the null space of the frame", 0, sdk::no_limit, 0);
};

struct OperationalSpace : Accelerated<TorqueLaw> {
  static constexpr const char* id = "controller.operational_space";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "operational-space control: a wrench on a frame, computed from its inertia Lambda and bias "
      "eta";
  static constexpr torsor_signal signals[] = {sdk::signal("error", "", 6),
                                              sdk::signal("wrench", "", 6)};

  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v), m = task.size();
    Task::Now now;
    const std::optional<Dynamics> made = make(model, in, work, now);
    if (!made) return TORSOR_SINGULAR;
    const Dynamics& d = *made;
    // F = Lambda (w - Jdot v + J M^-1 (b - tau_0)),   tau = tau_0 + J^T F
    double F[six];
    for (size_t k = 0; k < n; ++k) d.y[k] = d.b[k] - d.z[k];
    for (size_t c = 0; c < m; ++c) {
      out.signal[task.components[c]] = now.e[c];
      F[c] = now.w[c] - now.Jdot_v[c];
      for (size_t k = 0; k < n; ++k) F[c] += d.Y[c * n + k] * d.y[k];
    }
    sdk::solve(d.A, m, F);
    for (size_t k = 0; k < n; ++k) out.tau[k] = d.z[k];
    for (size_t c = 0; c < m; ++c) {
      out.signal[six + size_t(task.components[c])] = F[c];
      for (size_t k = 0; k < n; ++k) out.tau[k] += d.J[c * n + k] * F[c];
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(TaskPid, ResolvedAcceleration, OperationalSpace)
