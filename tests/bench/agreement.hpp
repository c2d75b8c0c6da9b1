#pragma once
// Compares the values of a subject with those of Torsor, in every sample.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Verdict {
  std::string why_not;   // reason why the subject cannot be timed, or ""
  bool differs = false;  // true if a value is wrong; false if evaluate() failed
};

// The values of the reference for each work and sample: those of a solver, or of the engine.
class Expected {
 public:
  // engine: the reference of the works of the engine.
  Expected(const std::shared_ptr<const Model>& model, Subject& reference, Subject& engine,
           std::span<const Sample> samples, std::span<const Work> works);

  // Returns the reason why the reference failed in some sample, or "" if it never failed.
  // After a failure, other subjects are neither compared nor timed.
  const std::string& failure(Work work) const { return failure_[int(work)]; }

  // Compares the subject with the reference in every sample. The largest allowed error is the
  // maximum of these:
  // - 1e-9 times the norm of the quantity
  // - 10 cond(M) eps times the norm, if the result requires a solution with M
  // - 16 eps times the size of the terms, for torques, rates of joint Jacobians and the
  //   Delassus matrix (they may vanish although their terms do not)
  // A Coriolis matrix is not unique, so C v is compared.
  Verdict judge(Subject& subject, Work work) const;

 private:
  std::vector<double> compared(Subject& subject, Work work, size_t k) const;
  double tolerance(Work work, size_t k) const;
  void add_screw_terms(Subject& engine, size_t k);

  std::shared_ptr<const Model> model_;
  std::span<const Sample> samples_;
  std::vector<std::vector<double>> values_[n_works];
  std::vector<double> terms_[n_works];  // sizes of the terms of results that may vanish
  std::string failure_[n_works];
  // Condition |M| |M^-1| in the Frobenius norm for each sample; 1 if M^-1 is not known.
  std::vector<double> condition_;
};

}  // namespace torsor::bench
