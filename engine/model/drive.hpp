#pragma once
// Everything that acts at a joint's dof in addition to the rigid bodies: friction, elasticity, a
// motor, a spring, stops. Solvers do not include these. The simulation adds them
// (simulation/mechanism/mechanism.hpp). Rates and forces are those of the dof: rad/s and N m for an
// angular dof, m/s and N for a linear one.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// The force that opposes a rate s. The force is F sign(s) with F >= 0 (KHALIL 7.26-7.28); for
// lugre, it is F.
//   coulomb           F = F_c + F_v |s|
//   stribeck          F = F_c + (F_s - F_c) exp(-B |s|) + F_v |s|        KHALIL 7.26
//   piecewise_linear  F = F_c min(|s| / s_t, 1) + F_v |s|                KHALIL Fig. 7.2d
//   lugre             F = a_0 z + a_1 zdot + F_v s,  zdot = s - a_0 |s| z / G(s),
//                    G = F_c + (F_s - F_c) exp(-B |s|)
// At rest, coulomb and stribeck stick with any force up to F_s. piecewise_linear has no force at
// rest and therefore no static friction. lugre describes bristles of deflection z, which is an
// additional state (Canudas de Wit 1995).
struct Friction {
  enum class Law : unsigned char { none, coulomb, stribeck, piecewise_linear, lugre };
  Law law = Law::none;
  double viscous = 0;            // F_v, N m s/rad or N s/m
  double coulomb = 0;            // F_c
  double breakaway = 0;          // F_s >= F_c
  double decay = 0;              // B, s/rad or s/m
  double transition = 0;         // s_t, rad/s or m/s
  double bristle_stiffness = 0;  // a_0, N m/rad or N/m
  double bristle_damping = 0;    // a_1, N m s/rad or N s/m
};
std::optional<Friction::Law> friction_law(std::string_view name);
std::string_view name(Friction::Law law);
std::vector<std::string> friction_law_names();

// The elasticity between the motor and the link. theta is the position of the motor on the joint's
// side of the gear. The force on the motor is (KHALIL 7.34-7.35; Spong)
//   k (q - theta) + k_3 (q - theta)^3 + d (v - theta_dot)
// and the force on the link is its negative.
struct Elasticity {
  double stiffness = 0;  // k > 0
  double cubic = 0;      // k_3
  double damping = 0;    // d
};

struct Motor {
  double rotor_inertia = 0;  // J_m about the motor's axis, kg m^2
  double gear_ratio = 1;     // N: rate of the rotor divided by the rate of the joint; not 0
  Friction friction;         // friction of motor and gear, seen from the joint side
  // The input u of the amplifier causes a current i = K_a u in the armature. The current causes a
  // torque K_T i at the shaft (KHALIL 9.4) and needs the voltage R i + K_T omega at the rate omega
  // of the shaft. In SI units, K_T is also the constant of the back-EMF. The inductance of the
  // armature is neglected. A value of 0 means unknown, and no limit.
  double torque_constant = 0;  // K_T, N m/A
  double amplifier_gain = 0;   // K_a, A per unit of the input
  double resistance = 0;       // R, ohm
  double max_input = 0;        // limit of |u|
  double max_current = 0;      // limit of |i|, A
  double max_voltage = 0;      // limit of |R i + K_T omega|, V
  bool body = false;   // true: the rotor is a separate body (rotor_body.hpp); false: an armature
  bool clamp = false;  // true: the torque at the joint is clamped to the joint's effort limit
  // Maximum torque at the joint, N m or N. In the direction of motion, it decreases linearly from
  // this value at rest to 0 at the joint's velocity limit. A value of 0 means that there is no such
  // limit.
  double stall_torque = 0;
  // Returns the armature I_a = N^2 J_m (KHALIL 7.29).
  double inertia() const { return gear_ratio * gear_ratio * rotor_inertia; }
  // Returns whether the amplifier limits the torque.
  bool has_amplifier_limit() const { return max_input > 0 || max_current > 0 || max_voltage > 0; }
  // Returns min(i_max, K_a u_max), A, or infinity.
  double current_limit() const;
};

// An interval of torques.
struct TorqueRange {
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
  double clamp(double tau) const { return tau < lower ? lower : tau > upper ? upper : tau; }
};

// Returns the torques at the shaft of a motor, N m, that the limits of its amplifier allow. rate:
// rate of the shaft, rad/s.
//   |tau| <= K_T current_limit,   |R tau / K_T + K_T rate| <= V_max
// Beyond the no-load speed V_max / K_T, the back-EMF exceeds the voltage and drives a current that
// brakes the motor. If this current exceeds its limit, the amplifier cannot prevent it.
TorqueRange amplifier_range(const Motor& motor, double rate);

// A spring that acts towards the coordinate `rest`: force -k (q - rest).
struct Spring {
  double stiffness = 0, rest = 0;
};

// A spring of a joint whose q contains a quaternion, towards a rest position (pose_spring.hpp).
struct PoseSpring {
  double angular = 0;             // N m/rad
  double linear = 0;              // N/m; 0 for a joint that only turns
  std::vector<double> rest = {};  // q of the joint; {}: the neutral one
};

// An impact stop at the position limits. A joint that reaches a limit with rate s leaves it with
// rate -e s. If e = 0, it remains at the limit.
struct Stop {
  double restitution = 0;
};

// Part of error messages: states how to give motors to a passive joint.
inline constexpr std::string_view how_to_add_motors =
    "motors = true in the joint's table, or floating_base = { motors = true } for the base of a "
    "robot file";

struct Drive {
  Friction friction = {};  // joint friction, on the link side
  std::optional<Elasticity> elasticity = std::nullopt;
  Motor motor = {};
  Spring spring = {};
  std::optional<Stop> stop = std::nullopt;  // nullopt: the position limits are not enforced
  bool passive = false;                     // no actuator: a torque cannot be applied
};

// A constraint that makes a joint follow another one: q = ratio * (q of the other joint) + offset.
struct Mimic {
  std::string joint;
  double ratio = 1, offset = 0;
};

// The drive of a rotor that is a separate body. A spring connects q of another joint to q / ratio
// of the rotor.
struct ElasticDrive {
  std::string joint;
  double ratio = 1;
  Elasticity elasticity;
};

// Returns the reason why a drive is impossible, or nullopt if it is possible. The text continues a
// sentence that begins with the name of a joint.
std::optional<std::string> defect(const Drive& drive);

}  // namespace torsor
