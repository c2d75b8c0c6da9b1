#include "torsor/simulation/mechanism/mass_matrix.hpp"

#include "torsor/sdk/composite_body.hpp"

namespace torsor {

MassMatrix::MassMatrix(const Model& model)
    : axes_(sdk::joint_axes(model.view())),
      subtrees_(model.view()),
      composite_(size_t(model.n_body)),
      momenta_(6 * size_t(model.n_v)) {}

void MassMatrix::evaluate(const State& state, double* M) {
  const composite_body::Wrenches<double> F(momenta_.data(), state.model().n_v);
  composite_body::nonzero_mass_matrix(state.model().view(), axes_.data(), subtrees_,
                                      state.X_PB().data(), composite_.data(), F, M);
}

}  // namespace torsor
