// Tests of the table of quantities: names are unambiguous, and units follow from those of M, v and
// tau.

#include "torsor/handles/quantity.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace torsor::test {
namespace {

TEST(Quantity, NamesAreUnique) {
  std::set<std::string> names, keys, methods, letters, members, agreements;
  for (const QuantityRow& row : quantities) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_TRUE(letters.insert(row.letters).second) << row.letters;
    EXPECT_TRUE(members.insert(row.member.name).second) << row.member.name;
    EXPECT_TRUE(!row.method || methods.insert(row.method).second) << row.method;
    for (const Agreement& agreement : row.agreements)
      EXPECT_TRUE(!agreement.name || agreements.insert(agreement.name).second) << agreement.name;
  }
}

TEST(Quantity, IsFoundByItsRow) {
  for (const Quantity quantity : all_quantities) EXPECT_EQ(row_of(quantity).quantity, quantity);
  EXPECT_EQ(entries(Quantity::gravity, 4), 4u);
  EXPECT_EQ(entries(Quantity::mass_matrix, 4), 16u);
  EXPECT_EQ(entries(Quantity::christoffel_symbols, 4), 64u);
}

std::string unit(Quantity quantity, std::initializer_list<bool> turns) {
  return row_of(quantity).unit({turns.begin(), turns.size()});
}

TEST(Quantity, UnitsFollowFromAnglesAndLengths) {
  EXPECT_EQ(unit(Quantity::inverse, {true}), "N m");
  EXPECT_EQ(unit(Quantity::inverse, {false}), "N");
  EXPECT_EQ(unit(Quantity::forward, {true}), "rad/s^2");
  EXPECT_EQ(unit(Quantity::forward, {false}), "m/s^2");
  EXPECT_EQ(unit(Quantity::mass_matrix, {true, false}), "kg m");
  EXPECT_EQ(unit(Quantity::inverse_mass_matrix, {true, true}), "1/(kg m^2)");
  EXPECT_EQ(unit(Quantity::inverse_mass_matrix, {false, false}), "1/kg");
  EXPECT_EQ(unit(Quantity::coriolis_matrix, {false, false}), "kg/s");
  EXPECT_EQ(unit(Quantity::gravity, {false}), "N");
  EXPECT_EQ(unit(Quantity::bias, {true}), "N m");
  // The units of G follow from C_ij = sum_k G_ijk v_k.
  EXPECT_EQ(unit(Quantity::christoffel_symbols, {true, true, true}), "kg m^2");
  EXPECT_EQ(unit(Quantity::christoffel_symbols, {true, true, false}), "kg m");
  EXPECT_EQ(unit(Quantity::christoffel_symbols, {false, false, false}), "kg/m");
}

TEST(Quantity, GivenVectorIsTauForForwardDynamicsOnly) {
  const std::string vdot = "vdot", tau = "tau";
  for (const Quantity quantity : all_quantities)
    EXPECT_EQ(given_of(quantity, vdot, tau), quantity == Quantity::forward ? tau : vdot)
        << name(quantity);
}

}  // namespace
}  // namespace torsor::test
