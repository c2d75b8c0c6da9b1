#pragma once
// The equations of motion as a linear function of the parameters that identification estimates
// (KHALIL 9.3):
//   tau = M vdot + C v + g + Ia vdot + Fv v + Fc sign(v) = Y(q, v, vdot) pi
// The parameters pi are, in this order:
// - for each moving link, about the origin of its link frame and in its axes: M, MX MY MZ (M times
//   the center of mass), XX YY ZZ XY XZ YZ
// - for each dof: rotor inertia Ia, viscous friction Fv, Coulomb friction Fc
// - for each motor of a coupled transmission, at its shaft: Jm, Fvm, Fcm
//
// Links that are fixed in the world have no parameters. tau does not include external wrenches and
// springs. For a joint with an elastic drive, tau is the torque of the spring.

#include <string>
#include <vector>

#include "torsor/batch/batch_regressor.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor {

// The joints whose rotor inertia or friction is among the parameters. own: joints with a value that
// is not 0. all: joints that can have a motor. none: no joint.
enum class Included { own, all, none };
struct ParameterChoice {
  Included rotor = Included::own, friction = Included::own;
};

struct DynamicParameter {
  enum class Kind { inertial, rotor, viscous, coulomb };
  std::string name;  // "link2.XX" or "joint1.Ia"; with several dof "joint1.wx.Ia"
  std::string unit;
  double value;  // value in the model
  Kind kind;
  int link;  // inertial parameter: index in Model::links; other: -1
  // Inertial parameter: index among the ten numbers of its link (M, MX .. YZ). Other parameter: the
  // dof.
  int entry;
};

class LinearModel {
 public:
  explicit LinearModel(std::shared_ptr<const Model> model, const ParameterChoice& choice = {});

  const Model& model() const { return *model_; }
  const std::vector<DynamicParameter>& parameters() const { return parameters_; }
  // Returns the friction that Y pi does not include because it is not linear in its parameters, one
  // line per joint: "joint 'hinge': the stribeck law beyond its Coulomb and viscous parts".
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Returns the dof on whose torque a friction or rotor parameter has an effect: the dof of the
  // joint, or those of the transmission.
  const std::vector<int>& columns_of(size_t parameter) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.columns;
  }

  // Returns the rate s = r . v on which a friction or rotor parameter depends, for v [n_v]. It is
  // the rate of a joint, or of a motor of a transmission.
  double rate(size_t parameter, const double* v) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.along(v);
  }
  // Returns the largest |r . v| for all v [n_v] with |v_k| <= bound_k.
  double rate_bound(size_t parameter, std::span<const double> bound) const;

  // Computes Y [n_v][parameters().size()], stored by rows. q, v and gravity are those of the state.
  // vdot is [n_v]. Does not allocate.
  void regressor(const State& state, const double* vdot, double* Y);
  // Computes Y [n_v][parameters().size()][stride] of all states of a batch, several at once. vdot
  // is [n_v][stride]. The result of a state depends neither on the other states nor on its place.
  // Does not allocate.
  void regressor(const StateBatch& states, const double* vdot, double* Y);

 private:
  // The row r (columns, factors) that defines the rate s = r . v of a joint or motor. The torque of
  // a parameter with value 1 is
  //   rotor: r (r . vdot),   viscous: r (r . v),   Coulomb: r sign(r . v)
  struct Shaft {
    std::vector<int> columns;
    std::vector<double> factors;
    // Returns r . x. stride: distance of the entries of x.
    double along(const double* x, size_t stride = 1) const;
  };
  struct DriveTerm {
    Shaft shaft;
    DynamicParameter::Kind kind;
  };

  void add_link(const Model& model, int link);
  void add_column(const Model& model, int column, const std::string& name,
                  const ParameterChoice& choice);
  void add_transmission(const Transmission& group, const ParameterChoice& choice,
                        const std::vector<std::string>& names);
  void add(DynamicParameter parameter, const Shaft& shaft, Included included);
  // Adds the columns of friction and rotors to Y [n_v][parameters][stride] of `count` states.
  void add_drives(const double* v, const double* vdot, size_t stride, size_t count,
                  double* Y) const;
  void add_left_out(const Friction& friction, const std::string& name, Included included);

  std::shared_ptr<const Model> model_;
  std::vector<DynamicParameter> parameters_;
  std::vector<InertialFrame> links_;  // frames of the links with parameters
  std::vector<DriveTerm> drives_;
  std::vector<std::string> left_out_;
  std::vector<Twist<double>> scratch_;
  std::optional<BatchRegressor> batch_;  // the columns of the links
};

}  // namespace torsor
