#include "torsor/study/tuning/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor {

namespace {

struct SearchMethod {
  const char* name;
  nlopt_algorithm algorithm;
  size_t least_dimensions;
  bool takes_infinity;  // true if the method only compares values
};

constexpr SearchMethod methods[] = {{"nelder_mead", NLOPT_LN_NELDERMEAD, 1, true},
                                    {"sbplx", NLOPT_LN_SBPLX, 1, true},
                                    {"bobyqa", NLOPT_LN_BOBYQA, 2, false},
                                    {"cobyla", NLOPT_LN_COBYLA, 1, false}};

const SearchMethod& method_named(const std::string& name) {
  const auto found = std::ranges::find(methods, name, [](const auto& each) { return each.name; });
  if (found != std::end(methods)) return *found;
  throw Error(fmt::format("there is no method '{}'; use one of: {}{}", quotable(name),
                          fmt::join(search_methods(), ", "), did_you_mean(name, search_methods())));
}

struct CloseSearch {
  void operator()(nlopt_opt optimiser) const { nlopt_destroy(optimiser); }
};

class LocalSearch {
 public:
  LocalSearch(const SearchRequest& request, const SearchFunction& function)
      : method_(method_named(request.method)), function_(function), left_(request.evaluations) {
    const auto n = unsigned(request.start.size());
    optimiser_.reset(nlopt_create(method_.algorithm, n));
    nlopt_opt optimiser = optimiser_.get();
    nlopt_set_min_objective(optimiser, value_at, this);
    nlopt_set_lower_bounds(optimiser, request.lower.data());
    nlopt_set_upper_bounds(optimiser, request.upper.data());
    nlopt_set_initial_step(optimiser, request.step.data());
    nlopt_set_xtol_abs(optimiser, request.tolerance.data());
  }

  TuningEnd run(std::vector<double> x) {
    double least = 0;
    const nlopt_result result = nlopt_optimize(optimiser_.get(), x.data(), &least);
    if (error_) std::rethrow_exception(error_);
    if (end_) return *end_;
    // Rounding limits the steps of bobyqa and cobyla before a tolerance that is too small does.
    if (result > 0 || result == NLOPT_ROUNDOFF_LIMITED) return TuningEnd::converged;
    throw Error(
        fmt::format("the search by {} failed: {}", method_.name, nlopt_result_to_string(result)));
  }

 private:
  // A value that ends a search is not used.
  static constexpr double ignored = std::numeric_limits<double>::max();

  // Called by NLopt, which is a library in C. An exception must not pass through it.
  static double value_at(unsigned n, const double* x, double*, void* data) {
    auto& search = *static_cast<LocalSearch*>(data);
    try {
      return search.value({x, n});
    } catch (...) {
      search.error_ = std::current_exception();
      nlopt_force_stop(search.optimiser_.get());
      return ignored;
    }
  }

  double value(std::span<const double> x) {
    if (end_) return ignored;
    if (left_ == 0) return stop(TuningEnd::evaluations);
    --left_;
    const std::optional<double> found = function_(x);
    if (!found) return stop(TuningEnd::interrupted);
    if (!std::isfinite(*found)) {
      if (method_.takes_infinity) return std::numeric_limits<double>::infinity();
      if (largest_ < least_) return stop(TuningEnd::failed_start);
      return largest_ > least_ ? largest_ + (largest_ - least_)
                               : largest_ + std::max(1.0, std::abs(largest_));
    }
    least_ = std::min(least_, *found);
    largest_ = std::max(largest_, *found);
    return *found;
  }

  double stop(TuningEnd end) {
    end_ = end;
    nlopt_force_stop(optimiser_.get());
    return ignored;
  }

  const SearchMethod& method_;
  const SearchFunction& function_;
  uint64_t left_;  // number of evaluations
  std::unique_ptr<nlopt_opt_s, CloseSearch> optimiser_;
  // The range of the finite values so far. largest_ < least_ if there are none.
  double least_ = std::numeric_limits<double>::max(),
         largest_ = std::numeric_limits<double>::lowest();
  std::optional<TuningEnd> end_;
  std::exception_ptr error_;
};

}  // namespace

const char* text(TuningEnd end) {
  constexpr const char* texts[] = {"converged", "limit of evaluations", "interrupted",
                                   "its start failed", "not started"};
  return texts[size_t(end)];
}

std::string search_library() {
  int major = 0, minor = 0, bugfix = 0;
  nlopt_version(&major, &minor, &bugfix);
  return fmt::format("NLopt {}.{}.{}", major, minor, bugfix);
}

std::vector<std::string> search_methods() {
  std::vector<std::string> out;
  for (const SearchMethod& method : methods) out.emplace_back(method.name);
  return out;
}

void require_method(const std::string& method, size_t dimensions) {
  const SearchMethod& found = method_named(method);
  if (dimensions > 0 && dimensions < found.least_dimensions)
    throw Error(fmt::format("the method {} needs at least {} parameters with a range; use {}",
                            found.name, found.least_dimensions, methods[0].name));
}

TuningEnd search_minimum(const SearchRequest& request, const SearchFunction& function) {
  return LocalSearch(request, function).run(request.start);
}

}  // namespace torsor
