#pragma once
// The equations of motion as a linear function of the parameters that identification estimates
// (KHALIL 9.3):
//   tau = M vdot + C v + g + Ia vdot + Fv v + Fc sign(v) = Y(q, v, vdot) pi
// The parameters pi are:
//   of each moving link, about its link frame's origin in its axes:
//     M, MX MY MZ (M times the COM), XX YY ZZ XY XZ YZ
//   of each dof: rotor inertia Ia, viscous friction Fv, Coulomb friction Fc
//   of each motor of a coupled transmission, at its shaft: Jm, Fvm, Fcm
// Links fixed in the world have no parameters. tau does not include external wrenches and springs.
// For a joint with an elastic drive, tau is the torque through the spring.

#include <string>
#include <vector>

#include "torsor/mechanics/regressor.hpp"

namespace torsor {

// The joints whose rotors or friction are among the parameters. own: those with values that are not
// 0. all: those that can have a motor. none: no joint.
enum class Included { own, all, none };
struct ParameterChoice {
  Included rotor = Included::own, friction = Included::own;
};

struct DynamicParameter {
  enum class Kind { inertial, rotor, viscous, coulomb };
  std::string name;  // "link2.XX", "joint1.Ia", or "joint1.wx.Ia" for several dof
  std::string unit;
  double value;  // that of the model
  Kind kind;
  int link;  // for an inertial parameter, an index of Model::links; otherwise -1
  // Index in SpatialInertia for an inertial parameter; otherwise the dof of its joint.
  int entry;
};

class LinearModel {
 public:
  explicit LinearModel(std::shared_ptr<const Model> model, const ParameterChoice& choice = {});

  const Model& model() const { return *model_; }
  const std::vector<DynamicParameter>& parameters() const { return parameters_; }
  // Returns the part of the chosen friction that is not linear in its parameters, and so not
  // included in Y pi, one line for each joint: "joint 'hinge': the stribeck law beyond its Coulomb
  // and viscous parts".
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Returns the dof whose torque a parameter of a joint affects: its own, or those of its
  // transmission.
  const std::vector<int>& columns_of(size_t parameter) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.columns;
  }

  // Returns the rate s = r . v at v [n_v] on which the friction or rotor of a joint's parameter
  // depends: that of the joint, or of a motor of its transmission.
  double rate(size_t parameter, const double* v) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.along(v);
  }
  // Returns the largest |r . v| for rates v [n_v] that are each within their bound.
  double rate_bound(size_t parameter, std::span<const double> bound) const;

  // Computes Y [n_v][parameters().size()], stored by rows, at q, v and gravity of the state and at
  // vdot [n_v]. No allocation.
  void regressor(const State& state, const double* vdot, double* Y);

 private:
  // The torque of a rotor or friction parameter of value 1. The row r gives the rate s = r . v of
  // the joint or motor:
  //   rotor r (r . vdot),  viscous r (r . v),  Coulomb r sign(r . v)
  struct Shaft {
    std::vector<int> columns;
    std::vector<double> factors;
    double along(const double* x) const;
  };
  struct DriveTerm {
    Shaft shaft;
    DynamicParameter::Kind kind;
  };
  // Maps the inertial parameters of a link to those of its body. Column p, for parameter p of the
  // link, begins at numbers[n_inertial p].
  struct LinkTerm {
    int body;
    std::vector<double> numbers;
  };

  void add_link(const Model& model, int link);
  void add_column(const Model& model, int column, const std::string& name,
                  const ParameterChoice& choice);
  void add_transmission(const Transmission& group, const ParameterChoice& choice,
                        const std::vector<std::string>& names);
  void add(DynamicParameter parameter, const Shaft& shaft, Included included);
  void add_left_out(const Friction& friction, const std::string& name, Included included);

  std::shared_ptr<const Model> model_;
  std::vector<DynamicParameter> parameters_;
  std::vector<LinkTerm> links_;
  std::vector<DriveTerm> drives_;
  std::vector<std::string> left_out_;
  std::vector<Twist<double>> scratch_;
  std::vector<double> Y_B_;  // regressor of the bodies
};

}  // namespace torsor
