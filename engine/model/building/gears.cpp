#include "torsor/model/building/gears.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/model/building/checks.hpp"
#include "torsor/model/building/closures.hpp"

namespace torsor {

namespace {

using Terms = std::vector<ClosureTerm>;

// Returns the dof of a coordinate, such as "elbow" or "tube.angle".
int coordinate_dof(const ClosureDescription& closure, const std::string& name,
                   const std::string& prefix, const Model& model) {
  const std::vector<std::string> all = model.coordinate_names();
  std::vector<std::string> names;
  for (int dof = 0; dof < model.n_v; ++dof) {
    const int coordinate = model.coordinate[size_t(dof)];
    if (coordinate < 0 || !all[size_t(coordinate)].starts_with(prefix)) continue;
    names.push_back(all[size_t(coordinate)].substr(prefix.size()));
    if (names.back() == name) return dof;
  }
  const std::string near = did_you_mean(name, names);
  fail_closure(closure, fmt::format("there is no joint or scalar coordinate '{}'{}", name,
                                    near.empty() ? "; name a joint with one coordinate, or a "
                                                   "coordinate such as 'tube.angle'"
                                                 : near));
}

void add_term(Terms& terms, int dof, double factor) {
  const auto found = std::ranges::find(terms, dof, &ClosureTerm::dof);
  if (found == terms.end())
    terms.push_back({dof, factor});
  else
    found->factor += factor;
}

// Adds factor (p - s p_C): the angle of a joint relative to the carrier, about the axis of the
// joint. s is 1 if both axes point the same way, and -1 otherwise. The coordinate of a joint on the
// carrier is already relative to it.
void add_relative(const ClosureDescription& closure, const Model& model, int dof, int carrier,
                  double factor, Terms& terms) {
  add_term(terms, dof, factor);
  const Joint &joint = model.joint_of_dof(dof), &of_carrier = model.joint_of_dof(carrier);
  const int parent = model.parent[size_t(joint.body)];
  if (parent == of_carrier.body) return;
  if (parent != model.parent[size_t(of_carrier.body)])
    fail_closure(closure, fmt::format("the joint '{}' is neither on its carrier '{}' nor on the "
                                      "link to which the carrier is attached; name another carrier",
                                      joint.name, of_carrier.name));
  const Pose<double>&X = model.X_PB0[size_t(joint.body)],
        &X_C = model.X_PB0[size_t(of_carrier.body)];
  const auto axis = [](const Pose<double>& at) {
    return Vec3<double>{at.R.m[2], at.R.m[5], at.R.m[8]};
  };
  const Vec3<double> offset = X.p - X_C.p;
  constexpr double rounding = 1e-9;
  if (norm(cross(axis(X), axis(X_C))) > rounding ||
      norm(cross(offset, axis(X_C))) > rounding * (norm(X.p) + norm(X_C.p)))
    fail_closure(closure, fmt::format("the joint '{}' and its carrier '{}' do not turn about the "
                                      "same axis; only such a joint can turn relative to a carrier",
                                      joint.name, of_carrier.name));
  add_term(terms, carrier, dot(axis(X), axis(X_C)) > 0 ? -factor : factor);
}

int carrier_dof(const ClosureDescription& closure, const std::string& prefix, const Model& model) {
  if (closure.kind != ClosureKind::gear) fail_closure(closure, "only a gear has a carrier");
  const int dof = coordinate_dof(closure, closure.carrier, prefix, model);
  const Joint& joint = model.joint_of_dof(dof);
  if (traits(joint.kind).n_v != 1 || !model.dof(dof).turns() || traits(joint.kind).user_pitch)
    fail_closure(closure, fmt::format("its carrier '{}' is {}; a carrier is a revolute joint",
                                      closure.carrier, traits(joint.kind).name));
  return dof;
}

// Throws Error if the joints do not have the motions that a gear or a rack needs.
void check_motions(const ClosureDescription& closure, const Model& model,
                   std::span<const int> dofs) {
  const bool turns[] = {model.dof(dofs[0]).turns(), model.dof(dofs[1]).turns()};
  if (closure.kind == ClosureKind::rack && (turns[0] || !turns[1]))
    fail_closure(closure,
                 fmt::format("'{}' {} and '{}' {}; the first joint of a rack slides, the second "
                             "one turns",
                             closure.joints[0], turns[0] ? "turns" : "slides", closure.joints[1],
                             turns[1] ? "turns" : "slides"));
  if (closure.kind == ClosureKind::gear && turns[0] != turns[1])
    fail_closure(closure, "one of its joints turns and the other one slides; use a rack");
  if (!closure.carrier.empty() && !(turns[0] && turns[1]))
    fail_closure(closure, "it has a carrier, and its joints do not turn");
}

void check_joints(const ClosureDescription& closure) {
  const std::vector<std::string>& joints = closure.joints;
  const bool is_cable = closure.kind == ClosureKind::cable;
  if (is_cable ? joints.size() < 2 : joints.size() != 2)
    fail_closure(closure, fmt::format("it has {} joints; a {} has {}", joints.size(),
                                      traits(closure.kind).name, is_cable ? "two or more" : "two"));
  for (size_t k = 0; k < joints.size(); ++k)
    if (std::count(joints.begin(), joints.end(), joints[k]) > 1)
      fail_closure(closure, fmt::format("it names the joint '{}' twice", joints[k]));
  if (is_cable && closure.radii.size() != joints.size())
    fail_closure(closure, fmt::format("it has {} radii for {} joints; give one for each",
                                      closure.radii.size(), joints.size()));
  for (const double radius : closure.radii)
    if (!std::isfinite(radius) || radius == 0)
      fail_closure(closure, fmt::format("a radius is {}; it must be a nonzero number", radius));
  if (!std::isfinite(closure.offset)) fail_closure(closure, "its offset is not a finite number");
}

}  // namespace

// The multiplier of a cable is its tension: a force that shortens sum r_i p_i.
Closure between_joints(const ClosureDescription& closure, const std::string& prefix,
                       const Model& model) {
  check_joints(closure);
  const Pose<double> none = Pose<double>::identity();
  Closure out{prefix + closure.name, closure.kind,   0, 0, none, none,
              closure.offset,        closure.source, {}};
  std::vector<int> dofs;
  for (const std::string& name : closure.joints)
    dofs.push_back(coordinate_dof(closure, name, prefix, model));
  if (closure.kind == ClosureKind::cable) {
    for (size_t k = 0; k < dofs.size(); ++k) out.terms.push_back({dofs[k], -closure.radii[k]});
    out.parameter = -closure.offset;
    return out;
  }
  check_motions(closure, model, dofs);
  const double factors[] = {1, -*closure.parameter};
  if (closure.carrier.empty()) {
    for (size_t k : {0, 1}) out.terms.push_back({dofs[k], factors[k]});
    return out;
  }
  const int carrier = carrier_dof(closure, prefix, model);
  if (carrier == dofs[0] || carrier == dofs[1])
    fail_closure(closure, "its carrier is one of its joints; remove the carrier");
  for (size_t k : {0, 1}) add_relative(closure, model, dofs[k], carrier, factors[k], out.terms);
  std::erase_if(out.terms, [](const ClosureTerm& term) { return term.factor == 0; });
  return out;
}

namespace {

// A linear condition c . p = offset, and the combination of the given conditions that it is.
struct Combined {
  std::vector<double> c;
  double offset;
  std::vector<double> of;  // per given condition
  void add(double factor, const Combined& other) {
    for (size_t i = 0; i < c.size(); ++i) c[i] += factor * other.c[i];
    offset += factor * other.offset;
    for (size_t i = 0; i < of.size(); ++i) of[i] += factor * other.of[i];
  }
};

// Numbers of the conditions in a combination. Ratios that are rounded to doubles leave 1e-16 of the
// terms that cancel; ratios that do not close leave more than 1e-9.
constexpr double cancelled = 1e-9;

// The linear conditions of a model, in reduced echelon form.
class GearTrain {
 public:
  explicit GearTrain(const Model& model) : model_(model) {
    for (const Closure& closure : model.closures)
      if (!closure.terms.empty())
        names_.push_back(closure.name), sources_.push_back(closure.source);
    const size_t n_closures = names_.size();
    for (const Mimicry& mimic : model.mimics) {
      names_.push_back("mimic of " + model.joint_of_dof(mimic.dof).name);
      sources_.emplace_back("");
    }
    size_t k = n_closures;
    for (const Mimicry& mimic : model.mimics)
      add(k++, {{mimic.dof, 1}, {mimic.of_dof, -mimic.ratio}}, mimic.offset);
    k = 0;
    for (const Closure& closure : model.closures)
      if (!closure.terms.empty()) add(k++, closure.terms, closure.parameter);
    reject_locked();
  }

 private:
  // Adds a condition, without the parts along the conditions so far.
  void add(size_t k, const Terms& terms, double offset) {
    Combined row{std::vector<double>(size_t(model_.n_v), 0.0), offset,
                 std::vector<double>(names_.size(), 0.0)};
    row.of[k] = 1;
    double size = 0;  // of the terms that cancel
    for (const auto& [dof, factor] : terms) row.c[size_t(dof)] += factor;
    for (const double c : row.c) size = std::max(size, std::abs(c));
    double offsets = std::abs(offset);
    for (size_t r = 0; r < rows_.size(); ++r) {
      const double factor = row.c[size_t(pivots_[r])];
      if (factor == 0) continue;
      for (const double c : rows_[r].c) size = std::max(size, std::abs(factor * c));
      offsets += std::abs(factor * rows_[r].offset);
      row.add(-factor, rows_[r]);
    }
    const auto largest = std::ranges::max_element(row.c, {}, [](double c) { return std::abs(c); });
    if (std::abs(*largest) <= cancelled * size) {
      if (std::abs(row.offset) > cancelled * offsets)
        fail(row, sources_[k],
             fmt::format("no position meets all of their offsets, which differ by {:.3g}; correct "
                         "an offset, or remove one of them",
                         std::abs(row.offset)));
      return;
    }
    const int pivot = int(largest - row.c.begin());
    const double scale = 1 / *largest - 1;
    row.add(scale, Combined(row));
    for (double& c : row.c)
      if (std::abs(c) <= cancelled * size / std::abs(*largest)) c = 0;
    for (Combined& other : rows_) other.add(-other.c[size_t(pivot)], row);
    rows_.push_back(std::move(row));
    pivots_.push_back(pivot);
    last_ = sources_[k];
  }

  // A row whose only term is its pivot keeps a joint at one position.
  void reject_locked() const {
    std::vector<int> dofs;
    Combined all{{}, 0, std::vector<double>(names_.size(), 0.0)};
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (std::ranges::count_if(rows_[r].c, [](double c) { return std::abs(c) > cancelled; }) > 1)
        continue;
      dofs.push_back(pivots_[r]);
      for (size_t k = 0; k < names_.size(); ++k) all.of[k] += std::abs(rows_[r].of[k]);
    }
    if (dofs.empty()) return;
    std::ranges::sort(dofs);
    std::string locked;
    for (const int dof : dofs)
      locked += fmt::format("{}'{}'", locked.empty() ? "" : ", ", model_.joint_of_dof(dof).name);
    fail(all, last_,
         fmt::format("their ratios do not close, so that they keep the joints {} from moving; "
                     "correct a ratio, or remove one of them",
                     locked));
  }

  [[noreturn]] void fail(const Combined& row, const std::string& source,
                         const std::string& text) const {
    std::string list;
    double largest = 0;
    for (const double factor : row.of) largest = std::max(largest, std::abs(factor));
    for (size_t k = 0; k < names_.size(); ++k)
      if (std::abs(row.of[k]) > cancelled * largest)
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", names_[k]);
    fail_at(source, fmt::format("the closures {} contradict each other: {}", list, text));
  }

  const Model& model_;
  std::vector<std::string> names_, sources_;
  std::vector<Combined> rows_;
  std::vector<int> pivots_;
  std::string last_;
};

}  // namespace

void check_gears(const Model& model) {
  if (std::ranges::any_of(model.closures, [](const Closure& c) { return !c.terms.empty(); }))
    (void)GearTrain(model);
}

}  // namespace torsor
