#include "bench/operations/count.hpp"

#include "articulated_body/inverse_mass_matrix.hpp"
#include "articulated_body/responses.hpp"
#include "newton_euler/algorithm.hpp"
#include "newton_euler/partials.hpp"
#include "torsor/sdk/factor_pattern.hpp"

namespace torsor::bench {

namespace {

using Numbers = std::vector<Counted>;

// The tree as kernels see it (sdk::Tree), with inertias and armatures that are inputs.
struct CountedTree : torsor_model {
  const Counted *inertia_B, *armature;
};

// The inputs and the results of one kernel.
class Kernel {
 public:
  Kernel(const Model& model, const Latencies& latencies)
      : tally_{latencies}, n_body_(size_t(model.n_body)), n_v_(size_t(model.n_v)) {
    static_cast<torsor_model&>(tree) = model.view();
    // The world has no inertia.
    inertia_ = inputs(10 * (n_body_ - 1), model_numbers_);
    inertia_.insert(inertia_.begin(), 10, Counted());
    // Kernels have other formulae for joints without armature.
    armature_.resize(n_v_);
    for (size_t k = 0; k < n_v_; ++k)
      if (model.armature[k] != 0) armature_[k] = inputs(1, model_numbers_)[0];
    tree.inertia_B = inertia_.data();
    tree.armature = armature_.data();
    axes = sdk::joint_axes(tree);
    X_PB.resize(n_body_);
    for (size_t i = 1; i < n_body_; ++i) {
      for (Counted& entry : X_PB[i].R.m) entry = input();
      X_PB[i].p = {input(), input(), input()};
    }
  }
  Kernel(const Kernel&) = delete;

  // Adds an array [n_v] of inputs: v, vdot or tau.
  Numbers dof_inputs() { return inputs(n_v_, state_numbers_); }
  // Adds the motion of the world as inputs.
  void add_world() {
    for (Twist<Counted>* V : {&V_W, &A_W})
      *V = {{input(), input(), input()}, {input(), input(), input()}};
  }
  size_t bodies() const { return n_body_; }
  size_t dof() const { return n_v_; }

  Operations operations(Work work, const char* solver, size_t result_numbers) const {
    return {work,           solver,      tally_.products, tally_.sums,    tally_.divisions,
            tally_.fusable, tally_.path, model_numbers_,  state_numbers_, result_numbers};
  }

  CountedTree tree{};
  std::vector<sdk::JointAxis> axes;
  std::vector<Pose<Counted>> X_PB;
  Twist<Counted> V_W{}, A_W{};

 private:
  Counted input() {
    ++state_numbers_;
    return Counted(tally_);
  }
  Numbers inputs(size_t n, size_t& counter) {
    counter += n;
    return Numbers(n, Counted(tally_));
  }

  Tally tally_;
  size_t model_numbers_ = 0, state_numbers_ = 0, n_body_, n_v_;
  Numbers inertia_, armature_;
};

constexpr const Wrench<Counted>* no_wrenches = nullptr;

// Each function evaluates one kernel. It returns the number of results.

size_t count_inverse(Kernel& k) {
  const Numbers v = k.dof_inputs(), vdot = k.dof_inputs();
  k.add_world();
  std::vector<newton_euler::BodyMotion<Counted>> body(k.bodies());
  Numbers tau(k.dof());
  newton_euler::inverse(k.tree, k.axes.data(), k.X_PB.data(), v.data(), vdot.data(), k.V_W, k.A_W,
                        no_wrenches, body.data(), tau.data());
  return tau.size();
}

size_t count_forward(Kernel& k) {
  const Numbers v = k.dof_inputs(), tau = k.dof_inputs();
  k.add_world();
  std::vector<articulated_body::ArticulatedBody<Counted>> body(k.bodies());
  std::vector<articulated_body::Column<Counted>> column(k.dof());
  Numbers vdot(k.dof());
  articulated_body::forward(k.tree, k.axes.data(), k.X_PB.data(), v.data(), tau.data(), k.V_W,
                            k.A_W, no_wrenches, body.data(), column.data(), vdot.data());
  return vdot.size();
}

size_t count_mass_matrix(Kernel& k) {
  const int n = int(k.dof());
  std::vector<SpatialInertia<Counted>> composite(k.bodies());
  Numbers work(6 * k.dof()), M(k.dof() * k.dof());
  newton_euler::mass_matrix(k.tree, k.axes.data(), sdk::Subtrees(k.tree), k.X_PB.data(),
                            composite.data(), newton_euler::Wrenches<Counted>(work.data(), n),
                            M.data());
  return M.size();
}

size_t count_responses(Kernel& k, const articulated_body::ResponseOrder& order) {
  using Work = articulated_body::ResponseWork<Counted>;
  std::vector<Counted> work(Work::bytes(k.tree, order) / sizeof(Counted) + 1);
  Numbers Minv(k.dof() * k.dof());
  articulated_body::response_inverse(k.tree, k.axes.data(), order, k.X_PB.data(),
                                     Work(work.data(), k.tree, order), Minv.data());
  return Minv.size();
}

// Evaluates the kernel of one state. Batches always use the responses.
size_t count_inverse_mass_matrix(Kernel& k) {
  const articulated_body::ResponseOrder order(k.tree);
  if (order.has_long_paths()) return count_responses(k, order);
  const sdk::Subtrees subtrees(k.tree);
  const sdk::FactorPattern pattern(k.tree, lanes<Counted>);
  using Work = articulated_body::InverseWork<Counted>;
  Numbers Minv(k.dof() * k.dof()), y(Work::y_size(pattern)), numbers(Work::numbers(pattern));
  std::vector<articulated_body::ArticulatedInertia<Counted>> P(k.bodies());
  articulated_body::inverse_mass_matrix(k.tree, k.axes.data(), subtrees, pattern, k.X_PB.data(),
                                        Work(y.data(), numbers.data(), P.data(), pattern),
                                        Minv.data());
  return Minv.size();
}

size_t count_coriolis_matrix(Kernel& k) {
  const Numbers v = k.dof_inputs();
  std::vector<newton_euler::AlignedBody<Counted>> body(k.bodies());
  std::vector<newton_euler::MovingBody<Counted>> moving(k.bodies());
  std::vector<Twist<Counted>> S(k.dof()), Sd(k.dof());
  Numbers C(k.dof() * k.dof());
  newton_euler::coriolis_matrix(k.tree, k.X_PB.data(), v.data(), body.data(), moving.data(),
                                S.data(), Sd.data(), C.data());
  return C.size();
}

size_t count_inverse_partials(Kernel& k) {
  const Numbers v = k.dof_inputs(), vdot = k.dof_inputs();
  k.add_world();
  const newton_euler::PartialsTables<Counted> tables(k.tree);
  std::vector<newton_euler::PartialsGroup<Counted>> group(size_t(tables.n_groups()));
  Numbers dq(k.dof() * k.dof()), dv(dq.size());
  newton_euler::inverse_partials(k.tree, tables, k.X_PB.data(), v.data(), vdot.data(), k.V_W, k.A_W,
                                 no_wrenches, group.data(), dq.data(), dv.data());
  return dq.size() + dv.size();
}

constexpr struct {
  Work work;
  const char* solver;
  size_t (*run)(Kernel&);
} kernels[] = {
    {Work::inverse, "newton_euler", count_inverse},
    {Work::forward, "articulated_body", count_forward},
    {Work::mass_matrix, "newton_euler", count_mass_matrix},
    {Work::inverse_mass_matrix, "articulated_body", count_inverse_mass_matrix},
    {Work::coriolis_matrix, "newton_euler", count_coriolis_matrix},
    {Work::inverse_partials, "newton_euler", count_inverse_partials},
};

}  // namespace

std::vector<Work> counted_works() {
  std::vector<Work> out;
  for (const auto& kernel : kernels) out.push_back(kernel.work);
  return out;
}

std::vector<Operations> count_operations(const Model& model, const Latencies& latencies) {
  std::vector<Operations> out;
  for (const auto& [work, solver, run] : kernels) {
    Kernel kernel(model, latencies);
    const size_t results = run(kernel);
    out.push_back(kernel.operations(work, solver, results));
  }
  return out;
}

// An instruction computes a product, a sum, or both if the product is a term of the sum. A product
// in several sums is computed in each of them, or by an instruction of its own. At least
//   products + sums - fusable
// instructions are therefore needed, and at least as many as there are products or sums. The
// numbers of the model are the same for all states of a batch, so their loads are not part of the
// bound.
Bounds bounds(const Operations& operations, const Machine& machine) {
  const long long instructions =
      std::max({operations.products, operations.sums,
                operations.products + operations.sums - operations.fusable});
  const double arithmetic = double(instructions) / machine.multiply_adds +
                            double(operations.divisions) / machine.divisions;
  return {operations.path, std::max({arithmetic, double(operations.state_numbers) / machine.loads,
                                     double(operations.result_numbers) / machine.stores})};
}

}  // namespace torsor::bench
