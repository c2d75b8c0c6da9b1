#include "torsor/mechanics/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"

namespace torsor {

Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& six_rows, const Components& components) {
  std::vector<int> rows;
  for (int k = 0; k < 6; ++k)
    if (components[size_t(k)]) rows.push_back(k);
  return six_rows(rows, Eigen::all);
}

Components named_components(const std::vector<std::string>& names, const Components& among) {
  Components out{};
  for (const std::string& name : names) {
    const auto found = std::find(std::begin(component_names), std::end(component_names), name);
    if (found == std::end(component_names))
      throw Error(
          fmt::format("there is no component '{}'; the components are rx, ry, rz, x, y, z", name));
    const size_t k = size_t(found - component_names);
    if (!among[k])
      throw Error(
          fmt::format("the component '{}' is requested, but the target does not contain it", name));
    out[k] = true;
  }
  if (names.empty()) throw Error("there are no components");
  return out;
}

// Model::mimics lists a mimic joint after the joint that it mimics. The row of map_ that is
// multiplied here is therefore complete.
FreeDofs::FreeDofs(const Model& model, std::span<const int> locked) {
  std::vector<bool> is_fixed(size_t(model.n_v), false);
  for (const int j : locked) {
    const Joint& joint = model.joints[size_t(j)];
    for (const Mimicry& mimic : model.mimics)
      if (mimic.dof == joint.v_index)
        throw Error(fmt::format("joint '{}' mimics joint '{}'; name that joint instead", joint.name,
                                model.joint_of_dof(mimic.of_dof).name));
    for (int k = 0; k < traits(joint.kind).n_v; ++k) is_fixed[size_t(joint.v_index + k)] = true;
  }
  for (const Mimicry& mimic : model.mimics) is_fixed[size_t(mimic.dof)] = true;
  for (int k = 0; k < model.n_v; ++k)
    if (!is_fixed[size_t(k)]) dof_.push_back(k);

  map_.setZero(model.n_v, size());
  for (int i = 0; i < size(); ++i) map_(dof_[size_t(i)], i) = 1;
  constexpr double inf = std::numeric_limits<double>::infinity();
  bounds_.assign(dof_.size(), {-inf, inf, -1, -1});
  for (int i = 0; i < size(); ++i) {
    coordinate_.push_back(model.coordinate[size_t(dof_[size_t(i)])]);
    narrow(model, dof_[size_t(i)], 1, 0, bounds_[size_t(i)]);
  }
  // The coordinate of each dof is ratio * (coordinate of its free dof) + offset. The ratios are in
  // map_.
  std::vector<double> offset(size_t(model.n_v), 0.0);
  for (const Mimicry& mimic : model.mimics) {
    map_.row(mimic.dof) = mimic.ratio * map_.row(mimic.of_dof);
    offset[size_t(mimic.dof)] = mimic.ratio * offset[size_t(mimic.of_dof)] + mimic.offset;
    for (int i = 0; i < size(); ++i)
      narrow(model, mimic.dof, map_(mimic.dof, i), offset[size_t(mimic.dof)], bounds_[size_t(i)]);
  }
  for (const Bounds& b : bounds_)
    if (b.lower > b.upper)
      throw Error(fmt::format(
          "joints '{}' and '{}': one mimics the other, and their limits exclude each other",
          model.joints[size_t(b.lower_joint)].name, model.joints[size_t(b.upper_joint)].name));
}

// Narrows the bounds of a free dof by the joint limits of `dof`. The coordinate of this
// dof is ratio * (coordinate of the free dof) + offset.
void FreeDofs::narrow(const Model& model, int dof, double ratio, double offset,
                      Bounds& bounds) const {
  const Joint& joint = model.joint_of_dof(dof);
  if (traits(joint.kind).n_v > 1 || ratio == 0) return;
  const int j = int(&joint - model.joints.data());
  double lower = (joint.lower - offset) / ratio, upper = (joint.upper - offset) / ratio;
  if (ratio < 0) std::swap(lower, upper);
  if (lower > bounds.lower) bounds.lower = lower, bounds.lower_joint = j;
  if (upper < bounds.upper) bounds.upper = upper, bounds.upper_joint = j;
}

std::string describe_task_direction(std::span<const double> six) {
  double largest = 0;
  for (const double x : six) largest = std::max(largest, std::abs(x));
  const auto shown = [&](size_t k) {
    return fmt::format("{:.3g}", std::abs(six[k]) > 1e-3 * largest ? six[k] : 0.0);
  };
  return fmt::format("(rotation {} {} {}, translation {} {} {})", shown(0), shown(1), shown(2),
                     shown(3), shown(4), shown(5));
}

std::string describe_joint_direction(const Model& model, std::span<const double> v) {
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::abs(x));
  const std::vector<std::string> names = model.dof_names();
  std::string out;
  for (size_t k = 0; k < v.size(); ++k)
    if (std::abs(v[k]) > 1e-3 * largest)
      out += fmt::format("{}joint '{}' {:.3g}", out.empty() ? "" : ", ", names[k], v[k]);
  return out;
}

namespace {

Svd decompose(const State& state, const Frame& frame, const Components& components,
              const FreeDofs& free) {
  return full_svd(chosen_rows(frame_jacobian(state, frame, Axes::world) * free.map(), components));
}

bool is_singular(const Svd& svd) {
  const Eigen::VectorXd& s = svd.s;
  const Eigen::Index m = svd.U.rows();
  return svd.V.rows() < m || !(s[m - 1] > std::sqrt(std::numeric_limits<double>::epsilon()) * s[0]);
}

// J = U diag(s) V^T, and the last singular value is the smallest. The frame cannot be moved along
// the last column of U. The joint rates in the corresponding column of V do not move it.
std::string describe_last_direction(const Model& model, const Frame& frame,
                                    const Components& components, const FreeDofs& free,
                                    const Svd& svd) {
  const Eigen::Index m = svd.U.rows();
  const Eigen::VectorXd& s = svd.s;
  const bool enough = svd.V.rows() >= m;
  std::array<double, 6> direction{};
  for (size_t k = 0, row = 0; k < 6; ++k)
    if (components[k]) direction[k] = svd.U(Eigen::Index(row++), m - 1);
  std::string joints;
  if (enough && s[0] > 0) {
    const Eigen::VectorXd v = free.map() * svd.V.col(m - 1);
    joints = fmt::format("; these joint rates do not move it: {}",
                         describe_joint_direction(model, {v.data(), size_t(v.size())}));
  }
  return fmt::format(
      "frame '{}' cannot be moved along {} here: {}{}", frame.name,
      describe_task_direction(direction),
      enough ? "the configuration is singular"
             : fmt::format("{} components are requested, but only {} degrees of freedom are free",
                           m, svd.V.rows()),
      joints);
}

}  // namespace

std::string describe_singularity(const State& state, const Frame& frame,
                                 const Components& components, std::span<const int> locked) {
  const FreeDofs free(state.model(), locked);
  return describe_last_direction(state.model(), frame, components, free,
                                 decompose(state, frame, components, free));
}

// Equations: KHALIL 9.19, 9.20; MR 9.93, 9.94.
JointRates joint_rates(State state, const Frame& frame, const Components& components,
                       std::span<const int> locked, const Twist<double>& V,
                       const Twist<double>& Vdot) {
  const Model& model = state.model();
  const FreeDofs free(model, locked);
  if (free.size() == 0)
    throw Error(fmt::format("frame '{}' cannot be moved: no joint is free", frame.name));
  const auto chosen = [&](const Twist<double>& A) -> Eigen::VectorXd {
    return chosen_rows(Eigen::Matrix<double, 6, 1>(A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z),
                       components);
  };
  const Svd svd = decompose(state, frame, components, free);
  if (is_singular(svd)) throw Error(describe_last_direction(model, frame, components, free, svd));
  const auto solved = [&](const Eigen::VectorXd& rate, std::vector<double>& out) {
    const Eigen::VectorXd x =
        free.map() * (svd.V.leftCols(svd.s.size()) *
                      svd.s.cwiseInverse().cwiseProduct(svd.U.transpose() * rate));
    out.assign(x.begin(), x.end());
  };
  JointRates out;
  solved(chosen(V), out.v);
  state.v = out.v;
  solved(chosen(Vdot - jacobian_rate(state, frame, Axes::world)), out.vdot);
  return out;
}

}  // namespace torsor
