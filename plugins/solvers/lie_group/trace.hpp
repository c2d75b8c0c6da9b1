#pragma once
// The table of a trace: the quantities of the closed form in algorithm.hpp, in the notation of that
// file. The blocks of system vectors and matrices are the quantities of bodies. The rows are in the
// order of the enum Traced.

#include "torsor/sdk/trace.hpp"

namespace torsor::lie_group {

inline constexpr const char* of_V[] = {"V_p", "X_i", "S_i", "v_i", nullptr};
inline constexpr const char* of_Jb[] = {"Jb_p", "X_i", "S_i", nullptr};
inline constexpr const char* of_Jd[] = {"Jd_p", "Jb_i", "X_i", "S_i", "v_i", nullptr};
inline constexpr const char* of_Vd[] = {"Vd_p", "V_i", "X_i", "S_i", "v_i", "vdot_i", nullptr};
inline constexpr const char* of_F[] = {"Vd_i", "V_i", "M_i", "Fe_i", nullptr};
inline constexpr const char* of_H[] = {"Jb_s", "M_s", "J_i", nullptr};
inline constexpr const char* of_C[] = {"Jb_s", "Jd_s", "M_s", "v_a", nullptr};
inline constexpr const char* of_U[] = {"U_p", "X_i", nullptr};
inline constexpr const char* of_g[] = {"Jb_s", "M_s", "U_s", nullptr};
inline constexpr const char* of_tau[] = {"Jb_s", "F_s", "J_i", "vdot_i", nullptr};

inline constexpr torsor_trace_quantity motion_quantities[] = {
    {TORSOR_TRACE_TWIST, 0, "V", "twist", "V_i = Ad(X_i^-1) V_p + sum_k S_k v_k",
     R"(V_i = \mathrm{Ad}_{X_i^{-1}} V_p + \sum_k S_k v_k)", "MR 9.72, MR 9.77, MK 15, MK 23",
     of_V},
    {TORSOR_TRACE_JACOBIAN, 0, "Jb", "Jacobian: a screw for each dof that moves the body",
     "Jb_ik = Ad(X_i^-1) Jb_pk,  Jb_ik = S_k for the dof k of joint i",
     R"(J_{ik} = \mathrm{Ad}_{X_i^{-1}} J_{pk},\quad J_{ik} = S_k \text{ for the dof } k \text{ of joint } i)",
     "MK 16, MK 18", of_Jb},
    {TORSOR_TRACE_JACOBIAN_RATE, 0, "Jd", "time derivative of the Jacobian",
     "Jd_ik = Ad(X_i^-1) Jd_pk - ad(s) Jb_ik,  s = sum_l S_l v_l,  Jd_ik = 0 for the dof k of "
     "joint i",
     R"(\dot J_{ik} = \mathrm{Ad}_{X_i^{-1}} \dot J_{pk} - \mathrm{ad}_s J_{ik},\quad s = \sum_l S_l v_l,\quad \dot J_{ik} = 0 \text{ for the dof } k \text{ of joint } i)",
     "MK 19, MK 21, MK 26", of_Jd},
    {TORSOR_TRACE_ACCELERATION, 0, "Vd", "time derivative of the twist, minus gravity",
     "Vd_i = Ad(X_i^-1) Vd_p + sum_k S_k vdot_k - ad(s) V_i,  s = sum_k S_k v_k",
     R"(\dot V_i = \mathrm{Ad}_{X_i^{-1}} \dot V_p + \sum_k S_k \dot v_k - \mathrm{ad}_s V_i,\quad s = \sum_k S_k v_k)",
     "MR 9.73, MR 9.78, MK 22", of_Vd},
    {TORSOR_TRACE_WRENCH, 0, "F", "inertial wrench of the motion, minus the applied wrench",
     "F_i = M_i Vd_i - ad(V_i)^T (M_i V_i) - Fe_i",
     R"(F_i = M_i \dot V_i - \mathrm{ad}_{V_i}^T M_i V_i - F_{e,i})", "MR 9.79", of_F},
    {TORSOR_TRACE_ACCELERATION, 0, "U", "acceleration of the world in the body, minus gravity",
     "U_i = Ad(X_i^-1) U_p", R"(U_i = \mathrm{Ad}_{X_i^{-1}} U_p)", "MK 33", of_U}};
inline constexpr torsor_trace_quantity equation_quantities[] = {
    {TORSOR_TRACE_JOINT_INERTIA_ROW, 0, "H", "row of the mass matrix",
     "H_kl = sum_s Jb_sk . (M_s Jb_sl) + J_k [k = l]",
     R"(H_{kl} = \sum_s J_{sk}^T M_s J_{sl} + J_k [k = l])", "MR 9.82, MK 27", of_H},
    {TORSOR_TRACE_JOINT_CORIOLIS_ROW, 0, "C", "row of the Coriolis matrix",
     "C_kl = sum_s Jb_sk . (M_s (Jd_sl + ad(w) Jb_sl) - ad(w)^T (M_s Jb_sl)),  w = sum_m Jb_sm v_m",
     R"(C_{kl} = \sum_s J_{sk}^T \bigl(M_s (\dot J_{sl} + \mathrm{ad}_w J_{sl}) - \mathrm{ad}_w^T M_s J_{sl}\bigr),\quad w = \sum_m J_{sm} v_m)",
     "MR 9.83, MK 27, MK 29", of_C},
    {TORSOR_TRACE_JOINT_FORCE, 0, "g", "torque or force of gravity and the world's acceleration",
     "g_k = sum_s Jb_sk . (M_s U_s)", R"(g_k = \sum_s J_{sk}^T M_s U_s)", "MR 9.84, MK 32", of_g},
    {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "joint torque or force",
     "tau_k = sum_s Jb_sk . F_s + J_k vdot_k", R"(\tau_k = \sum_s J_{sk}^T F_s + J_k \dot v_k)",
     "MR 9.80, MR 9.81, MK 34", of_tau}};
inline constexpr torsor_trace_pass trace_passes[] = {
    sdk::outward_pass("Jacobians, motions, wrenches", motion_quantities),
    sdk::inward_pass("M, C, g, torques", equation_quantities)};

}  // namespace torsor::lie_group
