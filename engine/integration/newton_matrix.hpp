#pragma once
// The linear equations of Newton's method in implicit integrators, (1 - gamma J) x = r with
// J = dz'/dz. No rate depends on works, so only the equations of the other entries y of z = (y, w)
// are solved:
//
//   J = [J_y, 0; J_w, 0]   =>   (1 - gamma J_y) x_y = r_y,   x_w = r_w + gamma J_w x_y

#include <Eigen/LU>
#include <vector>

#include "torsor/integration/integrator.hpp"

namespace torsor {

class NewtonMatrix {
 public:
  explicit NewtonMatrix(System& system);  // the system must outlive this object

  // Computes J at (t, z), by forward differences if the system has no formula for it. zdot is the
  // rate at this state. Adds the number of evaluations of the system to `rates`. Returns false if
  // the system cannot compute a rate.
  bool differentiate(double t, const double* z, const double* zdot, long long& rates);
  // Factorises 1 - gamma J_y. Returns false if this matrix is singular or not finite.
  bool factorise(double gamma);
  // Replaces r by the solution x.
  void solve(double* r);

 private:
  System& system_;
  Eigen::MatrixXd J_, matrix_;  // [size x size without works], and 1 - gamma J_y
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
  Eigen::VectorXd solution_;
  double gamma_ = 0;
  std::vector<double> shifted_, rate_;
};

}  // namespace torsor
