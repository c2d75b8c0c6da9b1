#pragma once
// The handle torsor_robot.

#include <memory>
#include <string>
#include <vector>

#include "torsor/capi/boundary.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/model.hpp"

struct torsor_robot {
  std::shared_ptr<const torsor::Model> model;
  std::shared_ptr<const torsor::Registry> plugins;
  std::shared_ptr<const torsor::Registry> found;  // plugins that the scripts of the model may use
  torsor::Vec3<double> gravity_W{0, 0, -9.81};
  std::string solver = "newton_euler";

  // Set by finish().
  std::vector<std::string> coordinate_names = {}, dof_names = {}, coordinate_units = {};
  std::vector<std::string> dof_units = {};
  std::string warnings = {};

  // Computes names and units. Call it once.
  void finish();
  size_t n_q() const { return size_t(model->n_q); }
  size_t n_v() const { return size_t(model->n_v); }
};

namespace torsor::capi {

// Completes the handle of a model. solver: name of a solver, or null for the usual one.
std::unique_ptr<torsor_robot> make_robot(torsor_robot robot, const char* solver);

}  // namespace torsor::capi
