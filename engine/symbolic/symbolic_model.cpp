#include "torsor/symbolic/symbolic_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "torsor/base/error.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor::symbolic {

namespace {

constexpr const char* inertial_names[] = {"M",  "MX", "MY", "MZ", "XX",
                                          "YY", "ZZ", "XY", "XZ", "YZ"};
constexpr const char* inertial_units[] = {"kg",     "kg m",   "kg m",   "kg m",   "kg m^2",
                                          "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};

Expression state_symbol(Graph& graph, const std::string& array, int index) {
  return graph.symbol({fmt::format("{}{}", array, index + 1), SymbolKind::state, array, index});
}
std::vector<Expression> symbols(Graph& graph, const char* array, int count) {
  std::vector<Expression> out;
  for (int k = 0; k < count; ++k) out.push_back(state_symbol(graph, array, k));
  return out;
}

// Returns p without components that are rounding errors of a rotation of p.
Vec3<double> rounded_position(const Vec3<double>& p) {
  const double limit = 4 * std::numeric_limits<double>::epsilon() * norm(p);
  const auto rounded = [&](double x) { return std::abs(x) <= limit ? 0.0 : x; };
  return {rounded(p.x), rounded(p.y), rounded(p.z)};
}

SpatialInertia<Expression> inertia_of(const Expression* x) {
  return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
}

}  // namespace

double rounded_entry(double x) {
  const double nearest = std::round(x);
  return std::abs(x - nearest) <= 4 * std::numeric_limits<double>::epsilon() ? nearest : x;
}

Pose<Expression> constant_pose(const Pose<double>& X) {
  Pose<Expression> out;
  for (int k = 0; k < 9; ++k) out.R.m[k] = Expression(rounded_entry(X.R.m[k]));
  const Vec3<double> p = rounded_position(X.p);
  out.p = {Expression(p.x), Expression(p.y), Expression(p.z)};
  return out;
}

SpatialInertia<Expression> constant_inertia(const SpatialInertia<double>& M) {
  const std::array<double, n_inertial> numbers = inertial_numbers(M);
  Expression x[n_inertial];
  for (size_t k = 0; k < n_inertial; ++k) x[k] = Expression(numbers[k]);
  return inertia_of(x);
}

SymbolicModel::SymbolicModel(Graph& graph, std::shared_ptr<const Model> model,
                             const Vec3<double>& gravity_W, const SymbolChoice& choice)
    : graph_(graph),
      model_(std::move(model)),
      inertia_(size_t(model_->n_body)),
      armature_(size_t(model_->n_v)) {
  q = symbols(graph, "q", model_->n_q);
  v = symbols(graph, "v", model_->n_v);
  vdot = symbols(graph, "vdot", model_->n_v);
  tau = symbols(graph, "tau", model_->n_v);
  vddot = symbols(graph, "vddot", model_->n_v);
  vdddot = symbols(graph, "vdddot", model_->n_v);
  for (const Joint& joint : model_->joints)
    if (choice.springs && joint.spring)
      throw Error(
          fmt::format("joint '{}' is {} and has a spring, for which there are no formulae; remove "
                      "the option --with-springs, or the spring",
                      joint.name, traits(joint.kind).name));
  add_inertias(choice, gravity_W);
  add_poses(choice);
  add_world(choice, gravity_W);
  const bool symbolic = choice.inertias != Inertias::numeric;
  for (int k = 0; (choice.friction || choice.springs) && k < model_->n_v; ++k)
    joint_torques.push_back((choice.friction ? friction(k, choice) : Expression()) +
                            (choice.springs ? spring(k, symbolic) : Expression()));
  frames = choice.frames;
  for (size_t l = 0; choice.frames.empty() && l < model_->links.size(); ++l)
    if (const int frame = model_->links[l].frame; model_->frames[size_t(frame)].body != 0)
      frames.push_back(frame);
  static_cast<torsor_model&>(tree_) = model_->view();
  static_assert(sizeof(SpatialInertia<Expression>) == 10 * sizeof(Expression));
  tree_.inertia_B = reinterpret_cast<const Expression*>(inertia_.data());
  tree_.armature = armature_.data();
}

Expression SymbolicModel::parameter(const std::string& name, std::string_view unit, double value) {
  parameters_.push_back({name, std::string(unit), value});
  return graph_.symbol({name, SymbolKind::parameter, "", -1});
}

// The inertia about the origin, from mass m, centre of mass c, and inertia I_c about it:
//   I = I_c + m (|c|^2 1 - c c^T)
// A link without mass has no centre of mass.
SpatialInertia<Expression> SymbolicModel::central_inertia(const SpatialInertia<double>& M, int link,
                                                          bool omit_zeros) {
  const auto symbol = [&](const std::string& name, const char* unit, double value, double scale) {
    // a difference of nearly equal numbers is zero
    const bool zero = std::abs(value) <= 16 * std::numeric_limits<double>::epsilon() * scale;
    return omit_zeros && zero ? Expression() : parameter(name, unit, zero ? 0 : value);
  };
  const Vec3<double> c = M.m == 0 ? Vec3<double>{0, 0, 0} : 1 / M.m * M.h;
  const double largest = std::max({std::abs(M.I.xx), std::abs(M.I.yy), std::abs(M.I.zz)});
  const Sym3<double> steiner = point_inertia(c), &I = M.I;
  const auto central = [&](const char* axes, double about_origin, double unit_mass) {
    return symbol(fmt::format("I{}{}", link, axes), "kg m^2", about_origin - M.m * unit_mass,
                  largest);
  };
  const Expression m = symbol(fmt::format("m{}", link), "kg", M.m, 0);
  const auto coordinate = [&](char axis, double value) {
    return symbol(fmt::format("r{}{}", link, axis), "m", value, 0);
  };
  const Vec3<Expression> p{coordinate('x', c.x), coordinate('y', c.y), coordinate('z', c.z)};
  const Sym3<Expression> I_c{central("xx", I.xx, steiner.xx), central("yy", I.yy, steiner.yy),
                             central("zz", I.zz, steiner.zz), central("xy", I.xy, steiner.xy),
                             central("xz", I.xz, steiner.xz), central("yz", I.yz, steiner.yz)};
  return {m, m * p, I_c + m * point_inertia(p)};
}

// The inertia of a body is the sum of those of its links, in the frame of the body.
void SymbolicModel::add_inertias(const SymbolChoice& choice, const Vec3<double>& gravity_W) {
  const Model& model = *model_;
  if (choice.inertias == Inertias::numeric) {
    for (int i = 0; i < model.n_body; ++i) {
      inertia_[size_t(i)] = constant_inertia(model.inertia_B[size_t(i)]);
    }
    for (size_t k = 0; k < armature_.size(); ++k) armature_[k] = Expression(model.armature[k]);
    return;
  }
  std::map<std::string, double> kept;  // values of the base parameters by "link2.XX"
  const bool base = choice.inertias == Inertias::base;
  if (base) {
    if (!model.mimics.empty() || !model.transmissions.empty())
      throw Error(
          "base parameters of a robot with mimic joints or transmissions belong to its independent "
          "motors, not to each joint; choose the standard parameters");
    const BaseParameters parameters = base_parameters(model_, gravity_W);
    for (size_t k = 0; k < parameters.rank(); ++k)
      kept[parameters.standard[size_t(parameters.grouping.independent[k])].name] =
          parameters.values[k];
  }
  const auto symbol = [&](const std::string& standard, const std::string& name,
                          std::string_view unit, double value) {
    if (base) {
      const auto found = kept.find(standard);
      if (found == kept.end()) return Expression();
      value = found->second;
    }
    return choice.omit_zeros && value == 0 ? Expression() : parameter(name, unit, value);
  };
  for (size_t l = 0; l < model.links.size(); ++l) {
    const Link& link = model.links[l];
    const Frame& frame = model.frames[size_t(link.frame)];
    if (frame.body == 0) continue;
    const auto& M = link.inertia_L;
    const std::array<double, n_inertial> numbers = inertial_numbers(M);
    Expression x[10];
    SpatialInertia<Expression> M_L;
    const bool has_centre = M.m != 0 || dot(M.h, M.h) == 0;  // not if M is of base parameters
    if (choice.inertias == Inertias::central && has_centre) {
      M_L = central_inertia(M, int(l) + 1, choice.omit_zeros);
    } else {
      for (size_t k = 0; k < 10; ++k)
        x[k] = symbol(fmt::format("{}.{}", link.name, inertial_names[k]),
                      fmt::format("{}{}", inertial_names[k], l + 1), inertial_units[k], numbers[k]);
      M_L = inertia_of(x);
    }
    auto& body = inertia_[size_t(frame.body)];
    body = body + transform(constant_pose(frame.X_BF), M_L);
  }
  const std::vector<std::string> dof = model.dof_names();
  for (int k = 0; k < model.n_v; ++k) {
    const double value = model.armature[size_t(k)];
    if (value != 0)
      armature_[size_t(k)] = symbol(dof[size_t(k)] + ".Ia", fmt::format("IA{}", k + 1),
                                    model.dof(k).armature_unit(), value);
  }
}

Pose<Expression> SymbolicModel::parent_pose(int body, bool symbolic) {
  const Pose<double>& X = model_->X_PB0[size_t(body)];
  Pose<Expression> out = constant_pose(X);
  if (!symbolic) return out;
  for (int k = 0; k < 9; ++k)
    if (const double entry = rounded_entry(X.R.m[k]); entry != std::round(entry))
      out.R.m[k] = parameter(fmt::format("R{}_{}{}", body, k / 3 + 1, k % 3 + 1), "1", X.R.m[k]);
  const Vec3<double> position = rounded_position(X.p);
  const double p[] = {position.x, position.y, position.z};
  Expression* to[] = {&out.p.x, &out.p.y, &out.p.z};
  for (int k = 0; k < 3; ++k)
    if (p[k] != 0) *to[k] = parameter(fmt::format("p{}{}", body, "xyz"[k]), "m", p[k]);
  return out;
}

void SymbolicModel::add_poses(const SymbolChoice& choice) {
  const Model& model = *model_;
  X_PB.assign(size_t(model.n_body), Pose<Expression>::identity());
  for (int i = 1; i < model.n_body; ++i) {
    const Pose<Expression> X_0 = parent_pose(i, choice.symbolic_geometry);
    const double turn = model.turn[size_t(i)], pitch = model.pitch[size_t(i)];
    if (model.v_count[size_t(i)] != 1) {
      X_PB[size_t(i)] = X_0;
      continue;
    }
    const int index = model.q_index[size_t(i)];
    const Expression& x = q[size_t(index)];
    Expression sine(0.0), cosine(1.0);
    if (turn != 0 && choice.turns_given) {
      sine = state_symbol(graph_, "sine", index);
      cosine = state_symbol(graph_, "cosine", index);
    } else if (turn != 0) {
      const Expression angle = Expression(turn) * x;
      sine = sin(angle);
      cosine = cos(angle);
      names.emplace(sine.ref().node(), fmt::format("s{}", index + 1));
      names.emplace(cosine.ref().node(), fmt::format("c{}", index + 1));
    }
    X_PB[size_t(i)] = move_about_z(X_0, sine, cosine, Expression(pitch) * x);
  }
  for (const Joint& joint : model.joints) {
    if (!traits(joint.kind).maps) continue;
    auto& X = X_PB[size_t(joint.body)];
    X = choice.turns_given ? given_pose(joint.body)
                           : X * pose_of_maps(joint.kind, q.data() + joint.q_index);
  }
}

Pose<Expression> SymbolicModel::given_pose(int body) {
  const auto entry = [&](int k) { return state_symbol(graph_, "X", 12 * body + k); };
  Pose<Expression> X;
  for (int k = 0; k < 9; ++k) X.R.m[k] = entry(k);
  X.p = {entry(9), entry(10), entry(11)};
  return X;
}

void SymbolicModel::add_world(const SymbolChoice& choice, const Vec3<double>& gravity_W) {
  const auto vector = [&](const char* array, int first) {
    const auto at = [&](int k) { return state_symbol(graph_, array, first + k); };
    return Vec3<Expression>{at(0), at(1), at(2)};
  };
  if (choice.world == World::moving) {
    V_W = {vector("V_W", 0), vector("V_W", 3)};
    A_W = {vector("A_W", 0), vector("A_W", 3)};
  } else {
    const double size = norm(gravity_W);
    const bool symbolic = choice.symbolic_geometry && size > 0;
    const Expression g = symbolic ? parameter("g", "m/s^2", size) : Expression(1.0);
    const auto component = [&](int k, double x) {
      if (choice.world == World::given_gravity && x != 0) return state_symbol(graph_, "A_W", 3 + k);
      return symbolic ? Expression(-x / size) * g : Expression(-x);
    };
    A_W.v = {component(0, gravity_W.x), component(1, gravity_W.y), component(2, gravity_W.z)};
  }
  if (!choice.wrenches.empty()) {
    F_B.resize(size_t(model_->n_body));
    for (const int i : choice.wrenches)
      F_B[size_t(i)] = {vector("F_B", 6 * i), vector("F_B", 6 * i + 3)};
  }
}

// Returns Fv v + Fc sign(v).
// Equations: KHALIL 7.27.
Expression SymbolicModel::friction(int dof, const SymbolChoice& choice) {
  const auto [sum, dry, other_law] = model_->linear_friction(dof);
  if (other_law)
    throw Error(
        fmt::format("the friction '{}' of joint '{}' has no formula; only viscous and Coulomb "
                    "friction have one",
                    name(other_law->law), model_->joint_of_dof(dof).name));
  const auto coefficient = [&](const char* symbol, std::string_view unit, double value) {
    if (choice.inertias == Inertias::numeric) return Expression(value);
    return choice.omit_zeros && value == 0
               ? Expression()
               : parameter(fmt::format("{}{}", symbol, dof + 1), unit, value);
  };
  const JointDof& kind = model_->dof(dof);
  return coefficient("FV", kind.damping_unit(), sum) * v[size_t(dof)] +
         coefficient("FC", kind.tau_unit(), dry) * state_symbol(graph_, "sign_v", dof);
}

// Returns k (q - q_0).
Expression SymbolicModel::spring(int dof, bool symbolic) {
  const Spring& spring = model_->drives[size_t(dof)].spring;
  if (spring.stiffness == 0) return Expression();
  const Joint& joint = model_->joint_of_dof(dof);
  const JointDof& kind = model_->dof(dof);
  Expression stiffness(spring.stiffness), rest(spring.rest);
  if (symbolic) {
    stiffness =
        parameter(fmt::format("KS{}", dof + 1), kind.turns() ? "N m/rad" : "N/m", spring.stiffness);
    rest = parameter(fmt::format("QS{}", dof + 1), kind.turns() ? "rad" : "m", spring.rest);
  }
  return stiffness * (q[size_t(joint.q_index + kind.coordinate)] - rest);
}

}  // namespace torsor::symbolic
