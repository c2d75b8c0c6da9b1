#pragma once
// Formulae of a robot, and their values in a state.

#include <string_view>
#include <vector>

#include "support/agreement.hpp"
#include "torsor/base/random.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/symbolic/code.hpp"
#include "torsor/symbolic/evaluate.hpp"

namespace torsor::test {

// A state, and the other arguments of the quantities, [n_v] each.
struct Point {
  State state;
  Vector vdot, vddot, vdddot, tau;
};

// Returns a random state without wrenches, with random arguments.
Point random_point(const std::shared_ptr<const Model>& model, Random& random);

// Returns the values of all symbols of a model, in the order of Graph::symbols(). Parameters have
// the values that SymbolicModel::parameters() states.
std::vector<double> symbol_values(const symbolic::SymbolicModel& model, const Point& point);

// A quantity of a robot as a program.
class Generated {
 public:
  Generated(const std::shared_ptr<const Model>& model, std::string_view quantity,
            const symbolic::SymbolChoice& choice = {},
            const Vec3<double>& gravity_W = {0, 0, -9.81});

  // Returns the values of each result, by rows. A vector is a matrix with one column.
  std::vector<Matrix> operator()(const Point& point) const;

  const symbolic::Formulae& formulae() const { return formulae_; }
  const symbolic::Program& program() const { return program_; }

 private:
  symbolic::Formulae formulae_;
  symbolic::Program program_;
};

}  // namespace torsor::test
