#pragma once
// A model and its state whose numbers are expressions: what kernels need to return formulae.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/symbolic/program.hpp"

namespace torsor::symbolic {

enum class Inertias {
  numeric,   // the numbers of the model
  standard,  // a symbol for each parameter of each link, about the origin of its frame
  central,   // mass, centre of mass, and inertia about the centre of mass, of each link
  base       // a symbol for each base parameter (KHALIL 7.5.3); the other parameters are zero
};

// The motion of the world frame and gravity, which is part of its acceleration A_W.
enum class World {
  constant,       // at rest, with constant gravity
  given_gravity,  // at rest; the components of gravity that are not zero are symbols
  moving          // all components of V_W and A_W are symbols
};

struct SymbolChoice {
  // true: a symbol for gravity, for each length, and for each entry of a rotation that is not 0, 1
  // or -1
  bool symbolic_geometry = false;
  Inertias inertias = Inertias::numeric;
  bool omit_zeros = false;  // true: parameters that are 0 in the model have no symbol
  World world = World::constant;
  std::vector<int> wrenches;  // bodies on which an external wrench acts, six symbols each
  bool friction = false;      // Fv v + Fc sign(v) of each joint
  bool springs = false;       // k (q - q_0) of each joint with a spring
  // Indices in Model::frames of the frames of poses and Jacobians. Empty: the frames of all links
  // that move.
  std::vector<int> frames;
  // true: the sines and cosines of the joint angles [n_q] are symbols, and so is X_PB of joints
  // with several dof (torsor_state::X_PB). false: they are functions of q.
  bool turns_given = false;
};

// A symbol for a number of the model.
struct Parameter {
  std::string name, unit;
  double value;
};

class SymbolicModel {
 public:
  // Throws Error if the base parameters are requested and not clear (base_parameters()), or if
  // springs are requested and a spherical or floating joint has one.
  SymbolicModel(Graph& graph, std::shared_ptr<const Model> model, const Vec3<double>& gravity_W,
                const SymbolChoice& choice);
  SymbolicModel(const SymbolicModel&) = delete;
  SymbolicModel& operator=(const SymbolicModel&) = delete;

  // The tree as kernels see it (sdk::Tree). The arrays of inertias and armatures contain
  // expressions.
  struct Tree : torsor_model {
    const Expression *inertia_B, *armature;
  };
  const Tree& tree() const { return tree_; }
  const Model& model() const { return *model_; }
  Graph& graph() const { return graph_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // Symbols of the state: q [n_q]; v, vdot and tau [n_v].
  std::vector<Expression> q, v, vdot, tau;
  std::vector<Expression> vddot, vdddot;  // the derivatives of vdot
  std::vector<Pose<Expression>> X_PB;     // [n_body]
  Twist<Expression> V_W, A_W;
  std::vector<Wrench<Expression>> F_B;  // [n_body], or empty without wrenches
  NodeNames names;                      // of the sines and cosines of joint angles: s1, c1
  // [n_v] torques that friction and springs require of the motors, or empty without both
  std::vector<Expression> joint_torques;
  std::vector<int> frames;  // of poses and Jacobians, see SymbolChoice

 private:
  Expression parameter(const std::string& name, std::string_view unit, double value);
  SpatialInertia<Expression> central_inertia(const SpatialInertia<double>& M, int link,
                                             bool omit_zeros);
  void add_inertias(const SymbolChoice& choice, const Vec3<double>& gravity_W);
  void add_poses(const SymbolChoice& choice);
  Pose<Expression> parent_pose(int body, bool symbolic);
  Pose<Expression> given_pose(int body);
  void add_world(const SymbolChoice& choice, const Vec3<double>& gravity_W);
  Expression friction(int dof, const SymbolChoice& choice);
  Expression spring(int dof, bool symbolic);

  Graph& graph_;
  std::shared_ptr<const Model> model_;
  std::vector<Parameter> parameters_;
  std::vector<SpatialInertia<Expression>> inertia_;
  std::vector<Expression> armature_;
  Tree tree_;
};

// Returns x, or the integer next to it if both differ only by rounding: a rotation by pi/2 has
// entries such as 6e-17. The limit is 4 eps, because a rotation is a product of few rotations whose
// entries have errors of one eps each.
double rounded_entry(double x);
// Returns a pose without such rounding errors.
Pose<Expression> constant_pose(const Pose<double>& X);
SpatialInertia<Expression> constant_inertia(const SpatialInertia<double>& M);

}  // namespace torsor::symbolic
