#include "torsor/identification/linear_model.hpp"

#include "torsor/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace torsor {

namespace {

using Kind = DynamicParameter::Kind;

struct InertialName {
  const char *name, *unit;
};
constexpr InertialName inertial_names[n_inertial] = {
    {"M", "kg"},      {"MX", "kg m"},   {"MY", "kg m"},   {"MZ", "kg m"},   {"XX", "kg m^2"},
    {"YY", "kg m^2"}, {"ZZ", "kg m^2"}, {"XY", "kg m^2"}, {"XZ", "kg m^2"}, {"YZ", "kg m^2"}};

// Returns the armature of a dof without the contribution of the motors of transmissions.
double own_armature(const Model& model, int c) {
  const double all = model.armature[size_t(c)];
  double own = all;
  for (const Transmission& group : model.transmissions)
    for (size_t i = 0; i < group.dofs.size() && !group.law; ++i)
      if (group.dofs[i] == c) own -= group.armature(i, i);
  // Treats a value within the rounding error as 0.
  return own > 4 * std::numeric_limits<double>::epsilon() * all ? own : 0;
}

bool in_transmission(const Model& model, int column) {
  return std::any_of(
      model.transmissions.begin(), model.transmissions.end(), [&](const Transmission& group) {
        return std::find(group.dofs.begin(), group.dofs.end(), column) != group.dofs.end();
      });
}
Included possible(Included asked, bool it_is) {
  return asked == Included::all && !it_is ? Included::own : asked;
}

}  // namespace

double LinearModel::Shaft::along(const double* x, size_t stride) const {
  double sum = 0;
  for (size_t k = 0; k < columns.size(); ++k) sum += factors[k] * x[size_t(columns[k]) * stride];
  return sum;
}

LinearModel::LinearModel(std::shared_ptr<const Model> given, const ParameterChoice& choice)
    : model_(std::move(given)), scratch_(regressor_scratch(*model_)) {
  const Model& model = *model_;
  for (int k = 0; k < int(model.links.size()); ++k) add_link(model, k);
  const std::vector<std::string> names = model.dof_names();
  for (int c = 0; c < model.n_v; ++c) add_column(model, c, names[size_t(c)], choice);
  for (const Transmission& group : model.transmissions) add_transmission(group, choice, names);
  batch_.emplace(model_, links_, parameters_.size());
}

void LinearModel::add_link(const Model& model, int k) {
  const Link& link = model.links[size_t(k)];
  const Frame& frame = model.frames[size_t(link.frame)];
  if (frame.body == 0) return;
  const auto values = inertial_numbers(link.inertia_L);
  for (int p = 0; p < n_inertial; ++p)
    parameters_.push_back({fmt::format("{}.{}", link.name, inertial_names[p].name),
                           inertial_names[p].unit, values[size_t(p)], Kind::inertial, k, p});
  links_.push_back({frame.body, frame.X_BF});
}

// Adds the parameters of a joint's dof and of a motor that is rigidly connected to it. Inertia and
// friction of the motors of a transmission, or of a motor behind a spring, do not belong to this
// dof.
void LinearModel::add_column(const Model& model, int c, const std::string& name,
                             const ParameterChoice& choice) {
  const Drive& drive = model.drives[size_t(c)];
  const JointDof& column = model.dof(c);
  const bool alone = !in_transmission(model, c),
             actuated = traits(model.joint_of_dof(c).kind).actuated;
  const bool rigid = alone && model.is_driven_rigidly(c);
  const Included rotor = possible(choice.rotor,
                                  rigid && actuated && !drive.passive && !drive.motor.body),
                 friction = possible(choice.friction, actuated);
  double viscous = model.damping[size_t(c)] + drive.friction.viscous,
         coulomb = drive.friction.coulomb;
  add_left_out(drive.friction, name, friction);
  if (rigid) {
    viscous += drive.motor.friction.viscous;
    coulomb += drive.motor.friction.coulomb;
    add_left_out(drive.motor.friction, name, friction);
  }
  const Shaft shaft{{c}, {1}};
  const double armature = own_armature(model, c);
  add({name + ".Ia", std::string(column.armature_unit()), armature, Kind::rotor, -1, c}, shaft,
      rotor);
  add({name + ".Fv", std::string(column.damping_unit()), viscous, Kind::viscous, -1, c}, shaft,
      friction);
  add({name + ".Fc", std::string(column.tau_unit()), coulomb, Kind::coulomb, -1, c}, shaft,
      friction);
}

// The rate of motor m is row m of J_qm^-1 times the joint rates. Its torque acts on the joints
// through the transpose of this row (KHALIL 7.31-7.33).
void LinearModel::add_transmission(const Transmission& group, const ParameterChoice& choice,
                                   const std::vector<std::string>& names) {
  const size_t n = group.dofs.size();
  if (group.law)
    throw Error(
        fmt::format("joint '{}' has a transmission whose jacobian depends on q; "
                    "identification needs a constant jacobian",
                    names[size_t(group.dofs[0])]));
  for (size_t m = 0; m < n; ++m) {
    const Motor& motor = group.motors[m];
    const int c = group.dofs[m];
    const std::string& name = names[size_t(c)];
    const Shaft shaft{
        group.dofs,
        {group.inverse.begin() + ptrdiff_t(m * n), group.inverse.begin() + ptrdiff_t((m + 1) * n)}};
    add_left_out(motor.friction, name, choice.friction);
    add({name + ".Jm", "kg m^2", motor.rotor_inertia, Kind::rotor, -1, c}, shaft, choice.rotor);
    add({name + ".Fvm", "N m s/rad", motor.friction.viscous, Kind::viscous, -1, c}, shaft,
        choice.friction);
    add({name + ".Fcm", "N m", motor.friction.coulomb, Kind::coulomb, -1, c}, shaft,
        choice.friction);
  }
}

void LinearModel::add(DynamicParameter parameter, const Shaft& shaft, Included included) {
  if (included == Included::none || (included == Included::own && parameter.value == 0)) return;
  drives_.push_back({shaft, parameter.kind});
  parameters_.push_back(std::move(parameter));
}

void LinearModel::add_left_out(const Friction& friction, const std::string& joint,
                               Included included) {
  using Law = Friction::Law;
  if (included == Included::none || friction.law == Law::none || friction.law == Law::coulomb)
    return;
  left_out_.push_back(fmt::format("joint '{}': the {} law beyond its Coulomb and viscous parts",
                                  joint, name(friction.law)));
}

double LinearModel::rate_bound(size_t parameter, std::span<const double> bound) const {
  const Shaft& shaft = drives_[parameter - n_inertial * links_.size()].shaft;
  double sum = 0;
  for (size_t k = 0; k < shaft.columns.size(); ++k)
    sum += std::abs(shaft.factors[k]) * bound[size_t(shaft.columns[k])];
  return sum;
}

// Equations: KHALIL 7.28, 9.3.
void LinearModel::regressor(const State& state, const double* vdot, double* Y) {
  const size_t n = parameters_.size();
  std::fill_n(Y, state.v.size() * n, 0.0);
  RegressorKernel<double> kernel(*model_, scratch_);
  kernel.evaluate_motion(regressor_state(state, state.v.data(), vdot));
  for (size_t k = 0; k < links_.size(); ++k)
    kernel.write_columns(links_[k].body, *links_[k].X_BF, Y + n_inertial * k, n);
  add_drives(state.v.data(), vdot, 1, 1, Y);
}

void LinearModel::regressor(const StateBatch& states, const double* vdot, double* Y) {
  batch_->evaluate(states, vdot, Y);
  add_drives(states.v().data(), vdot, states.stride(), states.size(), Y);
}

void LinearModel::add_drives(const double* v, const double* vdot, size_t stride, size_t count,
                             double* Y) const {
  for (size_t k = 0; k < drives_.size(); ++k) {
    const auto& [shaft, kind] = drives_[k];
    const double* rates = kind == Kind::rotor ? vdot : v;
    double* column = Y + (n_inertial * links_.size() + k) * stride;
    for (size_t s = 0; s < count; ++s) {
      double force = shaft.along(rates + s, stride);
      if (kind == Kind::coulomb) force = double((force > 0) - (force < 0));
      for (size_t i = 0; i < shaft.columns.size(); ++i)
        column[size_t(shaft.columns[i]) * parameters_.size() * stride + s] +=
            shaft.factors[i] * force;
    }
  }
}

}  // namespace torsor
