#pragma once
// The impulses of all contacts over a step h of time_stepping.hpp.
//
// Without contacts, the velocities change from u to v_f. With the impulses lambda of the rows J of
// all contact points (contact/contact_rows.hpp), they become
//   u+ = v_f + Y lambda,   Y = M^-1 J^T with the other active rows held
// The rates of the rows are w = J u, w_f = J v_f, and w+ = w_f + G lambda with G = J Y. The gap of
// a point is g at the start of the step, and g+ = g + h (w_n + w_n+) / 2 at its end. The impulses
// obey
//   0 <= lambda_n,   w_n+ + s >= 0,   one of them zero       (Signorini's law at velocity level)
// and Coulomb's law for their frictions. s is
//   e w_n      if the point strikes: w_n < 0, g+ < 0 without impulses, and the rebound takes longer
//              than two steps and is faster than gravity is in one step. This is Newton's law
//              w_n+ = -e w_n
//   g / h      otherwise, for g > 0: the surfaces at most touch if w_n+ lasts for the whole step
//   0          for g <= 0, up to rounding errors
// A point that does not strike and separates at the start, w_n > 0, has w_n added to s. It may thus
// approach at the end: w_n+ >= -g/h - w_n leaves a gap g+ >= g/2, and the impulse does the work
// -lambda_n g/(2h). With s = g / h alone, an impulse that keeps the surfaces apart would do the
// work lambda_n (w_n - g/h) / 2, which may be positive: another impact that turns one of the bodies
// within the step would add energy here.
// If an impact makes other points with e > 0 strike, they do so in the next step, one after the
// other as in Newton's cradle: lambda = 0 until then. In a heap, such impacts cause others in turn;
// after ten rounds, the remaining ones have e = 0 in this step.
// The impulses do the work lambda (w + w+) / 2. It is not positive if e = 0, up to the curvature of
// the motion within a step. Newton's law for several contacts can increase the energy (Kane's
// paradox); e is then halved until the work of all impulses is not positive.
//
// A step that ends an approach leaves g+ < 0, because the mean of w_n and w_n+ moves the surfaces.
// Such overlaps are removed by the smallest displacement in the metric of M that does so:
//   dq = Y_n nu,   0 <= nu,   g+ + J_n dq >= 0,   one of them zero
//
// Dry friction of joints and motors is a part of the same problem. A row with the rate w and the
// friction F(|w|), or static friction if it stuck in the last step, has the impulse
//   w+ = 0,  |lambda| <= h F    or    lambda = -h F sign(w+)
// Contacts can thus bring a joint to rest, and make it slip.
//
// A stop of a joint or motor is a row like the normal of a point: its gap is the distance to the
// limit, and its restitution is that of the stop. The problem contains the stops that are closed or
// would be reached, also by the impulses of the other rows.
//
// A compliant point (ContactMaterial) is a spring k with a damper d instead of a rigid one. The gap
// g_m in the middle of the step and the rates at its end are on a staggered grid:
//   g_m' = g_m + h w_n+   is the gap in the middle of the next step
// The compressions are delta = max(-g_m, 0) and delta' = max(-g_m', 0), and the impulse is
//   lambda_n = max(h k delta + D (delta' - delta), 0),   D = max(d, h k)
// It is that of the spring at the middle of the step, and that of the damper over the step if
// h k <= d. Otherwise the spring is evaluated implicitly, at delta', which adds the damping h k -
// d. In terms of w_n+, this is Signorini's law with a compliance R, which is added to the diagonal
// of G:
//   0 <= lambda_n,   w_n+ + s + R lambda_n >= 0,   one of them zero
//   R = 1 / (h D),   s = g_m / h for g_m > 0, otherwise k g_m / D
// A mass m on one point has w+ = w - (h k g_m + h D w+) / m. The eigenvalues of its map of (g_m, w)
// have, with a = h D / m >= b = h^2 k / m, the product 1 / (1 + a) and the sum
// (2 + a - b) / (1 + a). Both are inside of the unit circle, for all h, k and d. The force is at
// rest, w = w+ = 0, only for lambda_n = -h k g_m: the compression is exact. For k -> infinity, the
// law becomes w_n+ >= -g_m / h: the surfaces touch in the middle of the next step, and stay. This
// is the rigid law without restitution. (At g + h w_n+ or at the end of the step, the force would
// leave eigenvalues of size 1/sqrt(2) or 1, so that points of stiff surfaces would rebound.)
//
// The compressed springs store k g^2 / 2 (contact/contact_springs.hpp). Only the rest of the
// impulse, lambda_n - h k delta - (D - d) (delta' - delta), does work of contacts: that of the
// damper. The error of the ledger has the order h: the work of the additional damping, and the part
// of a step before the surfaces touch or after they separate.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "torsor/constraints/sparse_delassus.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/contact/contact_rows.hpp"
#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/steppers/joint_rows.hpp"

namespace torsor {

// The problem of the impulses of a step, and its solution. The constants c are w_f + s.
struct ContactProblem {
  std::vector<ContactRow> points;
  std::vector<double> c, c_terms, lower, upper, start;  // [rows]
  std::vector<torsor_friction> frictions;
  std::vector<int> row_start, column;
  std::vector<double> value;
  std::vector<double> lambda;  // [rows] impulses of the step

  size_t size() const { return c.size(); }
  // The result refers to this object.
  ConstraintProblem problem() const {
    return {.G = nullptr,
            .c = c,
            .c_terms = c_terms,
            .lower = lower,
            .upper = upper,
            .frictions = frictions,
            .sparse = {row_start, column, value},
            .start = start};
  }
};

class ContactImpulses {
 public:
  explicit ContactImpulses(Motion& motion);

  // Computes the impulses at the middle of a step h, at the present position of the motion.
  // delassus: holds the other active rows there. u, free: [n_u] u and v_f; free is replaced by u+.
  [[nodiscard]] Status solve(double h, SparseDelassus& delassus, std::span<const double> u,
                             std::span<double> free);
  // Return the works of the impulses of contacts, without those of springs, and of stops in the
  // last solve(), J.
  double work() const;
  double stop_work() const;
  // Returns the residual of the impulses (torsor_constraint_result).
  double residual() const { return residual_; }
  // Returns J^T lambda [n_u] of all contacts.
  std::span<const double> force_impulse() const { return force_; }
  // Returns the mean force of each friction against its rate, [Mechanism::frictions], N m or N.
  std::span<const double> friction_forces() const { return friction_forces_; }
  // Sets the modes of frictions and stops (Snapshot::modes) to those of the last solve().
  void store_modes(std::span<double> modes) const { joints_.write_modes(lambda_, after_, modes); }
  // Computes the displacement dq [n_u] that removes overlaps at the end of the step. Returns
  // whether there are any; dq is then valid until the next call.
  [[nodiscard]] Status separate(double h, SparseDelassus& delassus, bool& any);
  std::span<const double> displacement() const { return displacement_; }
  // Returns whether the displacement moves shapes apart, not only joints back from their stops.
  bool separates_shapes() const;

  // Impulses that are stored from step to step. start_from() sets those from which the constraint
  // solver starts, and store() writes those of the last solve(); both are [stored_size()]. Contacts
  // beyond this size start from zero. The order is that of the points, eight numbers each:
  //   a N + b, id, force impulse on B [3], moment impulse on B [3]     in the axes of the world
  // with the indices of the N colliders. Stop k has the entry N^2 + k, with its impulse as the
  // first component. All numbers are 0 after the last entry.
  size_t stored_size() const;
  void start_from(std::span<const double> stored);
  void store(std::span<double> stored) const;

  // Makes solve() copy its problem to *to, until the next call. Null: to nothing.
  void copy_problem_to(ContactProblem* to) { copy_ = to; }

  // The contacts of the last solve(), their points, the impulses of all rows, and the rates of the
  // rows at the end of the step.
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<const ContactRow> points() const { return rows_.points(); }
  std::span<const double> impulses() const { return lambda_; }
  std::span<const double> rates() const { return after_; }
  // Return the force and the moment impulse on B at a point, in the axes of the world, N s and N m
  // s.
  Vec3<double> force_impulse(const ContactRow& point) const;
  Vec3<double> moment_impulse(const ContactRow& point) const;

 private:
  // A row that only pushes: the normal of a rigid point, or a stop.
  struct OneSided {
    // The part in the step.
    enum class Role : unsigned char { touches, strikes, postponed };

    size_t row;
    double gap;  // in the middle of the step, m or rad
    double restitution;
    double gravity;  // an acceleration that may press the surfaces together, m/s^2; 0 for stops
    Role role = Role::touches;
  };
  using Role = OneSided::Role;

  double fastest(std::span<const double> u);
  void require_rates(double h, double restitution, const SparseDelassus& delassus);
  bool is_short(const OneSided& each, double speed, double h, const SparseDelassus& delassus) const;
  bool postpone(double h, const SparseDelassus& delassus);
  bool adds_energy() const;
  Status solve(SparseDelassus& delassus, std::span<const torsor_friction> frictions,
               std::vector<double>& lambda);
  double gap(const ContactRow& point) const {
    return contacts_[size_t(point.contact)].points[size_t(point.point)].gap;
  }

  // Return D and delta of a compliant point.
  double damping(const ContactRow& point) const;
  double compression(const ContactRow& point) const { return std::max(-gap(point), 0.0); }

  Status solve_rows(double h, SparseDelassus& delassus, std::span<const double> u,
                    std::span<const double> free);
  void find_one_sided();
  Status solve_displacement(SparseDelassus& delassus);
  bool add_passed_stops();
  void copy_problem(const SparseDelassus& delassus);
  double key(const Contact& contact) const;
  double stop_key(size_t stop) const;
  void find_start();
  Status check_immovable(double h, const SparseDelassus& delassus);
  std::string explain_no_solution() const;

  Motion& motion_;
  ContactDetector detector_;
  ContactRows rows_;
  JointRows joints_;
  bool has_compliance_;
  double h_ = 0;  // the step of the last solve()
  std::vector<Contact> contacts_;
  std::vector<Twist<double>> V_WB_B_;
  std::vector<OneSided> one_sided_;  // points, then stops
  std::vector<JointRows::OpenStop> open_stops_;
  // [rows] w, w_f, w+, the impulses, and the constants of the problem with the sizes of their
  // terms.
  std::vector<double> before_, without_, after_, lambda_, c_, c_terms_, terms_;
  std::vector<double> lower_, upper_, stored_, start_;  // start_: [rows]
  std::vector<double> force_, displacement_;            // [n_u]
  std::vector<Row> normals_;
  std::vector<int> alone_;               // [normals_] 0, 1, 2, ..
  std::vector<double> nu_;               // [normals_]
  std::vector<double> friction_forces_;  // [Mechanism::frictions]
  double residual_ = 0;
  ContactProblem* copy_ = nullptr;
};

}  // namespace torsor
