#pragma once
// Integrators with a common interface. A Stepper advances a System z' = f(t, z), in steps of a
// given size or of a size that it selects. It also returns states inside its last step.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// Methods with a fixed step dt:
//   euler, semi_implicit_euler   order 1
//   time_stepping                order 1; 2 without contacts, damping and
//                                prescribed motion
//                                (simulation/steppers/time_stepping.hpp)
//   rk4                          order 4, classical
//   implicit_midpoint            order 2, symmetric; symplectic for closed mechanisms
//                                (simulation/steppers/symplectic_midpoint.hpp)
// Methods that select internal steps within each dt by error control. A run can be recorded,
// changed and resumed at multiples of dt:
//   dormand_prince, fehlberg     explicit, 5(4) and 8(7)
//   dirk                         stiff: ESDIRK 5(4), L-stable (Kennedy and Carpenter)
//   bdf                          stiff: variable order 1-5, restarts at every dt
enum class Integrator : unsigned char {
  euler,
  semi_implicit_euler,
  time_stepping,
  rk4,
  implicit_midpoint,
  dormand_prince,
  fehlberg,
  dirk,
  bdf
};

// The properties of a method: its row of the table in integrator.cpp.
struct IntegratorTraits {
  const char* name;
  int order;  // the error of a motion is of the order of dt^order; 0: the method selects its order
  bool is_adaptive = false;
  // Largest dt |lambda| at which a decaying motion z' = lambda z remains stable, lambda < 0.
  // 0: the method is stable at any dt, or it selects its steps.
  double stability_limit = 0;
  // |1 + i omega dt| > 1: an oscillation without damping grows at any dt.
  bool amplifies_oscillations = false;
  // Damping is evaluated at the velocity at the end of the step: M + dt D replaces M.
  bool has_implicit_damping = false;
  // The change of the kinetic energy is the work of every force to rounding, at any dt. The energy
  // ledger then closes even if the steps do not resolve the force.
  bool balances_any_work = false;
  // How plans compute a step and its derivative (variation.hpp).
  struct Linearised {
    Integrator method;  // method of the plan
    // Approximate cost: number of evaluations of zdot, and memory in matrices [n_v x n_v].
    int rates, matrices;
  } linearised;
};
const IntegratorTraits& traits(Integrator integrator);
const char* name(Integrator integrator);
std::optional<Integrator> integrator(std::string_view name);
std::vector<std::string> integrator_names();

// Bounds of the estimated error of each internal step of an adaptive method. The bound is rtol |u|
// + atol for a velocity u, and rtol + atol for a position in rad or m.
struct Tolerances {
  double rtol = 1e-8, atol = 1e-10;
  double max_step = std::numeric_limits<double>::infinity();  // maximum internal step, s
};

// The layout of the state vector z: positions, velocities, memory and works.
// - There are as many positions as velocities. At the start of a step, the rates of the positions
//   are the velocities.
// - Works are integrals of powers. No rate and no step size depends on works.
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
  // Computes z' at (t, z). If ahead > 0, damping is evaluated at the velocities after a further
  // step of `ahead`, s (semi_implicit_euler). Returns false if z' cannot be computed. The system
  // then stores the reason.
  virtual bool rate(double t, const double* z, double ahead, double* zdot) = 0;
  // Computes the rates of the works at (t, z) as rate() does. May leave other entries of zdot as
  // they are.
  virtual bool work_rates(double t, const double* z, double* zdot) { return rate(t, z, 0, zdot); }
  // Computes J = dz'/dz at (t, z) without the columns of works, [size x size without works] in
  // column-major order. Returns false if the system has no formula for it. Implicit methods then
  // use differences of rates.
  virtual bool jacobian(double, const double*, double*) { return false; }
};

// A numerical integrator of one system.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Starts at z and discards all earlier steps. first: size of the first step of an adaptive
  // method, s, or 0 to let the method select it.
  virtual void start(double t, std::span<const double> z, double first) = 0;
  // Makes one step towards t_end, but not beyond it. A method with fixed steps reaches t_end in
  // this step. Returns false if the system cannot compute its rate. Throws Error if the method
  // itself fails.
  virtual bool advance(double t_end) = 0;
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;
  // Writes the state at a time within the last step. Returns false if it cannot be computed.
  virtual bool state_at(double t, std::span<double> z) = 0;
  // Returns the size of the next step of an adaptive method, s; 0 for other methods.
  virtual double next_step() const { return 0; }
  // Returns the number of evaluations of the system since this stepper was made.
  long long rates() const { return rates_; }

 protected:
  long long rates_ = 0;
};

// Makes a stepper for a system. The system must outlive the stepper, and its layout must not
// change.
std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances,
                                      System& system);

}  // namespace torsor
