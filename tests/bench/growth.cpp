#include "bench/growth.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::bench {

namespace {

// Returns the median time of one column for each number of bodies in the range of the fit.
std::map<int, double> times(const std::vector<Result>& results, Family family, Work work,
                            const Column& column) {
  std::map<int, double> found;
  for (const Result& result : results) {
    const int bodies = result.robot.model->n_body - 1;
    if (result.robot.family != family || bodies < growth_from || bodies > growth_to) continue;
    for (const Row& row : result.rows)
      for (size_t c = 0; c < row.cells.size(); ++c)
        if (row.work == work && result.columns[c] == column && !row.cells[c].ns.empty())
          found[bodies] = row.cells[c].median();
  }
  return found;
}

}  // namespace

double growth_exponent(const std::map<int, double>& times) {
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (const auto& [n, time] : times) {
    x_mean += std::log(n) / double(times.size());
    y_mean += std::log(time) / double(times.size());
  }
  for (const auto& [n, time] : times) {
    xx += (std::log(n) - x_mean) * (std::log(n) - x_mean);
    xy += (std::log(n) - x_mean) * (std::log(time) - y_mean);
  }
  return xy / xx;
}

std::vector<Growth> growth(const std::vector<Result>& results) {
  std::vector<Growth> all;
  for (const Family family : {Family::chain, Family::tree})
    for (const Work work : all_works)
      for (const Column& column : total_columns(results)) {
        const std::map<int, double> points = times(results, family, work, column);
        if (points.size() >= 3)
          all.push_back({family, work, column.name, growth_exponent(points), points.begin()->first,
                         points.rbegin()->first});
      }
  return all;
}

}  // namespace torsor::bench
