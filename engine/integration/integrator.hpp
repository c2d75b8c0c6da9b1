#pragma once
// Integrators behind one interface: a Stepper advances a System z' = f(t, z) by steps of a given
// size or of its own choice, and returns the state inside its last step.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// Fixed steps of dt:
//   euler, semi_implicit_euler   order 1
//   rk4                          order 4, classical
//   implicit_midpoint            order 2, symplectic for joints with scalar coordinates
// Steps chosen by error within each dt; dt is where a run can be recorded, changed and resumed:
//   dormand_prince, fehlberg     explicit, 5(4) and 8(7)
//   dirk                         stiff: ESDIRK 5(4), L-stable (Kennedy and Carpenter)
//   bdf                          stiff: variable order 1-5, restarts at every dt
enum class Integrator : unsigned char {
  euler,
  semi_implicit_euler,
  rk4,
  implicit_midpoint,
  dormand_prince,
  fehlberg,
  dirk,
  bdf
};
const char* name(Integrator integrator);
std::optional<Integrator> integrator(std::string_view name);
std::vector<std::string> integrator_names();
bool is_adaptive(Integrator integrator);

// Bounds of the estimated error of each step of an adaptive method: rtol |u| + atol for a velocity
// u, rtol + atol for a position in rad or m.
struct Tolerances {
  double rtol = 1e-8, atol = 1e-10;
  double max_step = std::numeric_limits<double>::infinity();  // s
};

// The entries of z: positions, as many velocities, memory, works. Where a step starts, the rates of
// the positions are the velocities. Works are integrals of powers: no rate depends on them, and the
// step size does not.
struct Layout {
  int velocities = 0, memory = 0, works = 0;
  int first_velocity() const { return velocities; }
  int first_memory() const { return 2 * velocities; }
  int first_work() const { return 2 * velocities + memory; }
  int size() const { return first_work() + works; }
};

// The right-hand side of z' = f(t, z).
class System {
 public:
  virtual ~System() = default;
  virtual Layout layout() const = 0;
  // Computes z' at (t, z). If ahead > 0, damping is evaluated at the velocities that this rate
  // leads to after this time, s (semi_implicit_euler). Returns false if there is no rate; the
  // system knows why.
  virtual bool rate(double t, const double* z, double ahead, double* zdot) = 0;
};

// An integrator at work on a system.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Starts at z and discards all earlier steps. first: the size of the first step of an adaptive
  // method; 0: the method chooses.
  virtual void start(double t, std::span<const double> z, double first) = 0;
  // Makes one step towards t_end, not beyond it; a method with fixed steps reaches t_end. Returns
  // false if the system has no rate. Throws Error if the method itself fails.
  virtual bool advance(double t_end) = 0;
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;
  // Writes the state at a time within the last step. Returns false if there is none.
  virtual bool state_at(double t, std::span<double> z) = 0;
  // Returns the size of the next step of an adaptive method; 0 for the others.
  virtual double next_step() const { return 0; }
  // Returns the number of evaluations of the system since this stepper was made.
  long long rates() const { return rates_; }

 protected:
  long long rates_ = 0;
};

// Makes a stepper of a system, which must outlive it and keep its layout.
std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances,
                                      System& system);

}  // namespace torsor
