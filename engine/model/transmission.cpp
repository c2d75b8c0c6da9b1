#include "torsor/model/transmission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"

namespace torsor {

namespace {

// Computes W = J^-1 [n * n] by Gauss-Jordan elimination with partial pivoting. Destroys J. Returns
// the sign of det J, or 0 if J is singular to working precision. Does not allocate.
int invert(double* J, double* W, size_t n) {
  int sign = 1;
  double largest = 0;
  for (size_t i = 0; i < n * n; ++i) largest = std::max(largest, std::abs(J[i])), W[i] = 0;
  for (size_t i = 0; i < n; ++i) W[i * n + i] = 1;
  const double least = double(n) * std::numeric_limits<double>::epsilon() * largest;
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = c;
    for (size_t r = c; r < n; ++r)
      if (std::abs(J[r * n + c]) > std::abs(J[pivot * n + c])) pivot = r;
    if (!(std::abs(J[pivot * n + c]) > least)) return 0;
    if ((J[pivot * n + c] < 0) != (pivot != c)) sign = -sign;
    for (size_t k = 0; k < n; ++k) {
      std::swap(J[c * n + k], J[pivot * n + k]);
      std::swap(W[c * n + k], W[pivot * n + k]);
    }
    const double scale = 1 / J[c * n + c];
    for (size_t k = 0; k < n; ++k) J[c * n + k] *= scale, W[c * n + k] *= scale;
    for (size_t r = 0; r < n; ++r) {
      const double factor = J[r * n + c];
      if (r == c || factor == 0) continue;
      for (size_t k = 0; k < n; ++k) {
        J[r * n + k] -= factor * J[c * n + k];
        W[r * n + k] -= factor * W[c * n + k];
      }
    }
  }
  return sign;
}

// Computes y = A x, with A [n * n] by rows.
void multiply(const std::vector<double>& A, const double* x, double* y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}

}  // namespace

const Motor& motor_of_dof(const Model& model, int dof) {
  for (const Transmission& group : model.transmissions)
    for (size_t k = 0; k < group.dofs.size(); ++k)
      if (group.dofs[k] == dof) return group.motors[k];
  return model.drives[size_t(dof)].motor;
}

bool has_torque_limit(const Motor& motor) {
  return motor.clamp || motor.stall_torque > 0 || motor.has_amplifier_limit();
}

TorqueRange torque_range(const Model& model, int dof, double rate) {
  const Motor& motor = model.drives[size_t(dof)].motor;
  if (!has_torque_limit(motor)) return {};
  const Joint& joint = model.joint_of_dof(dof);
  const double limit = motor.clamp ? joint.effort_limit : std::numeric_limits<double>::infinity();
  // Returns the limit of the torque in a direction with the speed `along` in this direction.
  const auto most = [&](double along) {
    if (motor.stall_torque == 0) return limit;
    const double share = along > 0 ? std::max(0.0, 1 - along / joint.velocity_limit) : 1;
    return std::min(limit, motor.stall_torque * share);
  };
  TorqueRange out{-most(-rate), most(rate)};
  if (!motor.has_amplifier_limit()) return out;
  const double N = motor.gear_ratio;
  TorqueRange shaft = amplifier_range(motor, N * rate);
  if (N < 0) std::swap(shaft.lower, shaft.upper);
  const TorqueRange amplifier{N * shaft.lower, N * shaft.upper};
  return {amplifier.clamp(out.lower), amplifier.clamp(out.upper)};
}

Transmissions::Transmissions(std::shared_ptr<const Model> model) : model_(std::move(model)) {
  for (size_t c = 0; c < model_->drives.size(); ++c)
    if (const Drive& drive = model_->drives[c]; !drive.passive && has_torque_limit(drive.motor))
      limited_dofs_.push_back(int(c));
  limits_ = !limited_dofs_.empty();
  for (const Transmission& transmission : model_->transmissions) {
    const size_t n = transmission.dofs.size();
    limits_ = limits_ || std::ranges::any_of(transmission.motors, has_torque_limit);
    const std::vector<double> zeros(n), matrix(n * n);
    groups_.push_back(
        {transmission.jacobian, transmission.inverse, matrix, matrix, zeros, zeros, zeros, zeros});
    if (!transmission.law) continue;
    vary_ = true;
    groups_.back().J = groups_.back().W = matrix;
  }
}

void Transmissions::reset() {
  for (Group& group : groups_) group.sign = 0;
}

void Transmissions::evaluate(std::span<const double> q, std::span<const double> v) {
  if (!vary_) return;
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& transmission = model_->transmissions[k];
    if (!transmission.law) continue;
    for (size_t i = 0; i < transmission.dofs.size(); ++i) {
      const auto dof = size_t(transmission.dofs[i]);
      groups_[k].q[i] = q[size_t(model_->coordinate[dof])];
      groups_[k].v[i] = v[dof];
    }
    evaluate(transmission, groups_[k]);
  }
}

void Transmissions::evaluate(const Transmission& transmission, Group& group) {
  const size_t n = group.q.size();
  const auto place = [&] {
    std::string out;
    for (size_t i = 0; i < n; ++i)
      out += fmt::format("{}{} = {:g}", i == 0 ? "" : ", ",
                         model_->joint_of_dof(transmission.dofs[i]).name, group.q[i]);
    return out;
  };
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}{}transmission: its jacobian {}", transmission.source,
                            transmission.source.empty() ? "" : ": ", what));
  };
  try {
    transmission.law->evaluate(group.q, group.v, group.J, group.J_dot);
  } catch (const Error& error) {
    throw Error(fmt::format("{} (at {})", error.what(), place()));
  }
  for (const std::vector<double>* matrix : {&group.J, &group.J_dot}) {
    const auto bad = std::ranges::find_if(*matrix, [](double x) { return !std::isfinite(x); });
    if (bad == matrix->end()) continue;
    std::vector<std::string> joints;
    for (const int dof : transmission.dofs) joints.push_back(model_->joint_of_dof(dof).name);
    const std::vector<std::string> entries = transmission.law->expressions(joints);
    if (entries.empty()) fail("is not a finite number at " + place());
    const size_t k = size_t(bad - matrix->begin());
    fail(
        fmt::format("is not a finite number at {}: its entry ({}, {}) is the {}; keep the joints "
                    "where it is defined, or extend its table",
                    place(), k / n + 1, k % n + 1, entries[k]));
  }
  std::vector<double>& scratch = group.scratch;
  scratch = group.J;
  const int sign = invert(scratch.data(), group.W.data(), n);
  if (sign == 0 || sign == -group.sign)
    fail(fmt::format(
        "is singular at, or shortly before, {}: there no finite rate of the motors moves the "
        "joints; keep the joints away from this position",
        place()));
  group.sign = sign;
  multiply(group.W, group.v.data(), group.motor_v.data(), n);
  // Wdot v = -W Jdot W v
  multiply(group.J_dot, group.motor_v.data(), scratch.data(), n);
  multiply(group.W, scratch.data(), group.drift.data(), n);
  for (double& x : group.drift) x = -x;
}

void Transmissions::add_motor_torques(std::span<const double> motor_tau,
                                      std::span<double> tau) const {
  const auto in_group = [&](size_t c) {
    return std::ranges::any_of(model_->transmissions, [&](const Transmission& group) {
      return std::ranges::count(group.dofs, int(c)) > 0;
    });
  };
  for (size_t c = 0; c < tau.size(); ++c)
    if (motor_tau[c] != 0 && !in_group(c))
      tau[c] += model_->drives[c].motor.gear_ratio * motor_tau[c];
  for (size_t k = 0; k < groups_.size(); ++k) {
    const std::vector<int>& dofs = model_->transmissions[k].dofs;
    const size_t n = dofs.size();
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t m = 0; m < n; ++m) sum += groups_[k].W[m * n + i] * motor_tau[size_t(dofs[m])];
      tau[size_t(dofs[i])] += sum;
    }
  }
}

// Equations: KHALIL 7.33.
void Transmissions::motor_torques(std::span<const double> tau, std::span<double> motor_tau) const {
  for (size_t c = 0; c < tau.size(); ++c)
    motor_tau[c] = tau[c] / model_->drives[c].motor.gear_ratio;
  for (size_t k = 0; k < groups_.size(); ++k) {
    const std::vector<int>& dofs = model_->transmissions[k].dofs;
    const size_t n = dofs.size();
    for (size_t m = 0; m < n; ++m) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i) sum += groups_[k].J[i * n + m] * tau[size_t(dofs[i])];
      motor_tau[size_t(dofs[m])] = sum;
    }
  }
}

// Equations: KHALIL 7.31.
void Transmissions::motor_rates(std::span<const double> rate, std::span<double> motor_rate) const {
  for (size_t c = 0; c < rate.size(); ++c)
    motor_rate[c] = model_->drives[c].motor.gear_ratio * rate[c];
  for (size_t k = 0; k < groups_.size(); ++k) {
    const std::vector<int>& dofs = model_->transmissions[k].dofs;
    const size_t n = dofs.size();
    for (size_t m = 0; m < n; ++m) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i) sum += groups_[k].W[m * n + i] * rate[size_t(dofs[i])];
      motor_rate[size_t(dofs[m])] = sum;
    }
  }
}

void Transmissions::limit(std::span<const double> rate, std::span<double> tau) const {
  for (const int c : limited_dofs_)
    tau[size_t(c)] = torque_range(*model_, c, rate[size_t(c)]).clamp(tau[size_t(c)]);
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& group = model_->transmissions[k];
    const size_t n = group.dofs.size();
    for (size_t m = 0; m < n; ++m) {
      if (!has_torque_limit(group.motors[m])) continue;
      double motor_tau = 0, motor_rate = 0;
      for (size_t i = 0; i < n; ++i) {
        motor_tau += groups_[k].J[i * n + m] * tau[size_t(group.dofs[i])];
        motor_rate += groups_[k].W[m * n + i] * rate[size_t(group.dofs[i])];
      }
      // A change of one motor's torque does not change the torques of the other motors.
      const double change =
          amplifier_range(group.motors[m], motor_rate).clamp(motor_tau) - motor_tau;
      for (size_t i = 0; i < n && change != 0; ++i)
        tau[size_t(group.dofs[i])] += groups_[k].W[m * n + i] * change;
    }
  }
}

bool Transmissions::is_saturated(int dof, std::span<const double> rate,
                                 std::span<const double> tau) const {
  TorqueRange range = torque_range(*model_, dof, rate[size_t(dof)]);
  double torque = tau[size_t(dof)];
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& group = model_->transmissions[k];
    const size_t n = group.dofs.size(),
                 m = size_t(std::ranges::find(group.dofs, dof) - group.dofs.begin());
    if (m == n) continue;
    double motor_rate = torque = 0;
    for (size_t i = 0; i < n; ++i) {
      torque += groups_[k].J[i * n + m] * tau[size_t(group.dofs[i])];
      motor_rate += groups_[k].W[m * n + i] * rate[size_t(group.dofs[i])];
    }
    range = amplifier_range(group.motors[m], motor_rate);
  }
  constexpr double rounding = 1e-12;
  return torque >= range.upper - rounding * std::abs(range.upper) ||
         torque <= range.lower + rounding * std::abs(range.lower);
}

void Transmissions::add_rotor_inertia(const double* vdot, double* tau) const {
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& group = model_->transmissions[k];
    const size_t n = group.dofs.size();
    for (size_t m = 0; group.law && m < n; ++m) {
      double a = 0;
      for (size_t j = 0; j < n; ++j) a += groups_[k].W[m * n + j] * vdot[group.dofs[j]];
      for (size_t i = 0; i < n; ++i)
        tau[group.dofs[i]] += groups_[k].W[m * n + i] * group.motors[m].rotor_inertia * a;
    }
  }
}

void Transmissions::add_rotor_coriolis(double* tau) const {
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& group = model_->transmissions[k];
    const size_t n = group.dofs.size();
    for (size_t m = 0; group.law && m < n; ++m)
      for (size_t i = 0; i < n; ++i)
        tau[group.dofs[i]] +=
            groups_[k].W[m * n + i] * group.motors[m].rotor_inertia * groups_[k].drift[m];
  }
}

void Transmissions::add_rotor_momentum_rate(double* p_dot) const {
  add_rotor_coriolis(p_dot);
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& transmission = model_->transmissions[k];
    if (!transmission.law) continue;
    const std::vector<double>&W = groups_[k].W, &J_dot = groups_[k].J_dot,
          &motor_v = groups_[k].motor_v;
    const size_t n = transmission.dofs.size();
    // Wdot^T x = -W^T Jdot_qm^T W^T x,  x = J_m W v
    for (size_t j = 0; j < n; ++j) {
      double along = 0;
      for (size_t m = 0; m < n; ++m)
        along += W[m * n + j] * transmission.motors[m].rotor_inertia * motor_v[m];
      for (size_t m = 0; m < n; ++m)
        for (size_t i = 0; i < n; ++i)
          p_dot[transmission.dofs[i]] -= W[m * n + i] * J_dot[j * n + m] * along;
    }
  }
}

double Transmissions::rotor_energy() const {
  double sum = 0;
  for (size_t k = 0; k < groups_.size(); ++k) {
    const Transmission& transmission = model_->transmissions[k];
    for (size_t m = 0; transmission.law && m < transmission.motors.size(); ++m)
      sum += 0.5 * transmission.motors[m].rotor_inertia * groups_[k].motor_v[m] *
             groups_[k].motor_v[m];
  }
  return sum;
}

namespace {

// Returns the second derivatives M of the natural cubic spline at its nodes. With h_k = x_(k+1) -
// x_k and M = 0 at both ends:
//   h_(k-1) M_(k-1) + 2 (h_(k-1) + h_k) M_k + h_k M_(k+1) = 6 (d_k - d_(k-1)),
//   d_k = (y_(k+1) - y_k) / h_k
// This tridiagonal system is diagonally dominant, so elimination needs no pivoting.
std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t n = x.size();
  std::vector<double> M(n, 0.0), ratio(n, 0.0);
  for (size_t k = 1; k + 1 < n; ++k) {
    const double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k];
    const double right = 6 * ((y[k + 1] - y[k]) / h1 - (y[k] - y[k - 1]) / h0);
    const double pivot = 2 * (h0 + h1) - h0 * ratio[k - 1];
    ratio[k] = h1 / pivot;
    M[k] = (right - h0 * M[k - 1]) / pivot;
  }
  for (size_t k = n - 1; k-- > 1;) M[k] -= ratio[k] * M[k + 1];
  return M;
}

std::string expression(const JacobianEntry& entry, const std::string& joint) {
  if (entry.coefficients.empty())
    return fmt::format("spline of {} values over {} from {} to {}", entry.x.size(), joint,
                       entry.x.front(), entry.x.back());
  std::string out;
  for (size_t k = 0; k < entry.coefficients.size(); ++k)
    if (entry.coefficients[k] != 0 || entry.coefficients.size() == 1)
      out += fmt::format("{}{}{}", out.empty() ? "" : " + ", entry.coefficients[k],
                         k == 0   ? ""
                         : k == 1 ? " " + joint
                                  : fmt::format(" {}^{}", joint, k));
  return out.empty() ? "0" : out;
}

class EntryLaw final : public TransmissionLaw {
 public:
  explicit EntryLaw(std::vector<std::vector<JacobianEntry>> entries)
      : entries_(std::move(entries)) {}
  void evaluate(std::span<const double> q, std::span<const double> v, std::span<double> J,
                std::span<double> J_dot) const override {
    size_t at = 0;
    for (const std::vector<JacobianEntry>& row : entries_)
      for (const JacobianEntry& entry : row) {
        const auto [value, slope] = entry.at(q[entry.of]);
        J[at] = value;
        J_dot[at++] = slope * v[entry.of];
      }
  }
  uint64_t fingerprint() const override {
    Hash hash;
    for (const std::vector<JacobianEntry>& row : entries_)
      for (const JacobianEntry& entry : row) {
        hash.add(entry.of);
        for (const std::vector<double>* part : {&entry.coefficients, &entry.x, &entry.values})
          hash.add(*part);
      }
    return hash.value();
  }
  std::vector<std::string> expressions(std::span<const std::string> joints) const override {
    std::vector<std::string> out;
    for (const std::vector<JacobianEntry>& row : entries_)
      for (const JacobianEntry& entry : row) out.push_back(expression(entry, joints[entry.of]));
    return out;
  }
  std::span<const std::vector<JacobianEntry>> entries() const { return entries_; }

 private:
  std::vector<std::vector<JacobianEntry>> entries_;
};

}  // namespace

JacobianEntry JacobianEntry::polynomial(size_t of, std::vector<double> coefficients) {
  JacobianEntry out;
  out.of = of;
  out.coefficients = std::move(coefficients);
  return out;
}

JacobianEntry JacobianEntry::table(size_t of, std::vector<double> x, std::vector<double> values) {
  if (x.size() < 3 || x.size() != values.size())
    throw Error(
        fmt::format("it has {} positions and {} values; give as many of both, and at least 3",
                    x.size(), values.size()));
  for (size_t k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]) || !std::isfinite(values[k]) || (k > 0 && x[k] <= x[k - 1]))
      throw Error(
          fmt::format("its position {} and value {} at place {} must be finite numbers, "
                      "and the positions must ascend",
                      x[k], values[k], k + 1));
  JacobianEntry out;
  out.of = of;
  out.curvature = natural_curvature(x, values);
  out.x = std::move(x);
  out.values = std::move(values);
  return out;
}

// In an interval of length h with a = x_(k+1) - x and b = x - x_k, the spline is
//   y = (M_k a^3 + M_(k+1) b^3) / 6h + (y_k / h - M_k h / 6) a + (y_(k+1) / h - M_(k+1) h / 6) b
std::pair<double, double> JacobianEntry::at(double at) const {
  double value = 0, slope = 0;
  for (size_t k = coefficients.size(); k-- > 0;) {
    slope = slope * at + value;
    value = value * at + coefficients[k];
  }
  if (x.empty()) return {value, slope};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!(at >= x.front() && at <= x.back())) return {none, none};
  const size_t k =
      std::min(size_t(std::upper_bound(x.begin(), x.end(), at) - x.begin()), x.size() - 1) - 1;
  const double h = x[k + 1] - x[k], a = x[k + 1] - at, b = at - x[k], M0 = curvature[k],
               M1 = curvature[k + 1], A = values[k] / h - M0 * h / 6,
               B = values[k + 1] / h - M1 * h / 6;
  return {(M0 * a * a * a + M1 * b * b * b) / (6 * h) + A * a + B * b,
          (M1 * b * b - M0 * a * a) / (2 * h) - A + B};
}

std::span<const std::vector<JacobianEntry>> entries_of(const TransmissionLaw& law) {
  const auto* const own = dynamic_cast<const EntryLaw*>(&law);
  return own ? own->entries() : std::span<const std::vector<JacobianEntry>>();
}

std::shared_ptr<const TransmissionLaw> make_law(std::vector<std::vector<JacobianEntry>> entries) {
  return std::make_shared<EntryLaw>(std::move(entries));
}

}  // namespace torsor
