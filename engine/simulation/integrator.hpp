#pragma once
// Integrators behind one interface: each advances z' = f(t, z) by steps of its own or of a given size, and tells the state
// inside its last step.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// Fixed steps of dt:
//   euler, semi_implicit_euler                  order 1
//   rk4                                         order 4, classical
//   implicit_midpoint                           order 2, symplectic for joints with scalar coordinates
// Steps chosen by error within each dt; dt is where a run can be recorded, changed and resumed:
//   dormand_prince, fehlberg                    explicit, 5(4) and 8(7)
//   dirk                                        stiff: ESDIRK 5(4), L-stable (Kennedy and Carpenter)
//   bdf                                         stiff: variable order 1-5, starts anew at every dt
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

// Of one step of an adaptive method: the estimated error of a velocity u stays below rtol |u| + atol, that of a position, in
// rad or m, below rtol + atol.
struct Tolerances {
  double rtol = 1e-8, atol = 1e-10;
  double max_step = std::numeric_limits<double>::infinity();  // s
};

// z = (positions, velocities, memory, works). Positions and velocities are as many; where a step starts, the rate of the
// positions is the velocities. Works are integrals of powers: they steer no step, and nothing depends on them.
struct Layout {
  int velocities = 0, memory = 0, works = 0;
  int first_velocity() const { return velocities; }
  int first_memory() const { return 2 * velocities; }
  int first_work() const { return 2 * velocities + memory; }
  int size() const { return first_work() + works; }
};

class System {
 public:
  virtual ~System() = default;
  virtual Layout layout() const = 0;
  // z' at (t, z). ahead: what damps is taken at the velocities that this rate leads to after so long (semi_implicit_euler). False
  // where there is none; the system knows why.
  virtual bool rate(double t, const double* z, double ahead, double* zdot) = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // Stands at z; what was before is forgotten. first: size of the first step of an adaptive method, 0: its own choice.
  virtual void start(double t, std::span<const double> z, double first) = 0;
  // One step towards t_end, not beyond it; a fixed step leads there at once. False where the system has no rate. Throws Error
  // where the method itself gives up.
  virtual bool advance(double t_end) = 0;
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;
  // The state at a time within the last step.
  virtual bool state_at(double t, std::span<double> z) = 0;
  // The step an adaptive method would take next; 0 of the others.
  virtual double next_step() const { return 0; }
  long long rates() const { return rates_; }  // of the system, asked for since this stepper was made

 protected:
  long long rates_ = 0;
};

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances, System& system);

}  // namespace torsor
