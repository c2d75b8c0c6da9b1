#pragma once
// Models of MuJoCo that have the bodies, joints, closures and shapes of a model of Torsor.

#include <mujoco/mujoco.h>

#include <array>
#include <memory>
#include <vector>

#include "bench/peers/peer.hpp"

namespace torsor::bench {

struct DeleteMujoco {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
  void operator()(mjVFS* files) const {
    mj_deleteVFS(files);
    delete files;
  }
};
using ModelPointer = std::unique_ptr<mjModel, DeleteMujoco>;
using DataPointer = std::unique_ptr<mjData, DeleteMujoco>;

// A point that two bodies have in common: an equality constraint of MuJoCo. The first body is not
// the world.
struct Connection {
  int body_A, body_B;
  Vec3<double> p_A, p_B;  // in the frames of the bodies
};

// Returns the common points of the bodies of all closures: a revolute closure has two points of its
// axis, a spherical one has one. Throws Error for other closures.
std::vector<Connection> connections(const Model& model);

// Loads a robot whose joints are revolute or prismatic. Joint i of MuJoCo is the joint of body i.
ModelPointer load_tree(const Model& model);

// The methods of MuJoCo with which an experiment is simulated.
struct MujocoOptions {
  bool runge_kutta = false;
  bool elliptic = false;  // friction cones; false: pyramids
  // false: contacts have MuJoCo's default solref and solimp. true: they are as stiff as MuJoCo
  // recommends.
  bool stiff = false;
};
// Loads the mechanism of an experiment: its closures, shapes, and the springs, dampers, dry
// friction and stops of its joints. The joint named i is that of body i. Throws Error for
// everything that MuJoCo does not have.
ModelPointer load_mechanism(const Experiment& experiment, const MujocoOptions& options);

// Peer::start and Peer::contact_methods of MuJoCo.
std::unique_ptr<SteppedRun> start_mujoco(const Experiment& experiment, int order);
std::vector<ContactMethod> mujoco_contact_methods();
// Peer::rollouts of MuJoCo.
std::unique_ptr<Rollouts> make_mujoco_rollouts(const Experiment& experiment, double frequency);

}  // namespace torsor::bench
