#pragma once
// The table of the quantities that solvers compute, one row each. The following use the rows:
// - the functions of Solver
// - the commands `torsor eval`, `compare`, `bench` and `validate`
// - Lua and the editor window
// To add a quantity, append a row. Also add its derivation (quantity.cpp), its member of
// torsor_solver, and its law in the conformance tests.

#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>

#include "torsor/plugin/plugin_function.hpp"
#include "torsor/sdk/ext/solver.h"

namespace torsor {

enum class Quantity {
  inverse,
  forward,
  mass_matrix,
  inverse_mass_matrix,
  coriolis_matrix,
  gravity,
  bias,
  christoffel_symbols
};

// The arguments on which a quantity depends. vdot and tau are not part of the state.
enum class QuantityInput { q, q_v, q_v_vdot, q_v_tau };
inline constexpr const char* motion_names[] = {"q", "v", "vdot"};
inline constexpr const char* load_names[] = {"q", "v", "tau"};
constexpr std::span<const char* const> names(QuantityInput input) {
  if (input == QuantityInput::q_v_tau) return load_names;
  return std::span(motion_names).first(size_t(input) + 1);
}

// A member function of torsor_solver. Its arguments are the state alone, or the state and a vector
// [n_v].
struct SolverMember {
  using OfState = torsor_status (*)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    double* work, double* out);
  using OfGiven = torsor_status (*)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    const double* given, double* work, double* out);
  constexpr SolverMember(const char* name, OfState torsor_solver::*member)
      : name(name), of_state(member) {}
  constexpr SolverMember(const char* name, OfGiven torsor_solver::*member)
      : name(name), of_given(member) {}

  constexpr bool is_offered(const torsor_solver& api) const {
    return of_state ? api.*of_state != nullptr : api.*of_given != nullptr;
  }
  // Calls the member, which the plugin must offer. given [n_v] is ignored if the argument is the
  // state alone.
  torsor_status call(const torsor_solver& api, const torsor_plugin* self, const torsor_model* model,
                     const torsor_state* state, const double* given, double* work,
                     double* out) const {
    return of_state ? (api.*of_state)(self, model, state, work, out)
                    : (api.*of_given)(self, model, state, given, work, out);
  }

  const char* name;
  OfState torsor_solver::*of_state = nullptr;
  OfGiven torsor_solver::*of_given = nullptr;
};

// The rule by which the results of two solvers are compared. The limits are in comparison.hpp.
enum class AgreementRule {
  entries,       // compares each entry
  acceleration,  // compares in the 2-norm, with a limit relaxed by cond(M)
  // Checks that the accelerations of one solver satisfy the equation of motion of the other.
  motion,
  // Checks that M of one solver times M^-1 of the other is the identity.
  inverse,
  product,  // compares C v, because C is not unique
  rate      // compares C + C^T, which is Mdot
};
// The terms of tau whose size bounds the rounding error of a compared result. A result that is a
// sum of the terms may be zero because they cancel.
struct AgreementTerms {
  bool v = false, vdot = false, gravity = false, wrenches = false;
  constexpr bool any() const { return v || vdot || gravity || wrenches; }
};
struct Agreement {
  const char* name = nullptr;  // key in signals and JSON, such as "Cv", or null
  const char* description = nullptr;
  AgreementRule rule = AgreementRule::entries;
  AgreementTerms terms = {};  // none: the terms do not cancel. Rule `rate` needs none
};

// Returns the SI unit of an entry. turns: one flag per index of the entry, true for a rotational
// dof, false for a translational one.
using UnitRule = std::string(std::span<const bool> turns);
UnitRule unit_of_torque, unit_of_acceleration, unit_of_inertia, unit_of_inverse_inertia,
    unit_of_coriolis, unit_of_christoffel;

struct PreparedSolver;
struct Status;
// Derives a quantity that the plugin does not offer. given: [n_v], or null if the quantity depends
// on the state alone. out: entries(quantity, n_v) numbers.
using Derivation = Status(PreparedSolver&, const torsor_state&, const double* given, double* out);
Derivation derive_inverse, derive_forward, derive_mass_matrix, derive_inverse_mass_matrix,
    derive_coriolis_matrix, derive_gravity, derive_bias, derive_christoffel_symbols;

struct QuantityRow {
  Quantity quantity;
  const char* name;     // name in reports and options, "christoffel_symbols"
  const char* key;      // key in the JSON of `torsor eval`
  const char* method;   // method of arm:dynamics{} in Lua; null if there is none
  const char* letters;  // symbol in ASCII, for actions and copies of the editor: "Minv"
  const char* symbol;   // symbol in the editor: "M⁻¹"
  const char* title;
  int indices;  // number of indices of an entry, 1 to 3; each index is a dof
  QuantityInput input;
  UnitRule* unit;
  SolverMember member;
  const char* result;  // parameter name of the result in ext/solver.h: "b"
  Derivation* derive;
  std::array<Agreement, 2> agreements = {};
  bool has_wrenches = true;   // false: the member is called without applied wrenches
  bool needs_pivots = false;  // true: the state passed to the member has min_pivot
};

inline constexpr QuantityRow quantities[] = {
    {.quantity = Quantity::inverse,
     .name = "inverse_dynamics",
     .key = "inverse_dynamics",
     .method = "inverse",
     .letters = "tau",
     .symbol = "τ",
     .title = "Inverse dynamics τ",
     .indices = 1,
     .input = QuantityInput::q_v_vdot,
     .unit = unit_of_torque,
     .member = {"inverse", &torsor_solver::inverse},
     .result = "tau",
     .derive = derive_inverse,
     .agreements = {{{.name = "tau",
                      .description = "inverse dynamics",
                      .terms = {.v = true, .vdot = true, .gravity = true, .wrenches = true}}}}},
    {.quantity = Quantity::forward,
     .name = "forward_dynamics",
     .key = "forward_dynamics",
     .method = "forward",
     .letters = "vdot",
     .symbol = "v̇",
     .title = "Acceleration v̇",
     .indices = 1,
     .input = QuantityInput::q_v_tau,
     .unit = unit_of_acceleration,
     .member = {"forward", &torsor_solver::forward},
     .result = "vdot",
     .derive = derive_forward,
     .agreements = {{{"vdot", "forward dynamics", AgreementRule::acceleration},
                     {"motion", "M vdot + b = tau", AgreementRule::motion}}},
     .needs_pivots = true},
    {.quantity = Quantity::mass_matrix,
     .name = "mass_matrix",
     .key = "mass_matrix",
     .method = "mass_matrix",
     .letters = "M",
     .symbol = "M",
     .title = "Mass matrix M",
     .indices = 2,
     .input = QuantityInput::q,
     .unit = unit_of_inertia,
     .member = {"mass_matrix", &torsor_solver::mass_matrix},
     .result = "M",
     .derive = derive_mass_matrix,
     .agreements = {{{"M", "mass matrix"}}}},
    {.quantity = Quantity::inverse_mass_matrix,
     .name = "inverse_mass_matrix",
     .key = "inverse_mass_matrix",
     .method = nullptr,
     .letters = "Minv",
     .symbol = "M⁻¹",
     .title = "Inverse mass matrix M⁻¹",
     .indices = 2,
     .input = QuantityInput::q,
     .unit = unit_of_inverse_inertia,
     .member = {"inverse_mass_matrix", &torsor_solver::inverse_mass_matrix},
     .result = "Minv",
     .derive = derive_inverse_mass_matrix,
     .agreements = {{{"Minv", "M times M^-1 = 1", AgreementRule::inverse}}},
     .needs_pivots = true},
    {.quantity = Quantity::coriolis_matrix,
     .name = "coriolis_matrix",
     .key = "coriolis_matrix",
     .method = "coriolis",
     .letters = "C",
     .symbol = "C",
     .title = "Coriolis matrix C",
     .indices = 2,
     .input = QuantityInput::q_v,
     .unit = unit_of_coriolis,
     .member = {"coriolis_matrix", &torsor_solver::coriolis_matrix},
     .result = "C",
     .derive = derive_coriolis_matrix,
     .agreements = {{{"Cv", "C v", AgreementRule::product, {.v = true}},
                     {"Mdot", "Mdot = C + C^T", AgreementRule::rate}}}},
    {.quantity = Quantity::gravity,
     .name = "gravity",
     .key = "gravity",
     .method = "gravity",
     .letters = "g",
     .symbol = "g",
     .title = "Gravity g",
     .indices = 1,
     .input = QuantityInput::q,
     .unit = unit_of_torque,
     .member = {"gravity", &torsor_solver::gravity},
     .result = "g",
     .derive = derive_gravity,
     .agreements = {{{.name = "g", .description = "gravity", .terms = {.gravity = true}}}},
     .has_wrenches = false},
    {.quantity = Quantity::bias,
     .name = "bias",
     .key = "bias",
     .method = "bias",
     .letters = "bias",
     .symbol = "b",
     .title = "Bias b = C v + g",
     .indices = 1,
     .input = QuantityInput::q_v,
     .unit = unit_of_torque,
     .member = {"bias", &torsor_solver::bias},
     .result = "b",
     .derive = derive_bias,
     .agreements =
         {{{.name = "bias", .description = "C v + g", .terms = {.v = true, .gravity = true}}}},
     .has_wrenches = false},
    // Has no agreement: its n^3 numbers are too many for a comparison in each step of a run. torsor
    // validate checks them against C v.
    {.quantity = Quantity::christoffel_symbols,
     .name = "christoffel_symbols",
     .key = "christoffel",
     .method = "christoffel",
     .letters = "christoffel",
     .symbol = "Γ",
     .title = "Christoffel symbols Γijk: C v = Σ Γijk vj vk",
     .indices = 3,
     .input = QuantityInput::q,
     .unit = unit_of_christoffel,
     .member = {"christoffel_symbols", &torsor_solver::christoffel_symbols},
     .result = "G",
     .derive = derive_christoffel_symbols},
};
inline constexpr size_t n_quantities = std::size(quantities);
static_assert(n_quantities <= PluginFunction::max_quantities);

constexpr const QuantityRow& row_of(Quantity quantity) {
  return quantities[size_t(quantity)];
}
constexpr const char* name(Quantity quantity) {
  return row_of(quantity).name;
}
constexpr PluginFunction function_of(Quantity quantity) {
  return {row_of(quantity).member.name, size_t(quantity)};
}
// Returns the number of indices of an entry: 1 for a vector, 2 for a matrix, 3 for the Christoffel
// symbols.
constexpr int indices(Quantity quantity) {
  return row_of(quantity).indices;
}
constexpr size_t entries(Quantity quantity, size_t n_v) {
  size_t count = n_v;
  for (int k = 1; k < indices(quantity); ++k) count *= n_v;
  return count;
}
// Returns tau for forward dynamics, otherwise vdot. This is the argument `given` [n_v] of the
// quantity. Quantities that depend on the state alone ignore it.
template <class Vector>
constexpr const Vector& given_of(Quantity quantity, const Vector& vdot, const Vector& tau) {
  return row_of(quantity).input == QuantityInput::q_v_tau ? tau : vdot;
}

inline constexpr auto all_quantities = [] {
  std::array<Quantity, n_quantities> out{};
  for (size_t k = 0; k < n_quantities; ++k) out[k] = Quantity(k);
  return out;
}();

static_assert(
    [] {
      for (size_t k = 0; k < n_quantities; ++k) {
        const QuantityRow& row = quantities[k];
        const bool given =
            row.input == QuantityInput::q_v_vdot || row.input == QuantityInput::q_v_tau;
        if (size_t(row.quantity) != k || given != (row.member.of_given != nullptr)) return false;
        if (row.indices < 1 || row.indices > 3) return false;
      }
      return true;
    }(),
    "a row is at the place of its quantity, has 1 to 3 indices, and its member takes its input");

}  // namespace torsor
