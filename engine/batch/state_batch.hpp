#pragma once
// Many states of one model as a structure of arrays.

#include <memory>
#include <span>

#include "torsor/mechanics/state.hpp"
#include "torsor/plugin/lent_array.hpp"

namespace torsor {

// n states. Entry i of state k is at [i * stride() + k] of an array, so that the entries of
// consecutive states are adjacent. All states have the same gravity and motion of the world.
class StateBatch {
 public:
  // The states are at the neutral position and at rest. Throws Error if there is too little memory.
  StateBatch(std::shared_ptr<const Model> model, size_t n);

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& model_ptr() const { return model_; }
  size_t size() const { return size_; }
  // Changes the number of states to one of at most that of the constructor. Keeps the stride and
  // the states.
  void resize(size_t n) { size_ = n; }
  // The size of the constructor, rounded up to whole registers. Numbers beyond size() are unused.
  size_t stride() const { return stride_; }
  static constexpr size_t stride_of(size_t n) { return (n + 7) / 8 * 8; }

  std::span<double> q() { return {q_.data(), q_.size()}; }  // [n_q][stride]
  std::span<const double> q() const { return {q_.data(), q_.size()}; }
  std::span<double> v() { return {v_.data(), v_.size()}; }  // [n_v][stride]
  std::span<const double> v() const { return {v_.data(), v_.size()}; }
  // The wrenches BY the environment ON the bodies, at their origins in their axes:
  // [n_body][6][stride]. Empty before add_wrenches(), which sets them to zero.
  void add_wrenches();
  std::span<double> F_B() { return {F_B_.data(), F_B_.size()}; }
  std::span<const double> F_B() const { return {F_B_.data(), F_B_.size()}; }

  // Gravity and the motion of the world in all states (State). set_world() copies them from a
  // state.
  void set_world(const State& state);
  const Vec3<double>& gravity_W() const { return gravity_W_; }
  const Twist<double>& V_W() const { return V_W_; }
  const Twist<double>& Vdot_W() const { return Vdot_W_; }

  // Copy the position, the velocity and the wrenches of state k from or to `state`. get() also sets
  // gravity and the motion of the world. Do not allocate. set() requires that this batch has
  // wrenches if the state has some.
  void set(size_t k, const State& state);
  void get(size_t k, State& state);
  // Copies the position q [n_q] and the velocity v [n_v] of state k. Does not allocate.
  void set_motion(size_t k, std::span<const double> q, std::span<const double> v);

 private:
  std::shared_ptr<const Model> model_;
  size_t size_, stride_;
  LentArray<double> q_, v_, F_B_;
  std::vector<double> one_q_;            // [n_q]
  std::vector<Wrench<double>> one_F_B_;  // [n_body]
  Vec3<double> gravity_W_{0, 0, -9.81};
  Twist<double> V_W_{}, Vdot_W_{};
};

}  // namespace torsor
