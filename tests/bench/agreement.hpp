#pragma once
// Comparison of a subject with Torsor's reference solver, in every sample.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Verdict {
  std::string why_not;   // why it cannot be timed, or ""
  bool differs = false;  // true if its values are wrong
};

// The results of the reference solver by work and sample, or the reason for missing ones.
class Expected {
 public:
  Expected(const std::shared_ptr<const Model>& model, Subject& reference,
           std::span<const Sample> samples, std::span<const Work> works);

  // Returns why the reference has no value in some state, or "" if it has all. If it has none,
  // other subjects are not compared.
  const std::string& failure(Work work) const { return failure_[int(work)]; }

  // Compares every sample, relative to the norm of the quantity. The tolerance is 1e-9, or
  // 10 cond(M) eps if the result requires a solution with M. If a quantity vanishes but its terms
  // do not, it is 16 eps of the terms (comparison.hpp). A Coriolis matrix is not unique, so its
  // product with v is compared.
  Verdict judge(Subject& subject, Work work) const;

 private:
  std::vector<double> compared(Subject& subject, Work work, size_t k) const;
  double tolerance(Work work, size_t k) const;

  std::span<const Sample> samples_;
  std::vector<std::vector<double>> values_[n_works];
  std::vector<double> terms_[n_works];  // sizes of the terms of torques, see TermSizes
  std::string failure_[n_works];
  // M| |M^-1| in the Frobenius norm, for each sample
  std::vector<double> condition_;
};

}  // namespace torsor::bench
