#pragma once
// The rows of contacts at a state. The point p of a contact has the velocity of B relative to A
//   w = v_B(p) - v_A(p) = J v
// with one row along the normal n from A to B, the rate of the gap, and two along the tangents.
// Torsional friction has the row n . (w_B - w_A) of the angular velocities, and rolling friction
// has those along the tangents. The multipliers are impulses or forces of A on B, and moments. With
// the normal multiplier N >= 0, Coulomb's law bounds those of each kind of friction by
//   |lambda| <= mu N,   lambda = -mu N w / |w| if w != 0
// where mu is the torsional or rolling coefficient, m, for moments.

#include <memory>
#include <span>
#include <vector>

#include "torsor/constraints/row.hpp"
#include "torsor/contact/contact.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor {

// A point of a contact, and its first row.
struct ContactRow {
  int contact, point;               // indices in the contacts and in Contact::points
  int row;                          // of the normal
  int sliding, torsional, rolling;  // first rows of its frictions; -1: without
  Vec3<double> n_W, t_W, s_W;       // normal and tangents
  ContactMaterial material;
};

class ContactRows {
 public:
  explicit ContactRows(std::shared_ptr<const Model> model);

  // Evaluates the rows of all points of the contacts at q of the state. Allocates memory only while
  // the number of rows grows.
  void evaluate(const State& state, std::span<const Contact> contacts);
  // Appends a row that belongs to no contact, until the next evaluate().
  void append(const Row& row);
  std::span<const ContactRow> points() const { return points_; }
  size_t size() const { return size_; }
  std::span<const Row> rows() const { return {rows_.data(), size_}; }
  std::span<const torsor_friction> frictions() const { return frictions_; }
  // Return the force and the moment on B at a point, for multipliers [size()], in the axes of the
  // world.
  Vec3<double> force(const ContactRow& point, const double* lambda) const;
  Vec3<double> moment(const ContactRow& point, const double* lambda) const;
  // Writes the multipliers of the rows of a point for a force and a moment on B.
  void to_rows(const ContactRow& point, const Vec3<double>& force, const Vec3<double>& moment,
               double* lambda) const;
  // Returns the normal row of each row's point, [size()]; the row itself if it was appended.
  std::span<const int> normals() const { return {normals_.data(), size_}; }

 private:
  struct Term {
    int dof;
    double sign;  // 1 if the dof moves B, -1 if it moves A
  };
  void evaluate_screws(const State& state);
  void find_terms(int body_A, int body_B);
  Row& next_row();
  void add_linear(const Vec3<double>& p_W, const Vec3<double>& direction);
  void add_angular(const Vec3<double>& direction);

  std::shared_ptr<const Model> model_;
  std::vector<std::vector<int>> dofs_;  // [n_body] from the world to the body
  std::vector<int> moving_;             // bodies between the world and a collider, ascending
  std::vector<Pose<double>> X_WB_;      // [n_body]
  std::vector<Twist<double>> S_W_;      // [n_v] screws, about the origin of the world
  std::vector<Term> terms_;
  std::vector<Row> rows_;  // the first size_ are valid
  size_t size_ = 0;
  std::vector<int> normals_;
  std::vector<ContactRow> points_;
  std::vector<torsor_friction> frictions_;
};

}  // namespace torsor
