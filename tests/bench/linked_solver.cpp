#include "bench/linked_solver.hpp"

#include "newton_euler/algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace torsor::bench {

struct LinkedSolver::Impl {
  std::vector<sdk::JointAxis> axes;
  std::vector<newton_euler::BodyMotion<double>> work;
};

LinkedSolver::LinkedSolver(const torsor_model& model)
    : impl_(std::make_unique<Impl>(Impl{sdk::joint_axes(model), {}})) {
  impl_->work.resize(size_t(model.n_body));
}
LinkedSolver::~LinkedSolver() = default;

void LinkedSolver::inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                           double* tau) const {
  newton_euler::inverse(model, impl_->axes.data(), sdk::poses(state), state.v, vdot,
                        sdk::world_twist(state), sdk::world_acceleration(state),
                        sdk::wrenches(state), impl_->work.data(), tau);
}

}  // namespace torsor::bench
