#pragma once
// The table of a trace of forward(): the quantities of the recursions in algorithm.hpp, in the
// notation of that file. The rows are in the order of the enum Traced.

#include "torsor/sdk/trace.hpp"

namespace torsor::articulated_body {

inline constexpr const char* of_w[] = {"w_p", "X_i", "S_i", "v_i", nullptr};
inline constexpr const char* of_k[] = {"w_p", "X_i", nullptr};
inline constexpr const char* of_gamma[] = {"w_i", "S_i", "v_i", nullptr};
inline constexpr const char* of_beta[] = {"w_i", "M_i", "Fe_i", nullptr};
inline constexpr const char* of_P[] = {"M_i", "Pa_c", "X_c", nullptr};
inline constexpr const char* of_b[] = {"beta_i", "ba_c", "Pa_c", "gamma_c", "k_c", "X_c", nullptr};
inline constexpr const char* of_U[] = {"P_i", "S_i", nullptr};
inline constexpr const char* of_d[] = {"U_i", "S_i", "J_i", nullptr};
inline constexpr const char* of_u[] = {"tau_i", "b_i", "S_i", nullptr};
inline constexpr const char* of_Pa[] = {"P_i", "U_i", "d_i", nullptr};
inline constexpr const char* of_ba[] = {"b_i", "U_i", "u_i", "d_i", nullptr};
inline constexpr const char* of_Ac[] = {"A_p", "k_i", "gamma_i", "X_i", nullptr};
inline constexpr const char* of_vdot[] = {"Ac_i", "U_i", "u_i", "d_i", "S_i", nullptr};
inline constexpr const char* of_A[] = {"Ac_i", "S_i", "vdot_i", nullptr};

inline constexpr torsor_trace_quantity velocity_quantities[] = {
    {TORSOR_TRACE_ANGULAR_VELOCITY, 0, "w", "angular velocity",
     "w_i = R^T w_p + sw,  (R, r) = X_i,  (sw, sv) = S_i v_i",
     R"(\omega_i = R^T \omega_p + s_\omega,\quad (R, r) = X_i,\ (s_\omega, s_v) = S_i v_i)",
     "KHALIL 7.51-7.52", of_w},
    {TORSOR_TRACE_LINEAR_ACCELERATION, 1, "k",
     "centripetal acceleration of the origin, from the parent's rotation", "k_i = w_p x (w_p x r)",
     R"(k_i = \omega_p \times (\omega_p \times r))", "KHALIL 7.68", of_k},
    {TORSOR_TRACE_ACCELERATION, 0, "gamma", "velocity-dependent acceleration of the joint",
     "gamma_i = (w_i x sw, 2 w_i x sv - sw x sv)",
     R"(\gamma_i = (\omega_i \times s_\omega,\ 2\, \omega_i \times s_v - s_\omega \times s_v))",
     "KHALIL 7.68", of_gamma},
    {TORSOR_TRACE_WRENCH, 0, "beta", "velocity-dependent wrench, minus the applied wrench",
     "beta_i = (w_i x (I w_i), w_i x (w_i x h)) - Fe_i,  (m, h, I) = M_i",
     R"(\beta_i = (\omega_i \times I \omega_i,\ \omega_i \times (\omega_i \times h)) - F_{e,i},\quad (m, h, I) = M_i)",
     "KHALIL 7.70", of_beta}};
inline constexpr torsor_trace_quantity inertia_quantities[] = {
    {TORSOR_TRACE_INERTIA, 0, "P", "articulated inertia",
     "P_i = M_i + sum_c Ad(X_c^-1)^T Pa_c Ad(X_c^-1)",
     R"(P_i = M_i + \sum_c \mathrm{Ad}_{X_c^{-1}}^T P^a_c \mathrm{Ad}_{X_c^{-1}})", "KHALIL 7.75",
     of_P},
    {TORSOR_TRACE_WRENCH, 0, "b", "articulated bias wrench",
     "b_i = beta_i + sum_c Ad(X_c^-1)^T (ba_c + Pa_c (gamma_c + Ad(X_c^-1) (0, k_c)))",
     R"(b_i = \beta_i + \sum_c \mathrm{Ad}_{X_c^{-1}}^T \bigl(b^a_c + P^a_c (\gamma_c + \mathrm{Ad}_{X_c^{-1}} (0, k_c))\bigr))",
     "KHALIL 7.74", of_b},
    {TORSOR_TRACE_JOINT_WRENCH, 0, "U", "wrench per unit of joint acceleration",
     "U_k = P S_k,  P = P_i without the dof before k",
     R"(U_k = P S_k,\quad P = P_i - \sum_{l < k} U_l U_l^T / d_l)", "KHALIL 7.71", of_U},
    {TORSOR_TRACE_JOINT_INERTIA, 0, "d", "inertia at the joint", "d_k = S_k . U_k + J_k",
     R"(d_k = S_k^T U_k + J_k)", "KHALIL 7.71", of_d},
    {TORSOR_TRACE_JOINT_FORCE, 0, "u", "torque or force that accelerates the joint",
     "u_k = tau_k - S_k . b,  b = b_i with the dof before k",
     R"(u_k = \tau_k - S_k^T b,\quad b = b_i + \sum_{l < k} U_l u_l / d_l)", "KHALIL 7.73", of_u},
    {TORSOR_TRACE_INERTIA, 0, "Pa", "articulated inertia passed to the parent",
     "Pa_i = P_i - sum_k U_k U_k^T / d_k", R"(P^a_i = P_i - \sum_k U_k U_k^T / d_k)", "KHALIL 7.72",
     of_Pa},
    {TORSOR_TRACE_WRENCH, 0, "ba", "bias wrench passed to the parent",
     "ba_i = b_i + sum_k U_k u_k / d_k", R"(b^a_i = b_i + \sum_k U_k u_k / d_k)", "KHALIL 7.73",
     of_ba}};
inline constexpr torsor_trace_quantity acceleration_quantities[] = {
    {TORSOR_TRACE_ACCELERATION, 0, "Ac", "acceleration of the body without the joint's own",
     "Ac_i = Ad(X_i^-1) (A_p + (0, k_i)) + gamma_i",
     R"(A^c_i = \mathrm{Ad}_{X_i^{-1}} (A_p + (0, k_i)) + \gamma_i)", "KHALIL 7.76", of_Ac},
    {TORSOR_TRACE_JOINT_ACCELERATION, 0, "vdot", "acceleration of the joint",
     "vdot_k = (u_k - U_k . (Ac_i + sum_l S_l vdot_l)) / d_k,  dof l after k",
     R"(\dot v_k = \bigl(u_k - U_k^T (A^c_i + \sum_{l > k} S_l \dot v_l)\bigr) / d_k)",
     "KHALIL 7.77", of_vdot},
    {TORSOR_TRACE_ACCELERATION, 0, "A", "acceleration, minus gravity",
     "A_i = Ac_i + sum_k S_k vdot_k", R"(A_i = A^c_i + \sum_k S_k \dot v_k)", "KHALIL 7.78", of_A}};
inline constexpr torsor_trace_pass trace_passes[] = {
    sdk::outward_pass("velocities", velocity_quantities),
    sdk::inward_pass("articulated inertias, biases", inertia_quantities),
    sdk::outward_pass("accelerations", acceleration_quantities)};

}  // namespace torsor::articulated_body
