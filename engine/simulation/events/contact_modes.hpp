#pragma once
// The modes of contact points between two events, and the forces that follow from them.
//
// Each pair of features (contact/feature_pairs.hpp) is a point with a mode:
//   separate   gap > 0, no force
//   sticks     no relative acceleration: J_n udot + b_n = 0, J_t udot + b_t = 0
//   slides     J_n udot + b_n = 0, and the force of friction is -mu lambda_n d along the slip d
// A wheel that rolls sticks at each instant. With the columns F = J_n^T - mu J_t^T d of points that
// slide, and J_n^T and J_t^T of points that stick, the forces of all points are
//   J M_h^-1 F lambda = -b - J udot_free
// where the other active constraints are held (SparseDelassus). Dependent rows, such as those of
// the four corners of a box at rest, get the multipliers of least norm. The motion does not depend
// on this choice where all points stick, or slide in one direction.
//
// d is the direction of the slip velocity w. A point begins to slip with w = 0, so d is then the
// direction d_0 in which it begins. Trial steps of integrators may pass through w = 0, where the
// last direction d_0 continues. In between, friction turns w at the rate a / |w|, with the slowing
//   a = mu lambda_n J_t M^-1 J_t^T
// of one point. No explicit method follows this for small |w|. With n points that touch, and the
// speed W = n a dt that friction removes in about a step,
//   d = d_0 if |w| < W,   d = w / |w| if |w| > 2 W
// and d turns linearly with |w| in between. d_0 is the direction at the start of the step. This is
// exact while w keeps its direction, as at the end of a slip, where the directions converge.

#include <Eigen/QR>
#include <string>

#include "torsor/constraints/sparse_delassus.hpp"
#include "torsor/contact/contact_rows.hpp"
#include "torsor/contact/feature_pairs.hpp"

namespace torsor {

enum class ContactMode : unsigned char { separate, sticks, slides };

class ContactModes {
 public:
  // Throws Error if contacts of the model's shapes cannot be located in time.
  // dt: the step of the run, s.
  ContactModes(std::shared_ptr<const Model> model, double dt);

  size_t size() const { return pairs_.size(); }
  const FeaturePairs& pairs() const { return pairs_; }
  std::string describe(size_t point) const;
  const ContactMaterial& material(size_t point) const { return materials_[point]; }

  // Modes [size], and directions d of slip in the axes of the world [3 size].
  void set(std::span<const double> modes, std::span<const double> directions);
  ContactMode mode(size_t point) const { return ContactMode(int(modes_[point])); }
  Vec3<double> direction(size_t point) const;
  bool any_touching() const { return !touching_.empty(); }
  std::span<const int> touching() const { return touching_; }

  // Returns the direction d_0 of the next step, after a slip w != 0 at the end of a step:
  //   d_0+ = d_0 + min(1, |w| / W) (w / |w| - d_0),  normalised
  // At lower speeds, w / |w| would overshoot: friction turns it by more than its angle in a step.
  Vec3<double> next_direction(size_t point, const Vec3<double>& w) const;

  // Evaluates all points at a state.
  void evaluate(const State& state) {
    state_ = &state;
    pairs_.evaluate(state);
  }
  // Makes the rows of some points, ascending, at the last evaluated state. rows().points()[k] is
  // then points[k].
  void select(std::span<const int> points);
  const ContactRows& rows() const { return rows_; }

  // Adds the selected rows with  J udot = -b, lambda_n >= 0, and their friction groups, in the form
  // of a constraint solver. A point that slides has an additional large rate along d, so that its
  // friction is along d. Returns the size of the rates of the rows at the accelerations `free`
  // without multipliers [n_u], m/s^2. Pointers are valid until the next select().
  double append(std::span<const double> free, std::vector<ConstraintRow>& rows,
                std::vector<torsor_friction>& frictions);

  // Selects the points that touch, and computes their forces at rates u and accelerations `free`
  // without them, [n_u]. held: the other active rows. Returns false if the contact forces do not
  // determine the motion, or several do: a point slides where its friction presses it more strongly
  // against the surface than its normal force lifts it (Painleve). paradox() is then that point.
  [[nodiscard]] bool solve(const InverseInertia& inverse, const ActiveConstraints& held,
                           std::span<const double> u, std::span<const double> free);
  size_t paradox() const { return paradox_; }
  // Return values of the last solve(): multipliers of rows(), J^T lambda [n_u], and their power, W.
  std::span<const double> multipliers() const { return lambda_; }
  std::span<const double> force() const { return force_; }
  double power() const { return power_; }
  // Returns whether the multipliers are undetermined.
  bool redundant() const { return redundant_; }
  // Returns the margins by which the k-th touching point keeps its mode: its normal force, and the
  // friction that remains or the slip velocity. Negative margins exceed rounding errors.
  double normal_margin(size_t k) const;
  double tangential_margin(size_t k, std::span<const double> u) const;

  // Sets out [n_u] to the smallest rates in the metric of M with J out = errors. of_gaps: J are the
  // normals of the points that touch, and the errors are their gaps. Otherwise J also contains the
  // tangents of points that stick, and the errors are J u. Returns whether any error exceeds its
  // rounding; `out` is only set then.
  bool correction(const InverseInertia& inverse, const ActiveConstraints& held,
                  std::span<const double> u, bool of_gaps, std::span<double> out);

 private:
  Row slip_row(const ContactRow& point, const Vec3<double>& d) const;
  Vec3<double> friction_direction(size_t k, std::span<const double> free);
  void respond_to(const Row& row, size_t n_u);
  double response_along(const Row& row);

  std::shared_ptr<const Model> model_;
  double dt_;
  const State* state_ = nullptr;  // of the last evaluate()
  FeaturePairs pairs_;
  std::vector<ContactMaterial> materials_;               // [size]
  std::vector<double> modes_, slow_speed_, directions_;  // slow_speed_: [size] W, m/s
  std::vector<int> touching_;
  ContactRows rows_;
  std::vector<int> selected_;
  std::vector<Contact> contacts_;
  std::vector<double> acceleration_;  // [rows] -b
  SparseDelassus delassus_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_, x_;
  std::vector<double> lambda_, force_, column_, response_, scale_;  // scale_: [touching] N
  double power_ = 0;
  bool redundant_ = false;
  size_t paradox_ = 0;
};

}  // namespace torsor
