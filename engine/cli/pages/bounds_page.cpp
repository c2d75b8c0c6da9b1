#include "torsor/cli/pages/bounds_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

namespace torsor::cli {

namespace {

// Returns the position of a maximum. Coordinates below the accuracy of the search are written as 0.
std::string position_text(std::vector<double> q) {
  for (double& x : q)
    if (std::abs(x) < 1e-6) x = 0;
  return q.empty() ? "" : fmt::format(" at q = {:.4g}", fmt::join(q, " "));
}

}  // namespace

std::string bounds_text(const DynamicsBounds& of) {
  const auto& [L, a, within] = of;
  constexpr struct {
    const char *name, *unit;
  } rows[] = {{"a_1", "kg m^2"}, {"a_2", "kg m^2"}, {"a_3", "kg m^2"}, {"a_4", "kg m^2"},
              {"a_5", "kg m^2"}, {"a_6", "N m"},    {"a_7", "N m"},    {"a_8", "kg m^2"}};
  std::string out = fmt::format(
      "bounds for all positions (KHALIL 7.3.3.3 g); a translation by {:g} m counts as a rotation "
      "by "
      "1 rad, and\np are the translations divided by this length:\n"
      "  |M| <= a_1 + a_2 |p| + a_3 |p|^2,  |C| <= |v| (a_4 + a_5 |p| + a_8 |p|^2),  |g| <= a_6 + "
      "a_7 |p|\n",
      L);
  for (size_t k = 0; k < a.size(); ++k)
    out += fmt::format("  {} = {:<12.6g} {}{}\n", rows[k].name, a[k].value, rows[k].unit,
                       position_text(a[k].q));
  if (!within) return out + "a joint that translates without limits moves a lever arm\n";
  out += "within the limits of the joints:\n";
  for (const auto& [name, bound, unit] : {std::tuple{"|M| >=", &within->M_least, "kg m^2"},
                                          {"|M| <=", &within->M, "kg m^2"},
                                          {"|C|/|v| <=", &within->C, "kg m^2"},
                                          {"|g| <=", &within->g, "N m"}})
    out +=
        fmt::format("  {:<10} {:<12.6g} {}{}\n", name, bound->value, unit, position_text(bound->q));
  return out;
}

nlohmann::ordered_json bounds_json(const DynamicsBounds& of) {
  using Json = nlohmann::ordered_json;
  const auto found = [](const Bound& bound) {
    return Json{{"value", bound.value}, {"q", bound.q}};
  };
  Json out{{"length", of.length}};
  for (size_t k = 0; k < of.a.size(); ++k) out[fmt::format("a_{}", k + 1)] = found(of.a[k]);
  if (of.within_limits)
    out["within_limits"] = {{"M_least", found(of.within_limits->M_least)},
                            {"M", found(of.within_limits->M)},
                            {"C_per_v", found(of.within_limits->C)},
                            {"g", found(of.within_limits->g)}};
  return out;
}

}  // namespace torsor::cli
