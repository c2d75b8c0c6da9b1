#pragma once
// The table of a trace of inverse(): the quantities of the recursion in algorithm.hpp, in the
// notation of that file. The rows are in the order of the enum Traced.

#include "torsor/sdk/trace.hpp"

namespace torsor::newton_euler {

inline constexpr const char* of_w[] = {"w_p", "X_i", "S_i", "v_i", nullptr};
inline constexpr const char* of_wd[] = {"wd_p", "w_p", "X_i", "S_i", "v_i", "vdot_i", nullptr};
inline constexpr const char* of_a[] = {"a_p", "wd_p", "w_p",    "X_i",
                                       "S_i", "v_i",  "vdot_i", nullptr};
inline constexpr const char* of_F[] = {"w_i", "wd_i", "a_i", "M_i", "Fe_i", nullptr};
inline constexpr const char* of_f[] = {"F_i", "f_c", "X_c", nullptr};
inline constexpr const char* of_tau[] = {"f_i", "S_i", "J_i", "vdot_i", nullptr};

inline constexpr torsor_trace_quantity outward_quantities[] = {
    {TORSOR_TRACE_ANGULAR_VELOCITY, 0, "w", "angular velocity",
     "w_i = R^T w_p + sw,  (R, r) = X_i,  (sw, sv) = S_i v_i",
     R"(\omega_i = R^T \omega_p + s_\omega,\quad (R, r) = X_i,\ (s_\omega, s_v) = S_i v_i)",
     "KHALIL 7.51-7.52, MR 9.54", of_w},
    {TORSOR_TRACE_ANGULAR_ACCELERATION, 0, "wd", "angular acceleration",
     "wd_i = R^T wd_p + (R^T w_p) x sw + Sw vdot_i",
     R"(\dot\omega_i = R^T \dot\omega_p + (R^T \omega_p) \times s_\omega + S_\omega \dot v_i)",
     "KHALIL 7.53", of_wd},
    {TORSOR_TRACE_LINEAR_ACCELERATION, 0, "a", "acceleration of the origin, minus gravity",
     "a_i = R^T (a_p + wd_p x r + w_p x (w_p x r)) + 2 (R^T w_p) x sv + sw x sv + Sv vdot_i",
     R"(a_i = R^T (a_p + \dot\omega_p \times r + \omega_p \times (\omega_p \times r)) + 2 (R^T \omega_p) \times s_v + s_\omega \times s_v + S_v \dot v_i)",
     "KHALIL 7.54", of_a},
    {TORSOR_TRACE_WRENCH, 0, "F", "inertial wrench of the motion, minus the applied wrench",
     "F_i = (I wd_i + w_i x (I w_i) + h x a_i, m a_i + wd_i x h + w_i x (w_i x h)) - Fe_i,  (m, h, "
     "I) = M_i",
     R"(F_i = \begin{pmatrix} I \dot\omega_i + \omega_i \times I \omega_i + h \times a_i \\ m a_i + \dot\omega_i \times h + \omega_i \times (\omega_i \times h) \end{pmatrix} - F_{e,i},\quad (m, h, I) = M_i)",
     "KHALIL 7.55-7.57", of_F}};
inline constexpr torsor_trace_quantity inward_quantities[] = {
    {TORSOR_TRACE_WRENCH, 0, "f", "wrench transmitted by the joint",
     "f_i = F_i + sum_c Ad(X_c^-1)^T f_c", R"(f_i = F_i + \sum_c \mathrm{Ad}_{X_c^{-1}}^T f_c)",
     "KHALIL 7.58-7.60, MR 9.56", of_f},
    {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "joint torque or force", "tau_k = S_k . f_i + J_k vdot_k",
     R"(\tau_k = S_k^T f_i + J_k \dot v_k)", "KHALIL 7.61, MR 9.57", of_tau}};
inline constexpr torsor_trace_pass trace_passes[] = {
    sdk::outward_pass("velocities, accelerations", outward_quantities),
    sdk::inward_pass("wrenches, torques", inward_quantities)};

}  // namespace torsor::newton_euler
