// The pendulum of pendulum.c, written with the C++ layer. prepare() stores the inertia of the body.
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/spatial/inertia.hpp"

namespace {

struct Hinge {
  static constexpr const char* id = "solver.pendulum";
  // The version of the compiler shows which compiler built the file.
  static constexpr const char* version = __VERSION__;
  static constexpr const char* summary = "closed form of one hinge, in C++";

  std::vector<torsor::SpatialInertia<double>> bodies;

  void prepare(const torsor_model& model, torsor_sizes&) {
    if (model.n_body != 2) throw torsor::sdk::unsupported("it is made for one body on one hinge");
    const double* i = model.inertia_B + 10;
    bodies.push_back({i[0], {i[1], i[2], i[3]}, {i[4], i[5], i[6], i[7], i[8], i[9]}});
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double*, double* tau) const {
    const auto& X_PB = reinterpret_cast<const torsor::Pose<double>*>(state.X_PB)[1];
    const torsor::Vec3<double> a_W{state.A_W[3], state.A_W[4], state.A_W[5]};
    tau[0] = (bodies[0].I.zz + model.armature[0]) * vdot[0] +
             cross(bodies[0].h, transpose_times(X_PB.R, a_W)).z;
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Hinge)
