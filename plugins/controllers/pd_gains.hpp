#pragma once
// Gains of PD laws for joints, or for the motors of elastic joints.

#include "torsor/sdk/control_view.hpp"

namespace torsor::controllers {

inline constexpr torsor_param proportional = sdk::real(
    "kp", "N m/rad", "proportional gains; one value for all degrees of freedom, or one for each", 0,
    sdk::no_limit, 0, 0);
inline constexpr torsor_param derivative = sdk::real(
    "kd", "N m s/rad", "derivative gains; one value for all degrees of freedom, or one for each", 0,
    sdk::no_limit, 0, 0);

struct PdGains {
  std::vector<double> kp, kd;
  void require() const {
    if (kp.empty() && kd.empty()) throw sdk::bad_argument("no gains are set; set kp and kd");
  }
  void fit(const torsor_model& model) {
    sdk::fit_per_dof(kp, model.n_v, "kp", 0);
    sdk::fit_per_dof(kd, model.n_v, "kd", 0);
  }
  double torque(const torsor_control_input& in, size_t k) const {
    return kp[k] * in.e[k] + kd[k] * (in.v_r[k] - in.v[k]);
  }
};

}  // namespace torsor::controllers
