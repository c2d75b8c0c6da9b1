#pragma once
// Distributions of parameters. A distribution maps a number u in [0, 1] to a value, its quantile.
// All designs (design.hpp) produce such numbers.
//
// A value is a number. Values that are strings, true or false are stored as an index of labels().

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor {

class Distribution {
 public:
  virtual ~Distribution() = default;
  // Returns the value below which the fraction u of all values is. u = 0 and u = 1 give the ends of
  // the range, which may be infinite.
  virtual double quantile(double u) const = 0;
  // Returns the value of a plain run: the mean, or the first of a list.
  virtual double nominal() const = 0;
  // Returns the number of values if there are finitely many, otherwise nullopt. value() returns the
  // i-th one, from 0.
  virtual std::optional<uint64_t> count() const { return std::nullopt; }
  virtual double value(uint64_t) const { return nominal(); }
  // Returns true if values of near u are near each other. The values of a list have no order.
  virtual bool is_ordered() const { return true; }
  // Returns the texts of the values; empty if the values are numbers.
  virtual const std::vector<std::string>& labels() const;
  // Returns the distribution as it is written in Lua, without "torsor.".
  virtual std::string text() const = 0;
  // Returns the table whose rows are the values, or "". Parameters with the same table take the
  // values of one row.
  virtual std::string table() const { return ""; }
};
using DistributionPtr = std::shared_ptr<const Distribution>;

// The functions below throw Error if an argument is invalid. The message begins with the argument.

// The normal distribution, restricted to [min, max]. The limits may be infinite. The nominal value
// is the mean, or the nearest limit.
DistributionPtr normal(double mean, double deviation, double min, double max);
// The uniform distribution on [from, to]. The nominal value is the middle.
DistributionPtr uniform(double from, double to);
// The distribution on [from, to] whose logarithm is uniform. The nominal value is the geometric
// mean.
DistributionPtr log_uniform(double from, double to);
// The integers from..to, with equal probabilities. The nominal value is the middle, rounded down.
DistributionPtr integer(long long from, long long to);
// Equal probabilities of values of one type. The nominal value is the first.
DistributionPtr choice(const std::vector<SceneParameter>& values);
// A column of a table, whose rows have equal probabilities. The nominal value is that of the first
// row. table: the name of the file, for messages and table().
DistributionPtr rows(const std::string& table, const std::string& column,
                     const std::vector<std::string>& values);

}  // namespace torsor
