#pragma once
// The normal distribution, the exponential and the logarithm by basic arithmetic only. Functions of
// the C library differ in the last bit between processors. Samples must not.

namespace torsor {

// Return log x for x > 0, and exp x, with relative errors below 4e-16.
double portable_log(double x);
double portable_exp(double x);

// Returns the probability that a standard normal number is above x, with a relative error below
// 1e-14 + 2e-16 x^2.
double normal_tail(double x);
// Returns the x below which a standard normal number is with probability p in (0, 1): algorithm
// AS 241 (Wichura, 1988). The relative error is below 1e-15.
double normal_quantile(double p);

}  // namespace torsor
