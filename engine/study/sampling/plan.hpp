#pragma once
// The plan of a study: which values each parameter takes in each sample. The values of sample k are
// a function of k alone.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/study/sampling/design.hpp"
#include "torsor/study/sampling/distribution.hpp"
#include "torsor/study/sampling/sample_values.hpp"
#include "torsor/study/sampling/text_table.hpp"

namespace torsor {

// A parameter as a scene declares it.
struct StudyParameter {
  std::string name, unit;
  DistributionPtr distribution;  // null: the parameter has only its nominal value
  SceneParameter nominal;        // value of a plain run
};

// The values of a parameter in a grid: "2", "pid", or "0:4:5" for five numbers from 0 to 4.
struct GridAxis {
  std::string parameter;
  std::vector<std::string> values;
};

struct PlanRequest {
  uint64_t samples = 0;  // number of samples of a design; 0: a grid, a table, or all combinations
  std::string design = "random";
  uint64_t seed = 0;
  std::vector<GridAxis> grid = {};
  std::optional<TextTable> table = {};  // rows of parameter values
};

// A parameter that has a column in the table of a study. If labels is not empty, its values are
// indices of labels.
struct PlanColumn {
  std::string name, unit;
  std::vector<std::string> labels;
  std::string text(double value) const;
};

// Values of parameters as text, as for --set.
using StudySettings = std::map<std::string, std::string>;

// The names of the parameters of each axis of a grid, or dimension of a design. Parameters of one
// table share an axis.
using PlanAxes = std::vector<std::vector<std::string>>;

class Plan final : public SampleValues {
 public:
  // Places the samples of a request. Without a request, each distribution must have finitely many
  // values; every combination is then a sample. Throws Error in these cases:
  // - A name is unknown, or a value does not have the type of its parameter.
  // - Nothing varies, or there are too many combinations.
  // - The design is unknown.
  Plan(const std::vector<StudyParameter>& parameters, const PlanRequest& request);

  uint64_t samples() const { return samples_; }
  const std::vector<PlanColumn>& columns() const { return columns_; }
  PlanAxes axes() const;
  void values(uint64_t k, std::span<double> out) const override;
  // Returns the same values as text.
  StudySettings settings(std::span<const double> values) const;

 private:
  // A column that an axis sets: by `values` if they are given, otherwise by the distribution.
  struct Part {
    size_t column;
    DistributionPtr distribution;
    std::vector<double> values;
    double value(uint64_t i) const { return values.empty() ? distribution->value(i) : values[i]; }
  };
  // An axis of the grid, or a dimension of the design. The parts of an axis change together.
  struct Axis {
    std::vector<Part> parts;
    uint64_t count = 0;
  };
  void add_columns(const std::vector<StudyParameter>& parameters, const PlanRequest& request);
  void add_distributions(const std::vector<StudyParameter>& parameters);
  void add_grid(const std::vector<StudyParameter>& parameters, const PlanRequest& request);
  void add_table(const std::vector<StudyParameter>& parameters, const TextTable& table);
  void count_combinations();
  size_t column(const std::string& name) const;

  std::vector<PlanColumn> columns_;
  std::vector<double> nominal_;  // [columns]
  std::vector<Axis> axes_;
  std::unique_ptr<Design> design_;  // null: a grid
  uint64_t samples_ = 0;
};

}  // namespace torsor
