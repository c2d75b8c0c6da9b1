#include "torsor/integration/sundials_methods.hpp"

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/integration/newton_matrix.hpp"
#include "torsor/integration/short_vector.hpp"

namespace torsor {

namespace {

template <auto free_it>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_it(object);
  }
};
void free_context(SUNContext context) {
  SUNContext_Free(&context);
}
void free_arkode(void* memory) {
  ARKStepFree(&memory);
}
void free_cvode(void* memory) {
  CVodeFree(&memory);
}
using Context = std::unique_ptr<std::remove_pointer_t<SUNContext>, Free<free_context>>;
using Vector = std::unique_ptr<std::remove_pointer_t<N_Vector>, Free<N_VDestroy>>;
using Matrix = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Free<SUNMatFreeEmpty>>;
using LinearSolver =
    std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Free<SUNLinSolFreeEmpty>>;

Context make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return Context(context);
}

// The common part of the ARKODE and CVODE steppers: vectors, linear algebra for Newton's method,
// and callbacks for the system.
class Sundials : public Stepper {
 public:
  Sundials(const Tolerances& tolerances, System& system)
      : system_(system),
        layout_(system.layout()),
        tolerances_(tolerances),
        context_(make_context()),
        z_(new_short_vector(layout_.size(), context_.get())) {
    if (!z_) throw std::bad_alloc();
  }

  double time() const override { return t_; }
  std::span<const double> state() const override {
    return {N_VGetArrayPointer(z_.get()), size_t(layout_.size())};
  }

 protected:
  // Makes a linear solver that calls newton_. SUNDIALS requires a matrix next to it, which is
  // empty.
  void make_newton() {
    newton_.emplace(system_);
    matrix_.reset(SUNMatNewEmpty(context_.get()));
    linear_.reset(SUNLinSolNewEmpty(context_.get()));
    if (!matrix_ || !linear_) throw std::bad_alloc();
    linear_->content = this;
    linear_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    linear_->ops->solve = solve;
  }
  void put(double t, std::span<const double> z) {
    t_ = t;
    std::copy(z.begin(), z.end(), N_VGetArrayPointer(z_.get()));
  }
  static void check(int flag) {
    // Set-up calls have valid arguments, so a failure means that there is not enough memory.
    if (flag < 0) throw std::bad_alloc();
  }
  // Returns whether a step was made. Throws Error if SUNDIALS fails, or if the step is too small to
  // change the time. SUNDIALS would repeat such steps forever.
  bool done(int flag) {
    if (flag >= 0 && t_ > begun_) return true;
    if (no_rate_) return false;
    throw Error(
        fmt::format("the integrator failed: {}; try a smaller dt or larger tolerances", message_));
  }
  bool begin_step(double t_end) {
    no_rate_ = false;
    message_ = "it found no step that is small enough";
    begun_ = t_;
    return t_end > t_;
  }

  static Sundials& of(void* self) { return *static_cast<Sundials*>(self); }
  // Computes zdot. Returns 1 if the system cannot compute its rate. SUNDIALS then tries a smaller
  // step, because the failed state may be a trial state of a step that was too large.
  static int rate(double t, N_Vector z, N_Vector zdot, void* self) {
    Sundials& s = of(self);
    ++s.rates_;
    s.no_rate_ = !s.system_.rate(t, N_VGetArrayPointer(z), 0, N_VGetArrayPointer(zdot));
    return s.no_rate_ ? 1 : 0;
  }
  static int weights(N_Vector z, N_Vector weight, void* self) {
    const Sundials& s = of(self);
    const double *value = N_VGetArrayPointer(z), rtol = s.tolerances_.rtol,
                 atol = s.tolerances_.atol;
    double* w = N_VGetArrayPointer(weight);
    for (int i = 0; i < s.layout_.size(); ++i) {
      const bool position = i < s.layout_.first_velocity(), work = i >= s.layout_.first_work();
      w[i] = work ? std::numeric_limits<double>::min() * 1e20
                  : 1 / (rtol * (position ? 1 : std::abs(value[i])) + atol);
    }
    return 0;
  }
  // Factorises 1 - gamma J for Newton's method. If keep is true, J is that of an earlier state.
  // Returns 1 if this fails. SUNDIALS then tries a smaller step.
  static int set_up(double t, N_Vector z, N_Vector zdot, booleantype keep, booleantype* is_new,
                    double gamma, void* self) {
    Sundials& s = of(self);
    *is_new = !keep;
    if (!keep &&
        !s.newton_->differentiate(t, N_VGetArrayPointer(z), N_VGetArrayPointer(zdot), s.rates_))
      return 1;
    return s.newton_->factorise(gamma) ? 0 : 1;
  }
  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector r, double) {
    N_VScale(1, r, x);
    of(solver->content).newton_->solve(N_VGetArrayPointer(x));
    return 0;
  }
  static void keep_message(int, const char*, const char*, char* text, void* self) {
    std::string& message = of(self).message_;
    message = text;
    std::replace(message.begin(), message.end(), '\n', ' ');
  }

  System& system_;
  Layout layout_;
  Tolerances tolerances_;
  Context context_;
  Vector z_;
  std::optional<NewtonMatrix> newton_;  // empty for explicit methods
  Matrix matrix_;
  LinearSolver linear_;
  double t_ = 0, begun_ = 0;  // present time, and start of the step, s
  bool no_rate_ = false;
  std::string message_;
};

// The coefficients of a method: an implicit or an explicit table of ARKODE.
struct RungeKuttaTable {
  ARKODE_DIRKTableID implicit_id = ARKODE_DIRK_NONE;
  ARKODE_ERKTableID explicit_id = ARKODE_ERK_NONE;
  bool is_explicit() const { return explicit_id != ARKODE_ERK_NONE; }
};

class RungeKutta : public Sundials {
 public:
  RungeKutta(const RungeKuttaTable& table, const Tolerances& tolerances, System& system)
      : Sundials(tolerances, system),
        explicit_(table.is_explicit()),
        arkode_(ARKStepCreate(explicit_ ? rate : nullptr, explicit_ ? nullptr : rate, 0, z_.get(),
                              context_.get())) {
    void* ark = arkode_.get();
    if (!ark) throw std::bad_alloc();
    check(ARKStepSetUserData(ark, this));
    check(ARKStepSetErrHandlerFn(ark, keep_message, this));
    check(ARKStepWFtolerances(ark, weights));
    check(ARKStepSetTableNum(ark, table.implicit_id, table.explicit_id));
    if (std::isfinite(tolerances.max_step)) check(ARKStepSetMaxStep(ark, tolerances.max_step));
    if (explicit_) return;
    make_newton();
    check(ARKStepSetLinearSolver(ark, linear_.get(), matrix_.get()));
    check(ARKStepSetLinSysFn(ark, set_up_newton));
    check(ARKStepSetNonlinConvCoef(ark, newton_accuracy));
  }

  void start(double t, std::span<const double> z, double first) override {
    put(t, z);
    check(ARKStepReInit(arkode_.get(), explicit_ ? rate : nullptr, explicit_ ? nullptr : rate, t,
                        z_.get()));
    check(ARKStepSetInitStep(arkode_.get(), std::min(first, tolerances_.max_step)));
  }
  bool advance(double t_end) override {
    if (!begin_step(t_end)) return true;
    check(ARKStepSetStopTime(arkode_.get(), t_end));
    return done(ARKStepEvolve(arkode_.get(), t_end, z_.get(), &t_, ARK_ONE_STEP));
  }
  bool state_at(double t, std::span<double> z) override {
    const Vector out(N_VMake_Serial(layout_.size(), z.data(), context_.get()));
    if (!out) throw std::bad_alloc();
    return ARKStepGetDky(arkode_.get(), t, 0, out.get()) >= 0;
  }
  double next_step() const override {
    double h = 0;
    check(ARKStepGetCurrentStep(arkode_.get(), &h));
    return h;
  }

 private:
  // Error bound of Newton's method in a stage, as a fraction of the error bound of the step. The
  // error estimate of the step does not include the error of Newton's method.
  static constexpr double newton_accuracy = 1e-2;

  static int set_up_newton(double t, N_Vector z, N_Vector zdot, SUNMatrix, SUNMatrix,
                           booleantype keep, booleantype* is_new, double gamma, void* self,
                           N_Vector, N_Vector, N_Vector) {
    return set_up(t, z, zdot, keep, is_new, gamma, self);
  }

  bool explicit_;
  std::unique_ptr<void, Free<free_arkode>> arkode_;
};

class Bdf : public Sundials {
 public:
  Bdf(const Tolerances& tolerances, System& system)
      : Sundials(tolerances, system), cvode_(CVodeCreate(CV_BDF, context_.get())) {
    void* cv = cvode_.get();
    if (!cv) throw std::bad_alloc();
    check(CVodeInit(cv, rate, 0, z_.get()));
    check(CVodeSetUserData(cv, this));
    check(CVodeSetErrHandlerFn(cv, keep_message, this));
    check(CVodeWFtolerances(cv, weights));
    limit_step(tolerances.max_step);
    make_newton();
    check(CVodeSetLinearSolver(cv, linear_.get(), matrix_.get()));
    check(CVodeSetLinSysFn(cv, set_up_newton));
  }

  // CVODE selects the first step, but at most `first`. A first step of order 1 cannot be as long as
  // the earlier steps of higher order from which `first` results.
  void start(double t, std::span<const double> z, double first) override {
    put(t, z);
    check(CVodeReInit(cvode_.get(), t, z_.get()));
    starts_ = true;
    limit_step(first > 0 ? std::min(first, tolerances_.max_step) : tolerances_.max_step);
  }
  bool advance(double t_end) override {
    if (!begin_step(t_end)) return true;
    check(CVodeSetStopTime(cvode_.get(), t_end));
    if (!std::exchange(starts_, false)) limit_step(tolerances_.max_step);
    return done(CVode(cvode_.get(), t_end, z_.get(), &t_, CV_ONE_STEP));
  }
  bool state_at(double t, std::span<double> z) override {
    const Vector out(N_VMake_Serial(layout_.size(), z.data(), context_.get()));
    if (!out) throw std::bad_alloc();
    return CVodeGetDky(cvode_.get(), t, 0, out.get()) >= 0;
  }

 private:
  static int set_up_newton(double t, N_Vector z, N_Vector zdot, SUNMatrix, booleantype keep,
                           booleantype* is_new, double gamma, void* self, N_Vector, N_Vector,
                           N_Vector) {
    return set_up(t, z, zdot, keep, is_new, gamma, self);
  }
  void limit_step(double most) {
    check(CVodeSetMaxStep(cvode_.get(), std::isfinite(most) ? most : 0));  // 0: no limit
  }

  std::unique_ptr<void, Free<free_cvode>> cvode_;
  bool starts_ = true;
};

}  // namespace

std::unique_ptr<Stepper> make_dormand_prince(const Tolerances& tolerances, System& system) {
  return std::make_unique<RungeKutta>(RungeKuttaTable{.explicit_id = ARKODE_DORMAND_PRINCE_7_4_5},
                                      tolerances, system);
}
std::unique_ptr<Stepper> make_fehlberg(const Tolerances& tolerances, System& system) {
  return std::make_unique<RungeKutta>(RungeKuttaTable{.explicit_id = ARKODE_FEHLBERG_13_7_8},
                                      tolerances, system);
}
std::unique_ptr<Stepper> make_dirk(const Tolerances& tolerances, System& system) {
  return std::make_unique<RungeKutta>(RungeKuttaTable{.implicit_id = ARKODE_ARK548L2SA_DIRK_8_4_5},
                                      tolerances, system);
}
std::unique_ptr<Stepper> make_bdf(const Tolerances& tolerances, System& system) {
  return std::make_unique<Bdf>(tolerances, system);
}

}  // namespace torsor
