#pragma once
// The table of a trace: the quantities of Lagrange's equations in algorithm.hpp, in the notation of
// that file. The rows are in the order of the enum Traced.

#include "torsor/sdk/trace.hpp"

namespace torsor::lagrange_christoffel {

inline constexpr const char* of_Jb[] = {"Jb_p", "X_i", "S_i", nullptr};
inline constexpr const char* of_A[] = {"A_p", "X_i", nullptr};
inline constexpr const char* of_Mc[] = {"M_i", "Mc_c", "X_c", nullptr};
inline constexpr const char* of_Fc[] = {"Fe_i", "Fc_c", "X_c", nullptr};
inline constexpr const char* of_B[] = {"Jb_s", "Mc_s", nullptr};
inline constexpr const char* of_G[] = {"Jb_s", "Mc_s", nullptr};
inline constexpr const char* of_C[] = {"G_i", "v_a", nullptr};
inline constexpr const char* of_w[] = {"Jb_s", "Mc_s", "v_a", nullptr};
inline constexpr const char* of_g[] = {"S_i", "Mc_i", "A_i", nullptr};
inline constexpr const char* of_Q[] = {"S_i", "Fc_i", nullptr};
inline constexpr const char* of_tau[] = {"B_i", "C_i", "g_i",    "Q_i",  "cw_i",
                                         "J_i", "v_a", "vdot_a", nullptr};

inline constexpr torsor_trace_quantity motion_quantities[] = {
    {TORSOR_TRACE_JACOBIAN, 0, "Jb", "Jacobian: a screw for each dof that moves the body",
     "Jb_ik = Ad(X_i^-1) Jb_pk,  Jb_ik = S_k for the dof k of joint i",
     R"(J_{ik} = \mathrm{Ad}_{X_i^{-1}} J_{pk},\quad J_{ik} = S_k \text{ for the dof } k \text{ of joint } i)",
     "JIN 35", of_Jb},
    {TORSOR_TRACE_ACCELERATION, 0, "A", "acceleration of the world in the body, minus gravity",
     "A_i = Ad(X_i^-1) A_p", R"(A_i = \mathrm{Ad}_{X_i^{-1}} A_p)", "", of_A}};
inline constexpr torsor_trace_quantity subtree_quantities[] = {
    {TORSOR_TRACE_INERTIA, 0, "Mc", "inertia of the body and all bodies that it carries",
     "Mc_i = M_i + sum_c Ad(X_c^-1)^T Mc_c Ad(X_c^-1)",
     R"(M^c_i = M_i + \sum_c \mathrm{Ad}_{X_c^{-1}}^T M^c_c \mathrm{Ad}_{X_c^{-1}})", "", of_Mc},
    {TORSOR_TRACE_WRENCH, 0, "Fc", "applied wrenches on the body and all bodies that it carries",
     "Fc_i = Fe_i + sum_c Ad(X_c^-1)^T Fc_c",
     R"(F^c_i = F_{e,i} + \sum_c \mathrm{Ad}_{X_c^{-1}}^T F^c_c)", "", of_Fc}};
inline constexpr torsor_trace_quantity equation_quantities[] = {
    {TORSOR_TRACE_JOINT_INERTIA_ROW, 0, "B", "row of the inertia matrix without rotors",
     "B_kl = Jb_dk . (Mc_d Jb_dl),  d: the last body of k, l",
     R"(B_{kl} = J_{dk}^T M^c_d J_{dl},\quad d \text{: the last body of } k, l)", "JIN 37", of_B},
    {TORSOR_TRACE_JOINT_SYMBOLS, 0, "G", "Christoffel symbols",
     "G_klm = (b(k,m; l) + b(k,l; m) + s b(m,l; k)) / 2,  b(x,y; z) = ad(Jb_dx) Jb_dy . (Mc_d "
     "Jb_dz),  d: the last body of k, l, m,  s = -1 if joint l is before joint m, else 1",
     R"(\Gamma_{klm} = \tfrac12 \bigl(b(k,m; l) + b(k,l; m) + s\, b(m,l; k)\bigr),\quad b(x,y; z) = (\mathrm{ad}_{J_{dx}} J_{dy})^T M^c_d J_{dz},\quad s = -1 \text{ if joint } l \text{ is before joint } m \text{, else } 1)",
     "JIN 46", of_G},
    {TORSOR_TRACE_JOINT_CORIOLIS_ROW, 0, "C", "row of the Coriolis matrix",
     "C_kl = sum_m G_klm v_m", R"(C_{kl} = \sum_m \Gamma_{klm} v_m)", "JIN 45", of_C},
    {TORSOR_TRACE_JOINT_FORCE, 0, "cw", "torque or force of the moving world, 0 if it is at rest",
     "cw_k = G_kww + sum_l (G_kwl + G_klw) v_l,  w: the twist of the world as a dof",
     R"(c_k = \Gamma_{kww} + \sum_l (\Gamma_{kwl} + \Gamma_{klw}) v_l,\quad w \text{: the twist of the world as a dof})",
     "", of_w},
    {TORSOR_TRACE_JOINT_FORCE, 0, "g", "torque or force of gravity and the world's acceleration",
     "g_k = S_k . (Mc_i A_i)", R"(g_k = S_k^T M^c_i A_i)", "JIN 42", of_g},
    {TORSOR_TRACE_JOINT_FORCE, 0, "Q", "torque or force of the applied wrenches",
     "Q_k = S_k . Fc_i", R"(Q_k = S_k^T F^c_i)", "", of_Q},
    {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "joint torque or force",
     "tau_k = sum_l (B_kl vdot_l + C_kl v_l) + cw_k + g_k - Q_k + J_k vdot_k",
     R"(\tau_k = \sum_l (B_{kl} \dot v_l + C_{kl} v_l) + c_k + g_k - Q_k + J_k \dot v_k)",
     "JIN 43, JIN 44", of_tau}};
inline constexpr torsor_trace_pass trace_passes[] = {
    sdk::outward_pass("Jacobians", motion_quantities),
    sdk::inward_pass("sums over the carried bodies", subtree_quantities),
    sdk::inward_pass("B, C, g, torques", equation_quantities)};

}  // namespace torsor::lagrange_christoffel
