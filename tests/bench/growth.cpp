#include "bench/growth.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace torsor::bench {

namespace {

// Slope of the line through the points (log n, log time).
double slope(const std::map<int, double>& times) {
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

}  // namespace

std::vector<Growth> growth(const std::vector<Result>& results) {
  std::vector<Growth> all;
  for (const Family family : {Family::chain, Family::tree})
    for (const Work work : all_works) {
      std::map<std::string, std::map<int, double>> times;  // of each column, by the number of bodies
      for (const Result& result : results) {
        const int bodies = result.robot.model->n_body - 1;
        if (result.robot.family != family || bodies < growth_from || bodies > growth_to) continue;
        for (const Row& row : result.rows)
          for (size_t c = 0; c < row.cells.size() && row.work == work; ++c)
            if (!row.cells[c].ns.empty() && result.columns[c].form == Form::whole)
              times[result.columns[c].name][bodies] = row.cells[c].median();
      }
      for (const auto& [name, points] : times)
        if (points.size() >= 3)
          all.push_back({family, work, name, slope(points), points.begin()->first, points.rbegin()->first});
    }
  return all;
}

}  // namespace torsor::bench
