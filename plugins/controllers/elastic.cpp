// Controllers for arms with elastic joints. q is the angle of a joint and theta the angle of its
// motor, on the joint's side of the gear. The spring between them has the deflection e = theta - q
// and exerts the torque tau = k e + c e^3 on the joint. I_a is the inertia of the motor and tau_m
// its torque. The kinetic energy of a rotor includes its spin only (KHALIL 7.34-7.35; Spong 1987):
//   M(q) q'' + C q' + Q + D q' = tau,   I_a theta'' + tau + F_m(theta') = tau_m
// D is damping at the joint, and F_m = F_v theta' + F_c sign(theta') is friction at the motor. tau
// and its derivatives determine the motion of the motor:
//   (k + 3 c e^2) e' = tau',   (k + 3 c e^2) e'' + 6 c e e'^2 = tau'',   theta'' = q'' + e''   (1)
// If joints share a stiffness matrix, k is this matrix, and their springs have c = 0. Equation (1)
// is not valid for a damped spring, tau = k e + d e': tau' then depends on the motor
// torque.
//
// elastic_pd (Tomei 1991) measures theta and theta':
//   tau_m = K_p (theta_d - theta) - K_d theta' + Q(q_d)
//   theta_d = q_d + e,   k e + c e^3 = Q(q_d)
//
// elastic_feed_forward computes the motor torques along the reference from (1), in open loop or
// with PD of the motors. The solver provides tau, tau' and tau'' along the reference
// (inverse_rates):
//   tau_m = I_a theta_d'' + tau + F_v theta_d' + K_p (theta_d - theta) + K_d (theta_d' - theta')
// The law uses four derivatives of the reference position. The first three must be continuous: a
// jump of the jerk would require a jump of tau' and of the motor velocity.
//
// elastic_feedback_linearisation (Spong 1987, De Luca 1988) measures q, q', theta and theta'. They
// determine tau and tau' of the springs. Therefore q'' and q''' are functions of the state too:
//   M q'' = tau - C q' - Q - D q',   M q''' = tau' - d/dt(M) q'' - d/dt(C q' + Q + D q')
// The solver provides tau'' (inverse_rates). The law chooses q'''' = w, and (1) then determines
// tau_m:
//   w = q_d'''' + k_3 (q_d''' - q''') + k_2 (q_d'' - q'') + k_1 (q_d' - q') + k_0 (q_d - q)
//   e'''' + k_3 e''' + .. + k_0 e = 0
// Here e = q_d - q. If a frequency omega is set, the characteristic polynomial is (s + omega)^4. A
// rigid joint of the arm gets the acceleration
//   a = q_d'' + 2 omega (q_d' - q') + omega^2 (q_d - q)
// Its derivatives a' and a'' are functions of the state, so no derivative of its torque is needed.

#include <limits>

#include "gravity_bound.hpp"
#include "pd_gains.hpp"

using namespace torsor;

namespace {

// The spring of one degree of freedom, with k > 0 and c >= 0. A rigid joint has k = 0.
struct Spring {
  double k, c;
  explicit Spring(const torsor_drive& drive) : k(drive.stiffness), c(drive.spring_cubic) {}

  double torque(double e) const { return (k + c * e * e) * e; }
  double slope(double e) const { return k + 3 * c * e * e; }
  // Returns the deflection e that solves k e + c e^3 = tau. With e = 2 sqrt(k / 3c) sinh u, this
  // becomes
  //   sinh 3u = (3 tau / 2k) sqrt(3c / k)
  double stretch(double tau) const {
    if (k == 0) return 0;
    if (c == 0) return tau / k;
    return 2 * std::sqrt(k / (3 * c)) *
           std::sinh(std::asinh(1.5 * tau / k * std::sqrt(3 * c / k)) / 3);
  }
  // Return e' and e'' for the time derivatives of tau. See equation (1) at the top of this file.
  double rate(double e, double tau_dot) const { return k == 0 ? 0 : tau_dot / slope(e); }
  double acceleration(double e, double e_dot, double tau_ddot) const {
    return k == 0 ? 0 : (tau_ddot - 6 * c * e * e_dot * e_dot) / slope(e);
  }
};

// The springs of the joints that share a stiffness matrix: tau = k e.
class Coupled {
 public:
  void prepare(const sdk::Dynamics& dynamics, const torsor_model& model) {
    n_ = size_t(model.n_v);
    k_ = dynamics.stiffness();
    dofs_.clear();
    for (size_t i = 0; i < n_; ++i)
      if (couples(i)) dofs_.push_back(i);
    L_.clear();
    for (const size_t i : dofs_)
      for (const size_t j : dofs_) L_.push_back(k_[i * n_ + j]);
    if (!sdk::factor(L_.data(), dofs_.size(), std::numeric_limits<double>::epsilon()))
      throw sdk::bad_argument("the stiffness matrix of the model is singular");
  }
  // Returns the number of doubles that stretch() needs.
  size_t work() const { return dofs_.size(); }
  // Returns the part of row i of k e that comes from other joints.
  double others(size_t i, const double* e) const {
    double sum = 0;
    for (const size_t j : dofs_)
      if (j != i) sum += k_[i * n_ + j] * e[j];
    return sum;
  }
  // Replaces the entries of these joints in e [n_v] by those of k^-1 tau.
  void stretch(const double* tau, double* e, double* work) const {
    for (size_t i = 0; i < dofs_.size(); ++i) work[i] = tau[dofs_[i]];
    sdk::solve(L_.data(), dofs_.size(), work);
    for (size_t i = 0; i < dofs_.size(); ++i) e[dofs_[i]] = work[i];
  }

 private:
  bool couples(size_t i) const {
    for (size_t j = 0; j < n_; ++j)
      if (j != i && k_[i * n_ + j] != 0) return true;
    return false;
  }
  size_t n_ = 0;
  const double* k_ = nullptr;
  std::vector<size_t> dofs_;
  std::vector<double> L_;
};

bool is_elastic(const torsor_drive& drive) {
  return drive.stiffness > 0;
}

void require_elastic(const sdk::Dynamics& dynamics, const torsor_model& model,
                     const std::string& otherwise) {
  for (int k = 0; k < model.n_v; ++k)
    if (is_elastic(dynamics.drive(k))) return;
  throw sdk::unsupported("no joint of the model is elastic; use " + otherwise +
                         ", which is for rigid joints");
}

// Throws unsupported if tau' and tau'' cannot be computed for the model.
void require_rates(const sdk::Dynamics& dynamics, const torsor_model& model) {
  if (!dynamics.has_rates())
    throw sdk::unsupported(
        "the solver of the control model offers no time derivatives of torques; set solver = "
        "\"newton_euler\"");
  for (int k = 0; k < model.n_v; ++k) {
    if (dynamics.is_tied(k))
      throw sdk::unsupported(
          "joints of the model mimic others, share a transmission or are driven by a rotor that is "
          "a body; use a model without these, because the law knows only M q'' + C q' + Q");
    if (dynamics.drive(k).spring_damping > 0)
      throw sdk::unsupported(
          "a spring of the model is damped, so the motor angle does not follow from the torque; "
          "use a model without spring damping");
  }
}

// Returns the viscous damping of dof k that acts at the joint, N m s/rad. For an elastic joint,
// this excludes the damping of the motor.
double damping(const sdk::Dynamics& dynamics, int k) {
  const torsor_drive& drive = dynamics.drive(k);
  return is_elastic(drive) ? drive.viscous - dynamics.motor_viscous(k) : drive.viscous;
}

// Base of the controllers that measure the motors of elastic joints: PD gains and nominal dynamics.
struct OfElasticMotors {
  static constexpr bool all_joints = true, of_motors = true;
  static constexpr torsor_param params[] = {controllers::proportional, controllers::derivative};

  controllers::PdGains gains;
  sdk::Dynamics dynamics;
  Coupled coupled;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? gains.kp : gains.kd).assign(values.begin(), values.end());
  }
};

struct ElasticPd : OfElasticMotors {
  static constexpr const char* id = "controller.elastic_pd";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "motor PD for elastic joints, plus gravity compensation at the goal";

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.require();
    gains.fit(model);
    require_elastic(dynamics, model, "pd_gravity");
    coupled.prepare(dynamics, model);
    sizes.work_doubles = 2 * size_t(model.n_v) + coupled.work();
    const std::string note = controllers::gravity_condition(dynamics, model, gains.kp);
    if (!note.empty()) host.report(&host, TORSOR_OK, note.c_str());
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* g,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    double *e = g + n, *work = e + n;
    dynamics.gravity(in.q_d, g);
    for (size_t k = 0; k < n; ++k) e[k] = Spring(dynamics.drive(int(k))).stretch(g[k]);
    coupled.stretch(g, e, work);
    for (size_t k = 0; k < n; ++k) out.tau[k] = gains.torque(in, k) + gains.kp[k] * e[k] + g[k];
    return TORSOR_OK;
  }
};

struct ElasticFeedForward : OfElasticMotors {
  static constexpr const char* id = "controller.elastic_feed_forward";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "feed-forward for elastic joints: motor torques that make the links follow the reference, "
      "plus motor PD";
  static constexpr int32_t smoothness = 3;

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.fit(model);
    require_rates(dynamics, model);
    require_elastic(dynamics, model, "feed_forward");
    for (int k = 0; k < model.n_v; ++k)
      if (dynamics.drive(k).coulomb > 0) {
        host.report(&host, TORSOR_OK, "the model's dry friction is not compensated");
        break;
      }
    coupled.prepare(dynamics, model);
    sizes.work_doubles = 6 * size_t(model.n_v) + coupled.work();
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    double *tau = work, *tau_dot = tau + n, *tau_ddot = tau_dot + n, *e = tau_ddot + n,
           *e_dot = e + n, *e_ddot = e_dot + n, *scratch = e_ddot + n;
    dynamics.inverse_rates(in.q_d, in.v_d, in.vdot_d, in.vddot_d, in.vdddot_d, tau, tau_dot,
                           tau_ddot);
    for (size_t k = 0; k < n; ++k) {
      const Spring spring(dynamics.drive(int(k)));
      const double D = damping(dynamics, int(k));
      tau[k] += D * in.v_d[k], tau_dot[k] += D * in.vdot_d[k], tau_ddot[k] += D * in.vddot_d[k];
      e[k] = spring.stretch(tau[k]);
      e_dot[k] = spring.rate(e[k], tau_dot[k]);
      e_ddot[k] = spring.acceleration(e[k], e_dot[k], tau_ddot[k]);
    }
    coupled.stretch(tau, e, scratch);
    coupled.stretch(tau_dot, e_dot, scratch);
    coupled.stretch(tau_ddot, e_ddot, scratch);
    for (size_t k = 0; k < n; ++k) {
      const torsor_drive& drive = dynamics.drive(int(k));
      const double F_v = drive.viscous - damping(dynamics, int(k));
      out.tau[k] = drive.motor_inertia * (in.vdot_d[k] + e_ddot[k]) + tau[k] +
                   F_v * (in.v_d[k] + e_dot[k]) + gains.kp[k] * (in.e[k] + e[k]) +
                   gains.kd[k] * (in.v_r[k] - in.v[k] + e_dot[k]);
    }
    return TORSOR_OK;
  }
};

struct ElasticFeedbackLinearisation {
  static constexpr const char* id = "controller.elastic_feedback_linearisation";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "feedback linearisation for elastic joints: tracking errors obey linear equations with "
      "constant coefficients";
  static constexpr bool all_joints = true;
  static constexpr int32_t smoothness = 3, of_motors = -1;
  static constexpr torsor_param params[] = {
      sdk::real("frequency", "rad/s",
                "location of the error's poles: four for an elastic joint, two for a rigid one", 0,
                sdk::no_limit, 0, 0),
      sdk::real(
          "gains", "",
          "k0, k1, k2, k3 for every elastic joint, instead of frequency: gains of the error, its "
          "velocity, acceleration and jerk",
          0, sdk::no_limit, 0, 0)};

  // frequency: [n_v] in rad/s, or empty. gains: [4], or empty.
  std::vector<double> frequency, gains;
  std::vector<int> elastic;  // indices of the elastic dof
  int last_body = 0;         // highest index of a body with an elastic joint
  sdk::Dynamics dynamics;
  Coupled coupled;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? frequency : gains).assign(values.begin(), values.end());
  }

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    require_rates(dynamics, model);
    require_elastic(dynamics, model, "computed_torque");
    elastic.clear();
    for (int body = 1; body < model.n_body; ++body) {
      if (model.v_count[body] > 2)
        throw sdk::unsupported(
            "a joint of the model is spherical, planar or floating; this law needs joints of one "
            "or two degrees of freedom");
      for (int k = model.v_index[body]; k < model.v_index[body] + model.v_count[body]; ++k)
        if (is_elastic(dynamics.drive(k))) elastic.push_back(k), last_body = body;
    }
    for (const int k : elastic)
      if (dynamics.drive(k).coulomb > dynamics.motor_coulomb(k))
        throw sdk::unsupported(
            "an elastic joint of the model has dry friction on the link's side of its spring, so "
            "its torque is not differentiable; use a model without it");
    check_gains(model);
    coupled.prepare(dynamics, model);
    const size_t n = size_t(model.n_v), m = elastic.size();
    sizes.work_doubles = 11 * n + n * n + m * m + m + coupled.work();
  }

  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    const Work at(work, n, elastic.size());
    for (double* part : {at.zero, at.e, at.e_dot}) std::fill_n(part, n, 0.0);
    for (const int k : elastic) {
      at.e[k] = in.motor_q[k] - in.q[k];
      at.e_dot[k] = in.motor_v[k] - in.v[k];
    }
    for (size_t k = 0; k < n; ++k) choose_rigid(in, k, at);
    if (!accelerate(in, n, at)) return TORSOR_STATUS(TORSOR_SINGULAR, last_body);
    for (const int k : elastic) at.w[k] = chosen_snap(in, size_t(k), at);
    dynamics.inverse_rates(in.q, in.v, at.a, at.j, at.w, at.tau, at.tau_dot, at.tau_ddot);
    for (const int k : elastic) {
      at.tau_ddot[k] += damping(dynamics, k) * at.j[k];
      at.e_ddot[k] = Spring(dynamics.drive(k)).acceleration(at.e[k], at.e_dot[k], at.tau_ddot[k]);
    }
    coupled.stretch(at.tau_ddot, at.e_ddot, at.scratch);
    for (size_t k = 0; k < n; ++k) {
      const torsor_drive& drive = dynamics.drive(int(k));
      if (!is_elastic(drive)) {
        out.tau[k] = at.tau[k] + sdk::friction(drive, in.v[k]);
        continue;
      }
      const double theta_dot = in.motor_v[k];
      out.tau[k] = drive.motor_inertia * (at.a[k] + at.e_ddot[k]) + Spring(drive).torque(at.e[k]) +
                   coupled.others(k, at.e) + dynamics.motor_viscous(int(k)) * theta_dot +
                   dynamics.motor_coulomb(int(k)) * double((theta_dot > 0) - (theta_dot < 0));
    }
    return TORSOR_OK;
  }

 private:
  struct Work {
    // Vectors [n]. a, j and w are q'', q''' and q''''.
    double *zero, *a, *j, *w, *tau, *tau_dot, *tau_ddot, *bias, *e, *e_dot, *e_ddot;
    // Matrices M [n][n] and L [m][m], vector r [m]. m is the number of elastic dof.
    double *M, *L, *r, *scratch;
    Work(double* work, size_t n, size_t m)
        : zero(work),
          a(work + n),
          j(work + 2 * n),
          w(work + 3 * n),
          tau(work + 4 * n),
          tau_dot(work + 5 * n),
          tau_ddot(work + 6 * n),
          bias(work + 7 * n),
          e(work + 8 * n),
          e_dot(work + 9 * n),
          e_ddot(work + 10 * n),
          M(work + 11 * n),
          L(M + n * n),
          r(L + m * m),
          scratch(r + m) {}
  };

  void check_gains(const torsor_model& model) {
    const bool mixed = elastic.size() < size_t(model.n_v);
    if (gains.empty() && frequency.empty())
      throw sdk::bad_argument("no gains are set; set frequency");
    if (!gains.empty() && gains.size() != 4)
      throw sdk::bad_argument(
          "'gains' must be four numbers: gains of the error, its velocity, acceleration and jerk");
    if (!gains.empty() && !frequency.empty() && !mixed)
      throw sdk::bad_argument("both gains and frequency are set; set one or the other");
    if (!gains.empty() && frequency.empty() && mixed)
      throw sdk::bad_argument(
          "the model has rigid joints, which need a frequency; set frequency as well as gains");
    if (!frequency.empty()) sdk::fit_per_dof(frequency, model.n_v, "frequency", 0);
    for (const double omega : frequency)
      if (!(omega > 0))
        throw sdk::bad_argument("'frequency' must be positive, else errors do not decay");
    if (gains.empty()) return;
    const double k0 = gains[0], k1 = gains[1], k2 = gains[2], k3 = gains[3];
    // Routh-Hurwitz stability condition for gains >= 0.
    if (!(k0 > 0 && k1 * (k3 * k2 - k1) > k3 * k3 * k0))
      throw sdk::bad_argument(
          "'gains' are unstable: s^4 + k3 s^3 + k2 s^2 + k1 s + k0 must have its roots in the left "
          "half-plane");
  }

  // Sets q'', q''' and q'''' of dof k: the desired values if the dof is rigid, 0 if it is elastic.
  void choose_rigid(const torsor_control_input& in, size_t k, const Work& at) const {
    at.a[k] = at.j[k] = at.w[k] = 0;
    if (is_elastic(dynamics.drive(int(k)))) return;
    const double k1 = 2 * frequency[k], k0 = frequency[k] * frequency[k];
    at.a[k] = in.vdot_d[k] + k1 * (in.v_d[k] - in.v[k]) + k0 * in.e[k];
    at.j[k] = in.vddot_d[k] + k1 * (in.vdot_d[k] - at.a[k]) + k0 * (in.v_d[k] - in.v[k]);
    at.w[k] = in.vdddot_d[k] + k1 * (in.vddot_d[k] - at.j[k]) + k0 * (in.vdot_d[k] - at.a[k]);
  }

  double chosen_snap(const torsor_control_input& in, size_t k, const Work& at) const {
    const double p = gains.empty() ? frequency[k] : 0;
    const double of_pole[] = {p * p * p * p, 4 * p * p * p, 6 * p * p, 4 * p};
    const double* gain = gains.empty() ? of_pole : gains.data();
    return in.vdddot_d[k] + gain[3] * (in.vddot_d[k] - at.j[k]) +
           gain[2] * (in.vdot_d[k] - at.a[k]) + gain[1] * (in.v_d[k] - in.v[k]) + gain[0] * in.e[k];
  }

  // Computes q'' and q''' of the elastic dof from those of the rigid dof. Solves both with the
  // block of M that belongs to the elastic dof. The right side for q''' contains the tau' that
  // inverse_rates() computes with q''' = 0 for the elastic dof. Returns false if the block of M is
  // singular.
  bool accelerate(const torsor_control_input& in, size_t n, const Work& at) const {
    const size_t m = elastic.size();
    dynamics.mass_matrix(in.q, at.M);
    dynamics.bias(in.q, in.v, at.bias);
    for (size_t i = 0; i < m; ++i) {
      const int k = elastic[i];
      const double* row = at.M + size_t(k) * n;
      for (size_t l = 0; l < m; ++l) at.L[i * m + l] = row[elastic[l]];
      at.r[i] = Spring(dynamics.drive(k)).torque(at.e[k]) + coupled.others(size_t(k), at.e) -
                at.bias[k] - damping(dynamics, k) * in.v[k];
      for (size_t l = 0; l < n; ++l) at.r[i] -= row[l] * at.a[l];
    }
    if (!sdk::factor(at.L, m, std::numeric_limits<double>::epsilon())) return false;
    sdk::solve(at.L, m, at.r);
    for (size_t i = 0; i < m; ++i) at.a[elastic[i]] = at.r[i];
    dynamics.inverse_rates(in.q, in.v, at.a, at.j, at.zero, at.tau, at.tau_dot, at.tau_ddot);
    for (size_t i = 0; i < m; ++i) {
      const int k = elastic[i];
      at.r[i] = Spring(dynamics.drive(k)).slope(at.e[k]) * at.e_dot[k] +
                coupled.others(size_t(k), at.e_dot) - at.tau_dot[k] -
                damping(dynamics, k) * at.a[k];
    }
    sdk::solve(at.L, m, at.r);
    for (size_t i = 0; i < m; ++i) at.j[elastic[i]] = at.r[i];
    return true;
  }
};

}  // namespace

TORSOR_PLUGINS(ElasticPd, ElasticFeedForward, ElasticFeedbackLinearisation)
