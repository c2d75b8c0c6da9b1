#pragma once
// The inverse of the mass matrix from the responses of the tree to unit torques, templated on the
// scalar. They take 36 fused operations for each pair of dof of a tree. The product of triangular
// factors in inverse_mass_matrix.hpp takes two for each dof on the path of each pair. The factors
// are faster for one state of a robot with short paths, because their vectors have no remainders.
//
// The inward pass of algorithm.hpp computes U_k and d_k of each dof. All S_k and U_k are rotated to
// the axes of the world. They stay about the origin of their own body. The unit torque at dof j
// then causes a bias b_j, which starts at 0 and moves towards the world, and an acceleration A_j,
// which starts at 0 and moves outwards (KHALIL 7.73, 7.77):
//
//   inwards, k on the path of j:   u_kj = delta_kj - S_k . b_j,   b_j <- b_j + U_k u_kj / d_k
//   outwards:                      y_kj = (u_kj - U_k . A_j) / d_k,   A_j <- A_j + S_k y_kj
//
// Between two bodies, b_j and A_j move to the origin of the next body. y is M^-1. It is symmetric,
// so that a dof k needs only itself and the dof j that follow it in the order of the subtrees. They
// are adjacent, and each dof is a loop over vectors.

#include "algorithm.hpp"
#include "torsor/sdk/composite_body.hpp"

namespace torsor::articulated_body {

using composite_body::Wrenches;

// An order of the dof in which each subtree is one contiguous range, and its largest part the last
// one. Construct it in prepare().
class ResponseOrder {
 public:
  struct Place {
    int dof, body;
    bool is_first_of_body;
    int parent;       // place of the next dof towards the world, or -1
    int subtree_end;  // end of the places of the subtree of its body
    int tree_end;     // end of the places of its tree
    // Number of the array with the A_j of its body. The child with the largest subtree takes over
    // the array of its parent, so that there are at most log2(n_v) + 1 arrays.
    int array;
  };
  ResponseOrder() = default;
  explicit ResponseOrder(const torsor_model& model) : places_(size_t(model.n_v)) {
    const std::vector<int> size = subtree_sizes(model), largest = largest_children(model, size);
    std::vector<int> begin(size_t(model.n_body), 0);  // first place of the subtree of each body
    std::vector<int> next(size_t(model.n_body), 0);   // first place that is left for its children
    std::vector<int> last(size_t(model.n_body), -1);  // last place on the path of each body
    double sum_of_paths = 0;
    std::vector<int> length(size_t(model.n_v), 1);
    for (int i = 1; i < model.n_body; ++i) {
      const int p = model.parent[i], count = model.v_count[i];
      begin[i] = largest[p] == i ? begin[p] + size[p] - size[i] : next[p];
      if (largest[p] != i) next[p] += size[i];
      next[i] = begin[i] + count;
      last[i] = last[p];
      for (int k = 0; k < count; ++k) {
        const int place = begin[i] + k, parent = last[i], end = begin[i] + size[i];
        Place& at = places_[place];
        at = {model.v_index[i] + k, i, k == 0, parent, end, end, 0};
        in_order_ = in_order_ && at.dof == place;
        if (parent >= 0) {
          at.tree_end = places_[parent].tree_end;
          at.array =
              places_[parent].array + (at.subtree_end == places_[parent].subtree_end ? 0 : 1);
          length[place] = length[parent] + 1;
        }
        n_arrays_ = std::max(n_arrays_, at.array + 1);
        sum_of_paths += length[place];
        last[i] = place;
      }
    }
    mean_path_ = sum_of_paths / std::max(1, model.n_v);
  }

  int size() const { return int(places_.size()); }
  const Place& operator[](int place) const { return places_[place]; }
  int n_arrays() const { return n_arrays_; }
  // Returns whether each dof is at the place of its number.
  bool in_order() const { return in_order_; }
  // Returns whether responses are faster than factors for one state. Measured: both are equally
  // fast for a chain of 31 dof, whose mean path has 16.
  bool has_long_paths() const { return mean_path_ > 16; }

 private:
  // Return the number of dof of the subtree of each body, and the child of each body with the
  // largest subtree.
  static std::vector<int> subtree_sizes(const torsor_model& model) {
    std::vector<int> size(model.v_count, model.v_count + model.n_body);
    for (int i = model.n_body - 1; i > 0; --i) size[model.parent[i]] += size[i];
    return size;
  }
  static std::vector<int> largest_children(const torsor_model& model,
                                           const std::vector<int>& size) {
    std::vector<int> out(size_t(model.n_body), 0);
    for (int i = 1; i < model.n_body; ++i) {
      int& child = out[model.parent[i]];
      if (child == 0 || size[i] >= size[child]) child = i;
    }
    return out;
  }

  std::vector<Place> places_;
  int n_arrays_ = 1;
  bool in_order_ = true;
  double mean_path_ = 0;  // mean number of dof on the path from a dof to the world
};

// The work of response_inverse(): placements and P [n_body]; S, U, d and d_inverse [n_v]; wrenches
// b [n_v] and A [n_arrays][n_v] of the responses; and y [n_v][n_v] if the dof are not in order.
template <class T>
struct ResponseWork {
  // The rotation of the body in the world, and the vector in the axes of the world to its origin
  // from that of the next body with dof towards the world.
  struct Placement {
    Mat3<T> R_WB;
    Vec3<T> r;
  };
  Placement* body;
  ArticulatedInertia<T>* P;
  Twist<T>* S;
  Wrench<T>* U;
  T *d, *d_inverse, *b, *A, *y;

  ResponseWork(void* work, const torsor_model& model, const ResponseOrder& order)
      : body(static_cast<Placement*>(work)),
        P(reinterpret_cast<ArticulatedInertia<T>*>(body + model.n_body)),
        S(reinterpret_cast<Twist<T>*>(P + model.n_body)),
        U(reinterpret_cast<Wrench<T>*>(S + model.n_v)),
        d(reinterpret_cast<T*>(U + model.n_v)),
        d_inverse(d + model.n_v),
        b(d_inverse + model.n_v),
        A(b + 6 * model.n_v),
        y(A + size_t(6 * order.n_arrays()) * size_t(model.n_v)) {}
  static size_t bytes(const torsor_model& model, const ResponseOrder& order) {
    const size_t n = size_t(model.n_v), bodies = size_t(model.n_body);
    return bodies * (sizeof(Placement) + sizeof(ArticulatedInertia<T>)) +
           n * (sizeof(Twist<T>) + sizeof(Wrench<T>) +
                (8 + 6 * size_t(order.n_arrays())) * sizeof(T)) +
           (order.in_order() ? 0 : n * n * sizeof(T));
  }
};

// Computes y_j = -S . b_j / d, adds U y_j to b_j, and moves b_j to an origin at -r, for `count`
// responses. gcc 12 vectorises these loops as composite_body::transform_all().
template <class T>
[[gnu::noinline]] void respond_inward(const Twist<T>& S, const Wrench<T>& U, const T& d_inverse,
                                      const Vec3<T>& r, int count, T* __restrict nx,
                                      T* __restrict ny, T* __restrict nz, T* __restrict fx,
                                      T* __restrict fy, T* __restrict fz, T* __restrict y) {
  const T a = S.w.x, b = S.w.y, c = S.w.z, d = S.v.x, e = S.v.y, f = S.v.z, g = U.n.x, h = U.n.y,
          i = U.n.z, k = U.f.x, l = U.f.y, m = U.f.z, s = -d_inverse, rx = r.x, ry = r.y, rz = r.z;
  for (int j = 0; j < count; ++j) {
    const T u = s * (a * nx[j] + b * ny[j] + c * nz[j] + d * fx[j] + e * fy[j] + f * fz[j]);
    const T Fx = fx[j] + k * u, Fy = fy[j] + l * u, Fz = fz[j] + m * u;
    y[j] = u;
    fx[j] = Fx;
    fy[j] = Fy;
    fz[j] = Fz;
    nx[j] = nx[j] + g * u + (ry * Fz - rz * Fy);
    ny[j] = ny[j] + h * u + (rz * Fx - rx * Fz);
    nz[j] = nz[j] + i * u + (rx * Fy - ry * Fx);
  }
}
// Moves A_j to an origin at r, subtracts U . A_j / d from y_j, and writes A_j + S y_j to `to`, for
// `count` responses. from and to: the six arrays of A, `stride` apart; they may be the same.
template <class T>
[[gnu::noinline]] void respond_outward(const Twist<T>& S, const Wrench<T>& U, const T& d_inverse,
                                       const Vec3<T>& r, int count, const T* from, T* to,
                                       int stride, T* __restrict y) {
  const T a = S.w.x, b = S.w.y, c = S.w.z, d = S.v.x, e = S.v.y, f = S.v.z, g = U.n.x, h = U.n.y,
          i = U.n.z, k = U.f.x, l = U.f.y, m = U.f.z, rx = r.x, ry = r.y, rz = r.z;
#pragma GCC ivdep
  for (int j = 0; j < count; ++j) {
    const T wx = from[j], wy = from[j + stride], wz = from[j + 2 * stride],
            vx = from[j + 3 * stride] + (wy * rz - wz * ry),
            vy = from[j + 4 * stride] + (wz * rx - wx * rz),
            vz = from[j + 5 * stride] + (wx * ry - wy * rx);
    const T u = y[j] - d_inverse * (g * wx + h * wy + i * wz + k * vx + l * vy + m * vz);
    y[j] = u;
    to[j] = wx + a * u;
    to[j + stride] = wy + b * u;
    to[j + 2 * stride] = wz + c * u;
    to[j + 3 * stride] = vx + d * u;
    to[j + 4 * stride] = vy + e * u;
    to[j + 5 * stride] = vz + f * u;
  }
}

// Eliminates all dof. Sets the placements, d, and S and U in the axes of the world.
template <class T>
void eliminate_all(const sdk::Tree auto& model, const JointAxis* axes, const Pose<T>* X_PB,
                   const ResponseWork<T>& at) {
  for (int i = 1; i < model.n_body; ++i) {
    const int p = model.parent[i];
    at.P[i] = rigid(inertia<T>(model, i));
    if (p == 0) {
      at.body[i] = {X_PB[i].R, {T(0), T(0), T(0)}};
    } else {
      at.body[i] = {at.body[p].R_WB * X_PB[i].R, at.body[p].R_WB * X_PB[i].p};
      if (model.v_count[p] == 0) at.body[i].r = at.body[p].r + at.body[i].r;
    }
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    ArticulatedInertia<T>& P = at.P[i];
    const Mat3<T>& R = at.body[i].R_WB;
    with_joint(model, axes[i], i, [&](const auto& joint) {
      joint.template for_each_dof_backwards<T>([&](int k, const Twist<T>& S) {
        const Wrench<T> U = P * S;
        at.d[k] = dot(S, U) + T(model.armature[k]);
        at.d_inverse[k] = T(1) / at.d[k];
        P = subtract_outer(P, at.d_inverse[k], U);
        at.S[k] = {R * S.w, R * S.v};
        at.U[k] = {R * U.n, R * U.f};
      });
      if (model.v_count[i] > 0 && model.armature[model.v_index[i]] == 0) clear(joint, P);
    });
    if (model.parent[i] > 0) add_transformed(X_PB[i], P, Vec3<T>{}, at.P[model.parent[i]]);
  }
}

// Copies the entries of y for pairs of places p <= q to M^-1, for the dof at these places in both
// orders. Bands of rows make the strided accesses a few streams. y may be Minv if the dof are in
// order.
template <class T>
void copy_symmetric(const ResponseOrder& order, const T* y, T* Minv) {
  constexpr int band = 8;
  const int n = order.size();
  for (int begin = 0; begin < n; begin += band)
    for (int q = begin; q < n; ++q)
      for (int p = begin; p < std::min({begin + band, n, q + 1}); ++p) {
        const size_t row = size_t(order[p].dof), column = size_t(order[q].dof);
        Minv[row * n + column] = Minv[column * n + row] = y[size_t(p) * n + q];
      }
}

// Computes M^-1 [n_v x n_v]. axes and X_PB are [n_body].
template <class T>
void response_inverse(const sdk::Tree auto& model, const JointAxis* axes,
                      const ResponseOrder& order, const Pose<T>* X_PB, const ResponseWork<T>& at,
                      T* Minv) {
  const int n = order.size();
  T* const rows = order.in_order() ? Minv : at.y;
  eliminate_all(model, axes, X_PB, at);
  const Wrenches<T> b(at.b, n);
  const auto shift = [&](const ResponseOrder::Place& place) {
    return place.is_first_of_body ? at.body[place.body].r : Vec3<T>{T(0), T(0), T(0)};
  };
  for (int first = n - 1; first >= 0; --first) {
    const ResponseOrder::Place& place = order[first];
    const int k = place.dof, next = first + 1;
    const Vec3<T> r = shift(place);
    T* y = rows + size_t(first) * n + first;
    y[0] = at.d_inverse[k];
    const Wrench<T> own = y[0] * at.U[k];
    b.set(first, {own.n + cross(r, own.f), own.f});
    respond_inward(at.S[k], at.U[k], at.d_inverse[k], r, place.subtree_end - next, b.nx + next,
                   b.ny + next, b.nz + next, b.fx + next, b.fy + next, b.fz + next, y + 1);
    std::fill(y + (place.subtree_end - first), y + (n - first), T(0));
  }
  for (int first = 0; first < n; ++first) {
    const ResponseOrder::Place& place = order[first];
    const int k = place.dof;
    T* to = at.A + size_t(6 * place.array) * n + first;
    const T* from = to;
    if (place.parent >= 0)
      from = at.A + size_t(6 * order[place.parent].array) * n + first;
    else
      for (int row = 0; row < 6; ++row) std::fill_n(to + row * n, place.tree_end - first, T(0));
    respond_outward(at.S[k], at.U[k], at.d_inverse[k], shift(place), place.tree_end - first, from,
                    to, n, rows + size_t(first) * n + first);
  }
  copy_symmetric(order, rows, Minv);
}

}  // namespace torsor::articulated_body
