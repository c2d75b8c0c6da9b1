#include "torsor/host/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor {

namespace {

std::string place(size_t row) {
  return fmt::format("row {} ", row + 1);
}

// Returns `given` as q [n_q], with normalized quaternions. Throws Error if it is not a valid q.
// where: the beginning of the message.
std::vector<double> position(const Model& model, std::span<const double> given,
                             const std::string& where) {
  if (int(given.size()) != model.n_q)
    throw Error(fmt::format("{}has {} {} for the joints, whose position q has {}", where,
                            given.size(), given.size() == 1 ? "number" : "numbers", model.n_q));
  std::vector<double> q(given.begin(), given.end());
  if (!std::all_of(q.begin(), q.end(), [](double x) { return std::isfinite(x); }))
    throw Error(fmt::format("{}has an entry that is not a finite number", where));
  try {
    normalise(model, q);
  } catch (const Error& error) {
    throw Error(fmt::format("{}has an impossible position: {}", where, error.what()));
  }
  return q;
}

// Throws Error if a rotation of the path leaves the range of the coordinates, half a turn from the
// base. The rotation vectors u, |u| <= pi, and u (1 - 2 pi / |u|) represent the same rotation. The
// second one is longer than half a turn. If it is nearer to the previous row than u is, the path
// has left the range.
void require_within_half_a_turn(const Model& model, const double* before, const double* y,
                                size_t row) {
  for (const auto& [i, kind] : model.mapped) {
    if (kind->maps->quaternion < 0) continue;
    const auto turn = [&, first = model.v_index[i], columns = kind->dofs](const double* d) {
      Vec3<double> u{0, 0, 0};
      for (size_t k = 0; k < columns.size(); ++k) u += d[size_t(first) + k] * columns[k].S.w;
      return u;
    };
    const Vec3<double> u = turn(y), from = turn(before);
    const double angle = norm(u);
    if (angle == 0) continue;
    const Vec3<double> other = (1 - 2 * std::numbers::pi / angle) * u;
    if (norm(other - from) < norm(u - from))
      throw Error(
          fmt::format("{}turns joint '{}' past half a turn from the first row, the limit of one "
                      "path; split the path",
                      place(row), model.joint_of_body(i)));
  }
}

std::vector<double> path(const Model& model, const std::vector<double>& base, const Rows& rows) {
  const size_t n = size_t(model.n_v);
  std::vector<double> out, y(n), before(n);
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].empty() || !std::isfinite(rows[k][0]))
      throw Error(fmt::format("{}has no time that is a finite number", place(k)));
    if (k > 0 && !(rows[k][0] > rows[k - 1][0]))
      throw Error(fmt::format(
          "{}has the time {} s, which is not after that of the row before, {} s; sort the rows "
          "by time",
          place(k), rows[k][0], rows[k - 1][0]));
    const std::vector<double> q = position(model, std::span(rows[k]).subspan(1), place(k));
    difference(model, base.data(), q.data(), y.data());
    if (k > 0) require_within_half_a_turn(model, before.data(), y.data(), k);
    out.push_back(rows[k][0]);
    out.insert(out.end(), y.begin(), y.end());
    before = y;
  }
  return out;
}

std::vector<double> table(const torsor_param& row, const Rows& rows) {
  if (rows.empty()) throw Error("has no rows");
  std::vector<double> out{double(rows[0].size())};
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].size() != rows[0].size())
      throw Error(
          fmt::format("{}has {} numbers, and the first has {}: all rows must have the same length",
                      place(k), rows[k].size(), rows[0].size()));
    for (const double x : rows[k])
      if (!(std::isfinite(x) && x >= row.min && x <= row.max))
        throw Error(fmt::format("{}has {}, which is not a number in [{}, {}]", place(k), x, row.min,
                                row.max));
    out.insert(out.end(), rows[k].begin(), rows[k].end());
  }
  return out;
}

// Checks the 12 numbers of a pose. The tolerance of 1e-9 accepts rotation matrices that are written
// with about ten digits. `row` is "" or names the pose in a list.
const std::vector<double>& pose(const std::vector<double>& X, const std::string& row) {
  if (X.size() != 12)
    throw Error(fmt::format(
        "{}has {} numbers; a pose has 12: its rotation by rows, then its position", row, X.size()));
  double defect = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double* r = X.data();
      const double entry =
          r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
      defect = std::max(defect, std::abs(entry - (i == j)));
    }
  const double determinant = X[0] * (X[4] * X[8] - X[5] * X[7]) -
                             X[1] * (X[3] * X[8] - X[5] * X[6]) +
                             X[2] * (X[3] * X[7] - X[4] * X[6]);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!(defect <= 1e-9) || !std::all_of(X.begin(), X.end(), finite))
    throw Error(row + "is not a pose: its first 9 numbers are not a rotation matrix by rows");
  if (determinant < 0)
    throw Error(row + "is not a pose: its first 9 numbers are a reflection, not a rotation");
  return X;
}

std::vector<double> poses(const Rows& rows) {
  std::vector<double> out;
  for (size_t k = 0; k < rows.size(); ++k) {
    const std::vector<double>& X = pose(rows[k], place(k));
    out.insert(out.end(), X.begin(), X.end());
  }
  return out;
}

std::optional<std::vector<double>> list(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return std::vector{*number};
  if (const auto* many = std::get_if<std::vector<double>>(&value)) return *many;
  return std::nullopt;
}

}  // namespace

bool is_motion(const torsor_param& row) {
  return row.type >= TORSOR_CONFIGURATION;
}

std::string what_motion_takes(const torsor_param& row) {
  switch (row.type) {
    case TORSOR_CONFIGURATION:
      return "a position q of the joints";
    case TORSOR_PATH:
      return "a list of rows { time, a position q of the joints }";
    case TORSOR_TABLE:
      return "a list of rows of numbers, all of the same length";
    case TORSOR_POSE:
      return "a pose";
    default:
      return "a list of poses";
  }
}

std::vector<double> base_of(const torsor_descriptor& descriptor, const Model& model,
                            const std::vector<Parameter>& parameters) {
  for (const int type : {TORSOR_CONFIGURATION, TORSOR_PATH})
    for (const torsor_param& row : parameter_rows(descriptor)) {
      if (row.type != type) continue;
      for (const Parameter& parameter : parameters) {
        if (parameter.name != row.name) continue;
        const auto* rows = std::get_if<Rows>(&parameter.value);
        const auto given =
            type == TORSOR_CONFIGURATION ? list(parameter.value)
            : rows && !rows->empty() && !rows->front().empty()
                ? std::optional(std::vector(rows->front().begin() + 1, rows->front().end()))
                : std::nullopt;
        if (!given) continue;
        try {
          return chart_base(model, position(model, *given, type == TORSOR_PATH ? place(0) : ""));
        } catch (const Error& error) {
          throw Error(
              fmt::format("parameter '{}' of '{}' {}", row.name, descriptor.id, error.what()));
        }
      }
    }
  return chart_base(model, neutral(model));
}

std::optional<std::vector<double>> motion_numbers(const torsor_param& row, const Model& model,
                                                  const std::vector<double>& base,
                                                  const ParameterValue& value) {
  if (row.type == TORSOR_PATH || row.type == TORSOR_TABLE || row.type == TORSOR_POSES) {
    const auto* rows = std::get_if<Rows>(&value);
    if (!rows) return std::nullopt;
    return row.type == TORSOR_PATH    ? path(model, base, *rows)
           : row.type == TORSOR_TABLE ? table(row, *rows)
                                      : poses(*rows);
  }
  const auto given = list(value);
  if (!given) return std::nullopt;
  if (row.type == TORSOR_POSE) return pose(*given, "");
  const std::vector<double> q = position(model, *given, "");
  std::vector<double> y(size_t(model.n_v));
  difference(model, base.data(), q.data(), y.data());
  return y;
}

}  // namespace torsor
