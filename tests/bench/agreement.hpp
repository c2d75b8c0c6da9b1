#pragma once
// Whether a subject gives what Torsor's reference solver gives, in every sample.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Verdict {
  std::string why_not;   // it can be timed; "" where it can
  bool differs = false;  // its values are wrong
};

// What the reference solver gave, by work and sample; or why it gave nothing.
class Expected {
 public:
  Expected(const std::shared_ptr<const Model>& model, Subject& reference,
           std::span<const Sample> samples, std::span<const Work> works);

  // Why the reference has no value in some state, where others may do anything; "" where it has
  // all.
  const std::string& failure(Work work) const { return failure_[int(work)]; }

  // Compares every sample, relative to the norm of the quantity: 1e-9, and 10 cond(M) eps where a
  // solution with M is in it. Where a quantity vanishes but its terms do not, 16 eps of the terms
  // take the place of 1e-9 of its norm (comparison.hpp). Of a Coriolis matrix, which is not unique,
  // the product with v is compared.
  Verdict judge(Subject& subject, Work work) const;

 private:
  std::vector<double> compared(Subject& subject, Work work, size_t k) const;
  double tolerance(Work work, size_t k) const;

  std::span<const Sample> samples_;
  std::vector<std::vector<double>> values_[n_works];
  std::vector<double> terms_[n_works];  // of torques: what they add up, see TermSizes
  std::string failure_[n_works];
  std::vector<double> condition_;  // of M in each sample: |M| |M^-1| in the norm of Frobenius
};

}  // namespace torsor::bench
