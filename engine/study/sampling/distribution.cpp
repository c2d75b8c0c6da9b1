#include "torsor/study/sampling/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/study/sampling/normal.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_finite(const char* name, double value) {
  if (!std::isfinite(value))
    throw Error(fmt::format("{} is {}; it must be a finite number", name, value));
}

void require_order(const char* low, double a, const char* high, double b) {
  if (!(a < b)) throw Error(fmt::format("{} is {}, which is not below {}, {}", low, a, high, b));
}

// Let P = P(x < min) and Q = P(x > max). The quantile u of the restricted distribution is the
// quantile P + u (1 - P - Q) of the normal one. If both limits are above the mean, tails are used
// instead, which have more digits.
class NormalDistribution : public Distribution {
 public:
  NormalDistribution(double mean, double deviation, double min, double max)
      : mean_(mean), deviation_(deviation), min_(min), max_(max) {
    require_finite("the mean", mean);
    require_finite("the deviation", deviation);
    if (!(deviation > 0))
      throw Error(fmt::format("the deviation is {}; it must be positive", deviation));
    if (std::isnan(min) || std::isnan(max)) throw Error("a limit is NaN; it must be a number");
    require_order("min", min, "max", max);
    const double a = (min - mean) / deviation, b = (max - mean) / deviation;
    is_above_ = a > 0;
    low_ = is_above_ ? normal_tail(b) : normal_tail(-a);
    high_ = is_above_ ? normal_tail(a) : b < 0 ? normal_tail(-b) : 1 - normal_tail(b);
    if (!(high_ > low_))
      throw Error(fmt::format(
          "[{}, {}] is too far from the mean {} with the deviation {}: its probability is zero",
          min, max, mean, deviation));
  }
  double quantile(double u) const override {
    if (u <= 0 || u >= 1) return u <= 0 ? min_ : max_;
    const double p = low_ + (is_above_ ? 1 - u : u) * (high_ - low_), x = normal_quantile(p);
    return std::clamp(mean_ + deviation_ * (is_above_ ? -x : x), min_, max_);
  }
  double nominal() const override { return std::clamp(mean_, min_, max_); }
  std::string text() const override {
    std::string limits;
    if (min_ > -infinity) limits += fmt::format("min = {}", min_);
    if (max_ < infinity) limits += fmt::format("{}max = {}", limits.empty() ? "" : ", ", max_);
    if (!limits.empty()) limits = ", { " + limits + " }";
    return fmt::format("normal({}, {}{})", mean_, deviation_, limits);
  }

 private:
  double mean_, deviation_, min_, max_, low_, high_;
  bool is_above_;
};

class Uniform : public Distribution {
 public:
  Uniform(double from, double to) : from_(from), to_(to) {
    require_finite("the first limit", from);
    require_finite("the second limit", to);
    require_order("the first limit", from, "the second", to);
  }
  double quantile(double u) const override {
    return std::clamp((1 - u) * from_ + u * to_, from_, to_);
  }
  double nominal() const override { return quantile(0.5); }
  std::string text() const override { return fmt::format("uniform({}, {})", from_, to_); }

 private:
  double from_, to_;
};

class LogUniform : public Distribution {
 public:
  LogUniform(double from, double to) : from_(from), to_(to) {
    require_finite("the first limit", from);
    require_finite("the second limit", to);
    if (!(from > 0)) throw Error(fmt::format("the first limit is {}; it must be positive", from));
    require_order("the first limit", from, "the second", to);
    log_from_ = portable_log(from);
    log_to_ = portable_log(to);
  }
  double quantile(double u) const override {
    return std::clamp(portable_exp((1 - u) * log_from_ + u * log_to_), from_, to_);
  }
  double nominal() const override { return quantile(0.5); }
  std::string text() const override { return fmt::format("log_uniform({}, {})", from_, to_); }

 private:
  double from_, to_, log_from_, log_to_;
};

// A distribution of n values with equal probabilities.
class Finite : public Distribution {
 public:
  double quantile(double u) const override {
    const uint64_t n = *count();
    return value(std::min(uint64_t(u * double(n)), n - 1));
  }
  double nominal() const override { return value(0); }
};

class Integer : public Finite {
 public:
  Integer(long long from, long long to) : from_(from), to_(to) {
    constexpr long long most = 1ll << 52;
    for (const long long limit : {from, to})
      if (limit < -most || limit > most)
        throw Error(fmt::format("the limit {} is beyond {}; use smaller integers", limit, most));
    if (from > to)
      throw Error(fmt::format("the first limit is {}, which is above the second, {}", from, to));
  }
  double nominal() const override {
    return double(from_) + std::floor((double(to_) - double(from_)) / 2);
  }
  std::optional<uint64_t> count() const override { return uint64_t(to_ - from_) + 1; }
  double value(uint64_t i) const override { return double(from_ + (long long)(i)); }
  std::string text() const override { return fmt::format("integer({}, {})", from_, to_); }

 private:
  long long from_, to_;
};

std::string text_of(const SceneParameter& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return number_text(std::get<double>(value));
}

std::string quoted_text(const SceneParameter& value) {
  const std::string text = text_of(value);
  return std::holds_alternative<std::string>(value) ? "\"" + text + "\"" : text;
}

class Choice : public Finite {
 public:
  explicit Choice(const std::vector<SceneParameter>& values) {
    if (values.empty()) throw Error("the list is empty; give at least one value");
    std::set<SceneParameter> seen;
    for (size_t k = 0; k < values.size(); ++k) {
      if (values[k].index() != values[0].index())
        throw Error(fmt::format("value {} has another type than the first; use one type", k + 1));
      if (!seen.insert(values[k]).second)
        throw Error(fmt::format("the value {} is listed twice; list it once", text_of(values[k])));
      const auto* number = std::get_if<double>(&values[k]);
      if (number) require_finite("a value", *number);
      if (!number) labels_.push_back(text_of(values[k]));
      numbers_.push_back(number ? *number : double(k));
      text_ += (k == 0 ? "" : ", ") + quoted_text(values[k]);
    }
  }
  std::optional<uint64_t> count() const override { return numbers_.size(); }
  bool is_ordered() const override { return false; }
  double value(uint64_t i) const override { return numbers_[size_t(i)]; }
  const std::vector<std::string>& labels() const override { return labels_; }
  std::string text() const override { return "choice{" + text_ + "}"; }

 private:
  std::vector<double> numbers_;
  std::vector<std::string> labels_;
  std::string text_;
};

class TableRows : public Finite {
 public:
  TableRows(const std::string& table, const std::string& column,
            const std::vector<std::string>& values)
      : table_(table), column_(column) {
    const bool numeric =
        std::ranges::all_of(values, [](const auto& text) { return number_of(text).has_value(); });
    for (const std::string& text : values) {
      if (numeric) {
        numbers_.push_back(*number_of(text));
        continue;
      }
      const auto found = std::ranges::find(labels_, text);
      numbers_.push_back(double(found - labels_.begin()));
      if (found == labels_.end()) labels_.push_back(text);
    }
  }
  std::optional<uint64_t> count() const override { return numbers_.size(); }
  bool is_ordered() const override { return false; }
  double value(uint64_t i) const override { return numbers_[size_t(i)]; }
  const std::vector<std::string>& labels() const override { return labels_; }
  std::string text() const override { return fmt::format("rows(\"{}\", \"{}\")", table_, column_); }
  std::string table() const override { return table_; }

 private:
  std::string table_, column_;
  std::vector<double> numbers_;
  std::vector<std::string> labels_;
};

}  // namespace

const std::vector<std::string>& Distribution::labels() const {
  static const std::vector<std::string> none;
  return none;
}

DistributionPtr normal(double mean, double deviation, double min, double max) {
  return std::make_shared<NormalDistribution>(mean, deviation, min, max);
}
DistributionPtr uniform(double from, double to) {
  return std::make_shared<Uniform>(from, to);
}
DistributionPtr log_uniform(double from, double to) {
  return std::make_shared<LogUniform>(from, to);
}
DistributionPtr integer(long long from, long long to) {
  return std::make_shared<Integer>(from, to);
}
DistributionPtr choice(const std::vector<SceneParameter>& values) {
  return std::make_shared<Choice>(values);
}
DistributionPtr rows(const std::string& table, const std::string& column,
                     const std::vector<std::string>& values) {
  return std::make_shared<TableRows>(table, column, values);
}

}  // namespace torsor
