#include "editor/panels/dynamics/formula.hpp"

#include "torsor/base/error.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

const std::vector<symbolic::EntryFormula>& QuantityFormulae::of(const State& state,
                                                                Quantity quantity) {
  constexpr int max_dof = 6;
  constexpr size_t max_terms = 500;
  const Vec3<double> gravity_W = state.gravity_W();
  if (model_ == state.model_ptr() && quantity_ == quantity && norm(gravity_W - gravity_W_) == 0)
    return formulae_;
  model_ = state.model_ptr();
  gravity_W_ = gravity_W;
  quantity_ = quantity;
  formulae_.clear();
  if (model_->n_v > max_dof) return formulae_;
  symbolic::SymbolChoice symbols;
  symbols.inertias = symbolic::Inertias::central;
  symbols.omit_zeros = symbols.symbolic_geometry = true;
  try {
    formulae_ = symbolic::entry_formulae(model_, symbolic::formula_row(name(quantity)), symbols,
                                         gravity_W, max_terms);
  } catch (const Error&) {  // too long
  }
  return formulae_;
}

}  // namespace torsor::editor
