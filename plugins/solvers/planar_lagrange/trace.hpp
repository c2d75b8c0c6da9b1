#pragma once
// The table of a trace: the quantities of the closed form in algorithm.hpp, in the notation of that
// file. A tilde there is an a here: Ma, Ca, ga are in absolute angles. The rows are in the order of
// the enum Traced.

#include "torsor/sdk/trace.hpp"

namespace torsor::planar_lagrange {

inline constexpr const char* of_r[] = {"X_i", "M_i", nullptr};
inline constexpr const char* of_qd[] = {"qd_p", "v_i", nullptr};
inline constexpr const char* of_qdd[] = {"qdd_p", "vdot_i", nullptr};
inline constexpr const char* of_Ma[] = {"r_a", "M_a", nullptr};
inline constexpr const char* of_ga[] = {"r_a", "M_a", nullptr};
inline constexpr const char* of_u[] = {"Ma_i", "Ca_i", "ga_i", "qdd_a",
                                       "qd_a", "r_i",  "Fe_s", nullptr};
inline constexpr const char* of_H[] = {"Ma_s", "J_i", nullptr};
inline constexpr const char* of_C[] = {"Ca_s", "v_a", nullptr};
inline constexpr const char* of_g[] = {"r_a", "M_a", nullptr};
inline constexpr const char* of_tau[] = {"u_s", "J_i", "vdot_i", nullptr};

inline constexpr torsor_trace_quantity link_quantities[] = {
    {TORSOR_TRACE_POSITION, TORSOR_TRACE_IN_FIRST, "r", "link vector, from the joint to the mass",
     "r_i = R_i l_i,  R_i: rotation of the body in the first body,  l_i = h / m,  (m, h, I) = M_i",
     R"(r_i = R_i l_i,\quad R_i \text{: rotation of the body in the first body},\quad l_i = h / m,\ (m, h, I) = M_i)",
     "RCFS 105", of_r},
    {TORSOR_TRACE_JOINT_VELOCITY, 0, "qd", "absolute angular velocity of the link",
     "qd_i = qd_p + v_i,  qd_p of the first link: that of the world",
     R"(\dot q_i = \dot q_p + v_i)", "RCFS 110", of_qd},
    {TORSOR_TRACE_JOINT_ACCELERATION, 0, "qdd", "absolute angular acceleration of the link",
     "qdd_i = qdd_p + vdot_i,  qdd_p of the first link: that of the world",
     R"(\ddot q_i = \ddot q_p + \dot v_i)", "RCFS 110", of_qdd}};
inline constexpr torsor_trace_quantity absolute_quantities[] = {
    {TORSOR_TRACE_JOINT_INERTIA_ROW, 0, "Ma", "row of the mass matrix in absolute angles",
     "Ma_kl = m_kl r_k . r_l,  m_kl: the masses from the later of the links k, l to the tip",
     R"(\tilde M_{kl} = m_{kl}\, r_k^T r_l,\quad m_{kl} \text{: the masses from the later of the links } k, l \text{ to the tip})",
     "RCFS 109", of_Ma},
    {TORSOR_TRACE_JOINT_INERTIA_ROW, 0, "Ca", "row of the Coriolis matrix in absolute angles",
     "Ca_kl = m_kl (r_l x r_k)", R"(\tilde C_{kl} = m_{kl}\, r_l \times r_k)", "RCFS 109", of_Ma},
    {TORSOR_TRACE_JOINT_FORCE, 0, "ga", "torque of gravity and the moving world in absolute angles",
     "ga_k = m_kk K r_k . b + sum_l m_kl K r_k . (T r_l),  K: quarter turn,  b: acceleration of "
     "the "
     "first joint minus gravity,  T = W W^T - W^2 1,  W: angular velocity of the world in the "
     "plane",
     R"(\tilde g_k = m_{kk} (K r_k)^T b + \sum_l m_{kl} (K r_k)^T T r_l,\quad T = W W^T - W^2 1)",
     "RCFS 109", of_ga},
    {TORSOR_TRACE_JOINT_FORCE, 0, "u", "torque in absolute angles",
     "u_k = sum_l (Ma_kl qdd_l + Ca_kl qd_l^2) + ga_k - n_k - K r_k . f,  n_k: applied moment,  f: "
     "the forces on the links after k",
     R"(u_k = \sum_l (\tilde M_{kl} \ddot q_l + \tilde C_{kl} \dot q_l^2) + \tilde g_k - n_k - (K r_k)^T f)",
     "RCFS 108", of_u}};
inline constexpr torsor_trace_quantity relative_quantities[] = {
    {TORSOR_TRACE_JOINT_INERTIA_ROW, 0, "H", "row of the mass matrix",
     "H_kl = sum_s sum_t Ma_st + J_k [k = l],  s from k and t from l to the tip",
     R"(H = L^T \tilde M L + \mathrm{diag}(J))", "RCFS 110", of_H},
    {TORSOR_TRACE_JOINT_CORIOLIS_ROW, 0, "C", "row of the Coriolis matrix, for a world at rest",
     "C_kl = sum_s sum_t Ca_st qd_t,  s from k and t from l to the tip,  qd_t = v_1 + .. + v_t",
     R"(C = L^T \tilde C\, \mathrm{diag}(\dot q) L)", "RCFS 110", of_C},
    {TORSOR_TRACE_JOINT_FORCE, 0, "g", "torque of gravity and the world's acceleration",
     "g_k = sum_s (m_ss K r_s . b + a sum_l Ma_sl),  b and a: acceleration and angular "
     "acceleration of the world, minus gravity",
     R"(g_k = \sum_s \bigl(m_{ss} (K r_s)^T b + a \sum_l \tilde M_{sl}\bigr))", "RCFS 110", of_g},
    {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "joint torque", "tau_k = sum_s u_s + J_k vdot_k",
     R"(\tau = L^T u + \mathrm{diag}(J) \dot v)", "RCFS 110", of_tau}};
inline constexpr torsor_trace_pass trace_passes[] = {
    sdk::outward_pass("link vectors, absolute motion", link_quantities),
    sdk::inward_pass("the equation in absolute angles", absolute_quantities),
    sdk::inward_pass("the equation in relative angles", relative_quantities)};

}  // namespace torsor::planar_lagrange
