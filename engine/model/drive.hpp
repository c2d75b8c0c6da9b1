#pragma once
// What acts at a joint's column beside the rigid bodies: friction, elasticity, a motor, a spring,
// stops. Solvers know nothing of it; the simulation adds it (simulation/mechanism.hpp). Rates and
// forces are of the column: rad/s and N m where it turns, m/s and N where it slides.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// The force that opposes a rate s, F sign(s) with F >= 0 (KHALIL 7.26-7.28):
//   coulomb           F = F_c + F_v |s|
//   stribeck          F = F_c + (F_s - F_c) exp(-B |s|) + F_v |s|               KHALIL 7.26
//   piecewise_linear  F = F_c min(|s| / s_t, 1) + F_v |s|                       KHALIL Fig. 7.2d:
//   no force at rest, so no stiction lugre             F = a_0 z + a_1 zdot + F_v s, zdot = s - a_0
//   |s| z / G(s), G = F_c + (F_s - F_c) exp(-B |s|): bristles of
//                     deflection z, a state of their own (Canudas de Wit 1995)
// At rest, coulomb and stribeck hold with any force up to F_s.
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

// Between the motor, at theta on the joint's side of the gear, and the link: k (q - theta) + k_3 (q
// - theta)^3 + d (v - theta_dot) on the motor, its negative on the link (KHALIL 7.34-7.35; Spong).
struct Elasticity {
  double stiffness = 0;  // k > 0
  double cubic = 0;      // k_3
  double damping = 0;    // d
};

struct Motor {
  double rotor_inertia = 0;  // J_m about the motor's axis, kg m^2
  double gear_ratio = 1;     // N = rate of the rotor by that of the joint, not 0
  Friction friction;         // of motor and gear, on the joint's side
  // An input u to the amplifier gives a current K_a u, and that a torque K_T K_a u of the shaft
  // (KHALIL 9.4); 0: not known.
  double torque_constant = 0;  // K_T, N m/A
  double amplifier_gain = 0;   // K_a, A per unit of the input
  bool body = false;           // the rotor is a body of its own (rotor_body.hpp), else an armature
  bool clamp = false;          // what it gives its joint ends at the joint's effort limit
  // Of the joint, N m or N: what it can drive with falls from this at rest to 0 at the joint's
  // velocity limit; 0: no such line.
  double stall_torque = 0;
  // I_a = N^2 J_m (KHALIL 7.29).
  double inertia() const { return gear_ratio * gear_ratio * rotor_inertia; }
};

// To the coordinate `rest`: force -k (q - rest).
struct Spring {
  double stiffness = 0, rest = 0;
};

// Of the position limits: what comes to one at a rate s leaves it at -e s; e = 0: it stays there.
struct Stop {
  double restitution = 0;
};

// How a message tells the user to give a passive joint its motors.
inline constexpr std::string_view how_to_add_motors =
    "motors = true in the joint's table, or floating_base = { motors = true } for the base of a "
    "URDF file";

struct Drive {
  Friction friction = {};  // of the link's side
  std::optional<Elasticity> elasticity = std::nullopt;
  Motor motor = {};
  Spring spring = {};
  std::optional<Stop> stop = std::nullopt;  // none: the position limits are not enforced
  bool passive = false;                     // no actuator: a torque cannot be applied
};

// q = ratio * (coordinate of another joint) + offset, for all times.
struct Mimic {
  std::string joint;
  double ratio = 1, offset = 0;
};

// Of a rotor that is a body: it drives another joint by a spring, at 1/ratio of its own coordinate.
struct ElasticDrive {
  std::string joint;
  double ratio = 1;
  Elasticity elasticity;
};

// Why there is no such drive, in words that follow the name of a joint; nothing where there is.
std::optional<std::string> defect(const Drive& drive);

}  // namespace torsor
