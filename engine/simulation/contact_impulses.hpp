#pragma once
// Contacts in time stepping: the impulses of all contacts over a step of semi_implicit_euler.
//
// Over a step h from the state (q, u), the velocities change by the free acceleration a, which
// includes the forces of all other constraints, and by the impulses lambda of the contacts:
//   u+ = u + h a + Y lambda,   w+ = G lambda + w_f
//   w_f = J (u + h a),   Y = M^-1 J^T with the other rows held,   G = J Y
// M includes the implicit damping of the integrator. Each point of a contact with the gap g obeys
//   0 <= lambda_n,  w_n+ + s >= 0,  one of them zero       (Signorini's law at velocity level)
// and Coulomb's law for its frictions (contact/contact_rows.hpp). s is
//   e w_n      if the point strikes: w_n < 0, g + h w_f,n < 0, and the rebound is longer than two
//              steps. Newton's law w_n+ = -e w_n
//   g / h      otherwise, for g > 0: the surfaces at most touch at the end of the step
//   0          for g <= 0
// The impulses act as the constant force J^T lambda / h during the step (Moreau 1988; Stewart and
// Trinkle 1996). The method has order 1.
//
// Overlaps that remain at the end of a step, from the curvature of the motion, are removed by
//   dq = Y lambda,   0 <= lambda,   g + J_n dq >= 0
// which is the smallest displacement in the metric of M that does so.

#include <memory>

#include "torsor/constraints/sparse_delassus.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/contact/contact_rows.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

class ContactImpulses {
 public:
  explicit ContactImpulses(Motion& motion);

  // Computes the impulses of a step h from a snapshot at a time. The motion then has their forces
  // until clear(), and is set to the snapshot. Fails if the motion or the constraint solver does.
  Status begin(const Snapshot& at, double time, double h);
  // Ends the step: adds the work of the impulses, removes overlaps, and counts the change of energy
  // by this as Work::projection.
  Status end(Snapshot& at);
  void clear();

  // The contacts of the last begin(), their points, and the impulses of all rows.
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<const ContactRow> points() const { return rows_.points(); }
  std::span<const double> impulses() const { return lambda_; }

 private:
  double fastest(const State& state, std::span<const double> u);
  void find_contacts(const State& state, double margin);
  void require_rates(const Snapshot& at, double h);
  Status solve(std::span<const Row> rows, std::span<const int> blocks,
               std::span<const torsor_friction> frictions);
  Status separate(Snapshot& at);

  Motion& motion_;
  ContactDetector detector_;
  ContactRows rows_;
  SparseDelassus delassus_;
  EnergyScratch scratch_;
  std::vector<Contact> contacts_;
  std::vector<Twist<double>> V_WB_B_;
  std::vector<double> z_, zdot_, u_, free_;  // u_, free_ [n_u]: u and u + h a
  // [rows] w_f + s, the sizes of its terms, the impulses, and w at the start of the step.
  std::vector<double> c_, c_terms_, lambda_, before_;
  std::vector<Row> normals_;
  std::vector<int> alone_;             // [normals_] 0, 1, 2, ..
  std::vector<double> lower_, upper_;  // [rows]
  std::vector<double> force_;          // [n_u]
};

}  // namespace torsor
