#include "torsor/mechanics/brackets.hpp"

namespace torsor {

// The screws of a joint with several dof are unit axes. The coefficient c is therefore the
// component of the bracket along S_l.
std::vector<Bracket> brackets(const Model& model) {
  std::vector<Bracket> found;
  for (const auto& [body, kind] : model.mapped) {
    const int first = model.v_index[body], end = first + kind->n_v;
    for (int j = first; j < end; ++j)
      for (int k = first; k < end; ++k)
        for (int l = first; l < end; ++l) {
          const Twist<double> S = ad(model.S_B[j], model.S_B[k]);
          const double c = dot(S.w, model.S_B[l].w) + dot(S.v, model.S_B[l].v);
          if (c != 0) found.push_back({j, k, l, c});
        }
  }
  return found;
}

}  // namespace torsor
