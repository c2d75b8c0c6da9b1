#pragma once
// The equations of motion as a linear function of the numbers that identification estimates
// (KHALIL 9.3):
//   tau = M vdot + C v + g + Ia vdot + Fv v + Fc sign(v) = Y(q, v, vdot) pi
// pi holds of each link that moves, about its link frame's origin in its axes, M, MX MY MZ (M times
// the COM), XX YY ZZ XY XZ YZ, and of each column of a joint its rotor inertia Ia, viscous friction
// Fv and Coulomb friction Fc. The motors of a coupled transmission have Jm, Fvm and Fcm of their
// shafts. Links fixed in the world take no part. External wrenches and springs are no part of tau,
// nor, of a joint with an elastic drive, what is beyond its spring: there tau is the torque through
// it.

#include <string>
#include <vector>

#include "torsor/mechanics/regressor.hpp"

namespace torsor {

// Whose numbers are among the parameters: those of joints that have some that are not 0, of all
// joints that can have a motor, of none.
enum class Included { own, all, none };
struct ParameterChoice {
  Included rotor = Included::own, friction = Included::own;
};

struct DynamicParameter {
  enum class Kind { inertial, rotor, viscous, coulomb };
  std::string name;  // "link2.XX", "joint1.Ia", or "joint1.wx.Ia" of a joint of several columns
  std::string unit;
  double value;  // the model's own
  Kind kind;
  int link;  // of an inertial one, an index of Model::links; else -1
  // Of an inertial one, which number of SpatialInertia; of others the column of its joint.
  int entry;
};

class LinearModel {
 public:
  explicit LinearModel(std::shared_ptr<const Model> model, const ParameterChoice& choice = {});

  const Model& model() const { return *model_; }
  const std::vector<DynamicParameter>& parameters() const { return parameters_; }
  // What of the chosen friction is not linear in its parameters and so no part of Y pi, one line of
  // each joint: "joint 'hinge': the stribeck law beyond its Coulomb and viscous parts".
  const std::vector<std::string>& left_out() const { return left_out_; }

  // The columns whose torque a parameter of a joint enters: its own, or those of its transmission.
  const std::vector<int>& columns_of(size_t parameter) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.columns;
  }

  // The rate s = r . v that friction or a rotor of a joint's parameter has at v [n_v]: of the
  // joint, or of a motor of its transmission.
  double rate(size_t parameter, const double* v) const {
    return drives_[parameter - n_inertial * links_.size()].shaft.along(v);
  }
  // The largest |r . v| of rates v [n_v] that are each within their bound.
  double rate_bound(size_t parameter, std::span<const double> bound) const;

  // Y [n_v][parameters().size()] by rows at the q and v of the state under its gravity, at vdot
  // [n_v]. No allocation.
  void regressor(const State& state, const double* vdot, double* Y);

 private:
  // The part of what acts at joints that its parameter scales, along a row r of rates s = r . v:
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
  // The numbers of its body's inertia for each number of the link's: column p is in numbers
  // n_inertial p.
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
  std::vector<double> Y_B_;  // of bodies
};

}  // namespace torsor
