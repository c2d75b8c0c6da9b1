#include "torsor/integration/sundials_methods.hpp"

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "torsor/base/error.hpp"

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
using Matrix = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Free<SUNMatDestroy>>;
using LinearSolver = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Free<SUNLinSolFree>>;

Context make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return Context(context);
}

// Error bounds of Newton's method in steps of fixed size. They are tight, because a larger error
// would cause an energy drift that the method itself does not have.
constexpr Tolerances fixed_step{1e-10, 1e-10};

// The common part of the ARKODE and CVODE steppers: vectors, linear algebra for Newton's method,
// and callbacks for the system.
class Sundials : public Stepper {
 public:
  Sundials(const Tolerances& tolerances, System& system)
      : system_(system),
        layout_(system.layout()),
        tolerances_(tolerances),
        context_(make_context()),
        z_(N_VNew_Serial(layout_.size(), context_.get())) {
    if (!z_) throw std::bad_alloc();
  }

  double time() const override { return t_; }
  std::span<const double> state() const override {
    return {N_VGetArrayPointer(z_.get()), size_t(layout_.size())};
  }

 protected:
  void make_newton() {
    matrix_.reset(SUNDenseMatrix(layout_.size(), layout_.size(), context_.get()));
    linear_.reset(SUNLinSol_Dense(z_.get(), matrix_.get(), context_.get()));
    if (!matrix_ || !linear_) throw std::bad_alloc();
    shifted_.resize(size_t(layout_.size()));
    rate_shifted_ = shifted_;
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
  // Computes dz'/dz by forward differences. The columns of works are zero, because no rate depends
  // on works.
  static int jacobian(double t, N_Vector z, N_Vector zdot, SUNMatrix matrix, void* self, N_Vector,
                      N_Vector, N_Vector) {
    Sundials& s = of(self);
    const double *at = N_VGetArrayPointer(z), *rate_at = N_VGetArrayPointer(zdot);
    const int n = s.layout_.size();
    SUNMatZero(matrix);
    std::copy_n(at, n, s.shifted_.data());
    for (int j = 0; j < s.layout_.first_work(); ++j) {
      const double step =
          std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(at[j]));
      s.shifted_[j] = at[j] + step;
      ++s.rates_;
      if (!s.system_.rate(t, s.shifted_.data(), 0, s.rate_shifted_.data())) return 1;
      const double taken = s.shifted_[j] - at[j];
      for (int i = 0; i < n; ++i)
        SM_ELEMENT_D(matrix, i, j) = (s.rate_shifted_[i] - rate_at[i]) / taken;
      s.shifted_[j] = at[j];
    }
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
  Matrix matrix_;
  LinearSolver linear_;
  std::vector<double> shifted_, rate_shifted_;
  double t_ = 0, begun_ = 0;  // present time, and start of the step, s
  bool no_rate_ = false;
  std::string message_;
};

// The coefficients of an adaptive method: an implicit or an explicit table of ARKODE. Without
// either, the method is the implicit midpoint rule with a fixed step.
struct RungeKuttaTable {
  ARKODE_DIRKTableID implicit_id = ARKODE_DIRK_NONE;
  ARKODE_ERKTableID explicit_id = ARKODE_ERK_NONE;
  bool is_explicit() const { return explicit_id != ARKODE_ERK_NONE; }
  bool is_fixed() const { return !is_explicit() && implicit_id == ARKODE_DIRK_NONE; }
};

class RungeKutta : public Sundials {
 public:
  RungeKutta(const RungeKuttaTable& table, const Tolerances& tolerances, System& system)
      : Sundials(table.is_fixed() ? fixed_step : tolerances, system),
        explicit_(table.is_explicit()),
        fixed_(table.is_fixed()),
        arkode_(ARKStepCreate(explicit_ ? rate : nullptr, explicit_ ? nullptr : rate, 0, z_.get(),
                              context_.get())) {
    void* ark = arkode_.get();
    if (!ark) throw std::bad_alloc();
    check(ARKStepSetUserData(ark, this));
    check(ARKStepSetErrHandlerFn(ark, keep_message, this));
    check(ARKStepWFtolerances(ark, weights));
    if (fixed_)
      set_midpoint();
    else
      check(ARKStepSetTableNum(ark, table.implicit_id, table.explicit_id));
    if (std::isfinite(tolerances.max_step)) check(ARKStepSetMaxStep(ark, tolerances.max_step));
    if (explicit_) return;
    make_newton();
    check(ARKStepSetLinearSolver(ark, linear_.get(), matrix_.get()));
    check(ARKStepSetJacFn(ark, jacobian));
    check(ARKStepSetNonlinConvCoef(ark, fixed_ ? 1 : newton_accuracy));
    if (fixed_) check(ARKStepSetMaxNonlinIters(ark, 20));
  }

  void start(double t, std::span<const double> z, double first) override {
    put(t, z);
    reinit(t, z_.get());
    if (!fixed_) check(ARKStepSetInitStep(arkode_.get(), std::min(first, tolerances_.max_step)));
  }
  bool advance(double t_end) override {
    if (!begin_step(t_end)) return true;
    if (fixed_) {
      check(ARKStepSetFixedStep(arkode_.get(), t_end - t_));
      t0_ = t_;
      z0_.assign(state().begin(), state().end());
    }
    check(ARKStepSetStopTime(arkode_.get(), t_end));
    return done(ARKStepEvolve(arkode_.get(), t_end, z_.get(), &t_, ARK_ONE_STEP));
  }
  bool state_at(double t, std::span<double> z) override {
    const Vector out(N_VMake_Serial(layout_.size(), z.data(), context_.get()));
    if (!out) throw std::bad_alloc();
    if (!fixed_) return ARKStepGetDky(arkode_.get(), t, 0, out.get()) >= 0;
    std::copy(z0_.begin(), z0_.end(), z.begin());
    if (t <= t0_) return true;
    // A step of fixed size has already reached its end. ARKODE's internal state is therefore no
    // longer needed and may be overwritten.
    reinit(t0_, out.get());
    check(ARKStepSetFixedStep(arkode_.get(), t - t0_));
    check(ARKStepSetStopTime(arkode_.get(), t));
    double reached = t0_;
    return done(ARKStepEvolve(arkode_.get(), t, out.get(), &reached, ARK_ONE_STEP));
  }
  double next_step() const override {
    double h = 0;
    if (!fixed_) check(ARKStepGetCurrentStep(arkode_.get(), &h));
    return h;
  }

 private:
  // Error bound of Newton's method in a stage, as a fraction of the error bound of the step. The
  // error estimate of the step does not include the error of Newton's method.
  static constexpr double newton_accuracy = 1e-2;

  // Sets the tables of the one-stage method k = f(t + h/2, z + h/2 k), z+ = z + h k.
  void set_midpoint() {
    double c = 0.5, A = 0.5, b = 1;
    ARKodeButcherTable table = ARKodeButcherTable_Create(1, 2, 0, &c, &A, &b, nullptr);
    if (!table) throw std::bad_alloc();
    const int flag = ARKStepSetTables(arkode_.get(), 2, 0, table, nullptr);
    ARKodeButcherTable_Free(table);
    check(flag);
  }

  void reinit(double t, N_Vector z) {
    check(
        ARKStepReInit(arkode_.get(), explicit_ ? rate : nullptr, explicit_ ? nullptr : rate, t, z));
  }

  bool explicit_, fixed_;
  double t0_ = 0;  // start of a step of fixed size, s; z0_ is the state at t0_
  std::vector<double> z0_;
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
    check(CVodeSetJacFn(cv, jacobian));
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
  void limit_step(double most) {
    check(CVodeSetMaxStep(cvode_.get(), std::isfinite(most) ? most : 0));  // 0: no limit
  }

  std::unique_ptr<void, Free<free_cvode>> cvode_;
  bool starts_ = true;
};

}  // namespace

std::unique_ptr<Stepper> make_implicit_midpoint(const Tolerances& tolerances, System& system) {
  return std::make_unique<RungeKutta>(RungeKuttaTable{}, tolerances, system);
}
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
