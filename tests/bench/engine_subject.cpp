#include "bench/engine_subject.hpp"

#include <algorithm>

#include "torsor/constraints/inverse_inertia.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor::bench {

namespace {

// The Delassus matrix of the coordinates of points in the world.
class PointDelassus {
 public:
  PointDelassus(const Model& model, std::vector<int> bodies)
      : bodies_(std::move(bodies)),
        rows_(3 * bodies_.size()),
        M_(size_t(model.n_v) * size_t(model.n_v)),
        inverse_(model, {}, {}, {}) {
    for (torsor::Row& row : rows_) constraints_.push_back({.row = &row, .varies = true});
  }

  // The point is the origin of a body, at p in the world. The column of a dof is w x p + v.
  Status evaluate(Solver& solver, const State& state, std::span<const Pose<double>> X_WB,
                  std::span<const Twist<double>> S_W) {
    if (const Status status = solver.mass_matrix(state, M_.data()); !status) return status;
    (void)inverse_.factor(M_.data());
    const Model& model = state.model();
    for (size_t b = 0; b < bodies_.size(); ++b) {
      torsor::Row* row = &rows_[3 * b];
      for (int axis = 0; axis < 3; ++axis) row[axis].clear();
      const Vec3<double>& p = X_WB[size_t(bodies_[b])].p;
      for (int i = bodies_[b]; i > 0; i = model.parent[i])
        for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
          const Vec3<double> column = cross(S_W[size_t(k)].w, p) + S_W[size_t(k)].v;
          row[0].push_back({k, column.x});
          row[1].push_back({k, column.y});
          row[2].push_back({k, column.z});
        }
    }
    delassus_.evaluate(inverse_, size_t(model.n_v), constraints_);
    return {};
  }

  const Eigen::MatrixXd& G() const { return delassus_.G; }

 private:
  std::vector<int> bodies_;
  std::vector<torsor::Row> rows_;
  std::vector<ConstraintRow> constraints_;
  std::vector<double> M_;
  InverseInertia inverse_;
  Delassus delassus_;
};

class EngineSubject : public Subject {
 public:
  EngineSubject(Solver solver, std::shared_ptr<const Model> model, std::span<const Sample> samples)
      : solver_(std::move(solver)),
        state_(model),
        samples_(samples),
        X_WB_(size_t(model->n_body)),
        S_W_(size_t(model->n_v)),
        Sdot_W_(S_W_),
        V_W_(X_WB_.size()),
        motions_(X_WB_.size()),
        wrenches_(X_WB_.size()),
        J_(6, model->n_v),
        Y_(size_t(n_inertial) * X_WB_.size() * S_W_.size()),
        scratch_(regressor_scratch(*model)),
        centroidal_scratch_(*model),
        delassus_(*model, leaves(*model)) {
    const int last = model->n_body - 1;
    frame_ = {"", last, Pose<double>::identity()};
  }

  std::string lacks(Work work) const override { return is_of_engine(work) ? "" : "a solver's"; }

  bool evaluate(Work work, size_t k) override {
    const Sample& s = samples_[k];
    state_.set_q(s.q);
    std::ranges::copy(s.v, state_.v.begin());
    switch (work) {
      case Work::kinematics:
        (void)state_.X_PB();
        break;
      case Work::world_poses:
        world_poses(state_, X_WB_);
        break;
      case Work::frame_jacobian:
        frame_jacobian(state_, frame_, Axes::world, J_);
        break;
      case Work::joint_jacobians:
        joint_screws(state_, X_WB_, S_W_);
        break;
      case Work::jacobian_rates:
        joint_screws(state_, X_WB_, S_W_);
        joint_screw_rates(state_, S_W_, V_W_, Sdot_W_);
        break;
      case Work::centroidal:
        centroidal(state_, centroidal_scratch_, centroidal_);
        break;
      case Work::joint_wrenches:
        joint_wrenches(state_, s.vdot, state_.F_B(), motions_, wrenches_);
        break;
      case Work::torque_regressor:
        regressor(state_, s.v.data(), s.vdot.data(), scratch_, Y_.data());
        break;
      case Work::energies:
        energies_[0] = kinetic_energy(state_, V_W_);
        energies_[1] = potential_energy(state_, X_WB_);
        break;
      default:
        joint_screws(state_, X_WB_, S_W_);
        status_ = delassus_.evaluate(solver_, state_, X_WB_, S_W_);
    }
    return bool(status_);
  }

  std::string failure() const override { return solver_.explain(status_); }

  void result(Work work, double* out) override {
    const size_t size = result_size(work, state_.model()), bodies = X_WB_.size() - 1;
    switch (work) {
      case Work::kinematics:
        return;
      case Work::world_poses:
        return copy(X_WB_.data() + 1, size, out);
      case Work::frame_jacobian:
        return copy(J_.data(), size, out);
      case Work::joint_jacobians:
        return copy(S_W_.data(), size, out);
      case Work::jacobian_rates:
        return copy(Sdot_W_.data(), size, out);
      case Work::centroidal:
        out = std::copy_n(centroidal_.A.data(), centroidal_.A.size(), out);
        out = std::copy_n(centroidal_.A_dot.data(), centroidal_.A_dot.size(), out);
        return copy(&centroidal_.momentum, 6, out);
      case Work::joint_wrenches:
        return copy(wrenches_.data() + 1, size, out);
      case Work::torque_regressor:
        for (size_t i = 0; i < S_W_.size(); ++i)
          out = std::copy_n(&Y_[n_inertial * ((bodies + 1) * i + 1)], n_inertial * bodies, out);
        return;
      case Work::energies:
        std::ranges::copy(energies_, out);
        return;
      default:
        std::copy_n(delassus_.G().data(), size, out);
    }
  }

 private:
  // Copies `size` numbers of structs of numbers.
  static void copy(const auto* from, size_t size, double* out) {
    std::copy_n(reinterpret_cast<const double*>(from), size, out);
  }

  Solver solver_;
  State state_;
  std::span<const Sample> samples_;
  Frame frame_;
  std::vector<Pose<double>> X_WB_;                 // [n_body]
  std::vector<Twist<double>> S_W_, Sdot_W_, V_W_;  // [n_v], [n_v], [n_body]
  std::vector<BodyMotion> motions_;                // [n_body]
  std::vector<Wrench<double>> wrenches_;           // [n_body]
  Eigen::MatrixXd J_;                              // [6 x n_v]
  Centroidal centroidal_;
  std::vector<double> Y_;
  std::vector<Twist<double>> scratch_;
  CentroidalScratch centroidal_scratch_;
  std::array<double, 2> energies_{};
  PointDelassus delassus_;
  Status status_;
};

}  // namespace

std::unique_ptr<Subject> engine_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples) {
  return std::make_unique<EngineSubject>(std::move(solver), std::move(model), samples);
}

}  // namespace torsor::bench
