// Tests of the normal form of formulae: it has the values of its program, equal formulae have one
// normal form, and the formulae of the literature are those of the kernels, as mathematics.

#include "torsor/symbolic/polynomial.hpp"

#include <gmock/gmock.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/formula_text.hpp"
#include "symbolic/symbol_values.hpp"
#include "torsor/base/error.hpp"
#include "torsor/symbolic/latex.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;
using Wave = Monomial::Wave;

double value_of(const Polynomial& polynomial, const std::vector<double>& symbols, double* size) {
  double sum = 0;
  for (const auto& [term, c] : polynomial) {
    double product = c, angle = 0;
    for (const auto& [symbol, power] : term.powers) product *= std::pow(symbols[symbol], power);
    for (const auto& [symbol, multiple] : term.angle) angle += multiple * symbols[symbol];
    if (term.wave == Wave::cosine) product *= std::cos(angle);
    if (term.wave == Wave::sine) product *= std::sin(angle);
    sum += product, *size += std::abs(product);
  }
  return sum;
}

// A graph with symbols by name. q1, v1 .. are states; the others are parameters.
class Formula {
 public:
  Expression operator()(const std::string& name) {
    const bool state = name.size() == 2 && (name[0] == 'q' || name[0] == 'v');
    if (!state) return graph_.symbol({name, SymbolKind::parameter, "", -1});
    return graph_.symbol(
        {name, SymbolKind::state, name.substr(0, 1), std::stoi(name.substr(1)) - 1});
  }
  Expression read(std::string_view text) {
    return FormulaText<Expression>(text, [&](const std::string& name) { return (*this)(name); })();
  }
  Polynomial normal(const Expression& x) const { return (*polynomials(Program(graph_, {x})))[0]; }
  std::string latex_of(std::string_view text) {
    const Expression x = read(text);
    return latex(normal(x), graph_);
  }
  Graph& graph() { return graph_; }

 private:
  Graph graph_;
};

TEST(NormalForm, IsTheSameForEqualFormulae) {
  const std::pair<const char*, const char*> identities[] = {
      {"cos(q1+q2)", "cos(q1)*cos(q2) - sin(q1)*sin(q2)"},
      {"sin(q1-q2)", "sin(q1)*cos(q2) - cos(q1)*sin(q2)"},
      {"cos(2*q1)", "cos(q1)**2 - sin(q1)**2"},
      {"cos(2*q1)", "1 - 2*sin(q1)**2"},
      {"sin(2*q1)", "2*sin(q1)*cos(q1)"},
      {"sin(3*q1)", "3*sin(q1) - 4*sin(q1)**3"},
      {"cos(q1+q2+q3)", "cos(q1)*cos(q2+q3) - sin(q1)*sin(q2)*cos(q3) - sin(q1)*cos(q2)*sin(q3)"},
      {"sin(q1+q2)*sin(q1-q2)", "sin(q1)**2 - sin(q2)**2"},
      {"cos(q2-q1)", "cos(q1-q2)"},
      {"sin(q2-q1)", "-sin(q1-q2)"},
      {"(m1+m2)*(m1-m2)", "m1**2 - m2**2"},
      {"m1*(v1+v2)**2", "m1*v1**2 + 2*m1*v1*v2 + m1*v2**2"},
      {"(sin(q1)**2 + cos(q1)**2)**3*m1", "m1"},
      {"sin(q1)*cos(q1)*(sin(q1)*cos(q1))", "0.25*sin(2*q1)**2"},
  };
  for (const auto& [a, b] : identities) {
    Formula formula;
    const Expression difference = formula.read(a) - formula.read(b);
    EXPECT_EQ(formula.normal(formula.read(a)), formula.normal(formula.read(b))) << a << " = " << b;
    EXPECT_TRUE(formula.normal(difference).empty()) << a << " = " << b;
  }
  Formula formula;
  EXPECT_NE(formula.normal(formula.read("cos(q1+q2)")), formula.normal(formula.read("cos(q1-q2)")));
  EXPECT_NE(formula.normal(formula.read("sin(q1)")), formula.normal(formula.read("cos(q1)")));
}

// Checks sums that are zero up to the rounding of 0.1, 0.2 and 0.3.
TEST(NormalForm, HasNoTermsThatAreRoundingErrors) {
  Formula formula;
  EXPECT_TRUE(
      formula.normal(formula.read("0.1*m1*(v1+v2) + 0.2*m1*(v1+v2) - 0.3*m1*v1 - 0.3*m1*v2"))
          .empty());
  EXPECT_EQ(formula.normal(formula.read("0.1*(v1+v2) + 0.2*(v1-v2) - 0.3*v1")).size(), 1u);
  // a small term is not an error by itself
  EXPECT_EQ(formula.normal(formula.read("m1 + 0.00000000000000001*m2*m2")).size(), 1u);
  EXPECT_EQ(formula.normal(formula.read("0.00000000000000001*m2*m2")).size(), 1u);
}

TEST(NormalForm, ExistsOnlyForPolynomials) {
  Formula formula;
  const auto exists = [&](const Expression& x) {
    return polynomials(Program(formula.graph(), {x})).has_value();
  };
  const Expression x = formula("v1"), one(1.0);
  EXPECT_FALSE(exists(one / x));
  EXPECT_FALSE(exists(x + one / (x + one)));
  EXPECT_FALSE(exists(sin(x * x)));
  EXPECT_FALSE(exists(sin(Expression(0.5) * x)));
  EXPECT_FALSE(exists(cos(x + one)));
  EXPECT_TRUE(exists(cos(Expression(3.0) * x) / Expression(3.0)));
}

TEST(NormalForm, IsBounded) {
  Formula formula;
  Expression x = formula("v1");
  for (int k = 2; k <= 7; ++k) x = x + formula("v" + std::to_string(k));
  Expression power = x;
  for (int k = 0; k < 4; ++k) power = power * x;
  try {
    (void)polynomials(Program(formula.graph(), {power}), 400);
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "a formula has more than 400 terms; print formulae of a smaller robot, or generate "
        "code");
  }
  EXPECT_EQ((*polynomials(Program(formula.graph(), {power})))[0].size(), 462u);  // C(11, 6)
}

// Checks all quantities without quotients on small random robots. Coefficients have errors of
// 64 eps of the largest one, because smaller ones are left out.
TEST(NormalForm, HasTheValuesOfTheProgram) {
  double worst = 0;
  int compared = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(1 + int(seed % 3), Shape::tree, seed));
    SymbolChoice choice;
    choice.inertias = seed % 2 ? Inertias::standard : Inertias::numeric;
    choice.omit_zeros = true;
    Random random(seed);
    for (const FormulaRow& row : formula_rows()) {
      const Generated generated(model, row.name, choice);
      const auto forms = polynomials(generated.program(), 200'000);
      if (!forms) continue;
      const Point point = random_point(model, random);
      const std::vector<double> symbols = symbol_values(*generated.formulae().model, point),
                                values = evaluate<double>(generated.program(), symbols);
      double largest = 0;  // the scale of entries that are zero up to rounding
      for (const double value : values) largest = std::max(largest, std::abs(value));
      for (size_t k = 0; k < values.size(); ++k) {
        double size = largest;
        const double error = std::abs(value_of((*forms)[k], symbols, &size) - values[k]);
        EXPECT_LE(error, 1e-12 * size) << row.name << " " << k;
        worst = std::max(worst, size > 0 ? error / size : 0);
        ++compared;
      }
    }
  }
  std::printf("%d formulae, largest difference %.1e\n", compared, worst);
  EXPECT_GT(compared, 1000);
}

// Formulae of a planar arm of point masses, with its masses and lengths as symbols. The normal
// forms of generated formulae are compared with those of printed ones.
class PlanarArm {
 public:
  explicit PlanarArm(int n)
      : n_(n),
        model_(
            build(planar_n_link(Vector::LinSpaced(n, 0.8, 0.5), Vector::LinSpaced(n, 2.0, 1.0)))) {}

  // Returns the results of a quantity, in which a length has one symbol L1, L2 ..: a joint is at
  // the mass of the link before.
  std::vector<Expression> generated(const char* quantity) {
    SymbolChoice choice;
    choice.symbolic_geometry = true;
    choice.inertias = Inertias::central;
    choice.omit_zeros = true;
    const Generated made(model_, quantity, choice, {0, -9.81, 0});
    const Graph& graph = *made.formulae().graph;
    std::vector<Expression> symbols;
    for (const Symbol& symbol : graph.symbols()) {
      std::string name = symbol.name;
      if (symbol.kind == SymbolKind::parameter && name[0] == 'r') name = "L" + name.substr(1, 1);
      if (symbol.kind == SymbolKind::parameter && name[0] == 'p')
        name = "L" + std::to_string(std::stoi(name.substr(1)) - 1);
      symbols.push_back(formula_(name));
      names_.insert(name);
    }
    return evaluate<Expression>(made.program(), symbols);
  }
  Formula& formula() { return formula_; }
  const std::set<std::string>& names() const { return names_; }
  int n() const { return n_; }

  // Checks that two formulae are one polynomial, up to rounding of the coefficients.
  void expect_equal(const Expression& found, const Expression& printed) {
    const Polynomial difference = formula_.normal(found - printed);
    double largest = 0;
    for (const auto& [term, c] : formula_.normal(printed)) largest = std::max(largest, std::abs(c));
    for (const auto& [term, c] : difference) EXPECT_LT(std::abs(c), 1e-13 * largest);
    EXPECT_EQ(formula_.normal(found).size(), formula_.normal(printed).size());
  }

 private:
  int n_;
  std::shared_ptr<const Model> model_;
  Formula formula_;
  std::set<std::string> names_;
};

TEST(EntryFormulae, AreTextAndLatex) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  SymbolChoice symbols;
  symbols.inertias = Inertias::central;
  symbols.omit_zeros = symbols.symbolic_geometry = true;
  const auto entries = [&](const char* quantity, size_t max_terms = 1000) {
    return entry_formulae(model, formula_row(quantity), symbols, {0, -9.81, 0}, max_terms);
  };
  const std::vector<EntryFormula> M = entries("mass_matrix"), g = entries("gravity");
  ASSERT_EQ(M.size(), 4u);
  EXPECT_EQ(M[1].text, "M12 = m2 r2x^2 + m2 r2x p2x c2");
  EXPECT_EQ(M[1].latex, "M_{12} = m_{2}\\,r_{2x}^{2} + m_{2}\\,r_{2x}\\,p_{2x}\\,c_{2}");
  EXPECT_EQ(g[1].text, "g2 = m2 r2x g c12");
  EXPECT_THAT(entries("energies")[0].text, testing::HasSubstr("1/2 v2^2"));
  EXPECT_THROW((void)entries("mass_matrix", 1), Error);
  EXPECT_THROW((void)entries("inverse_mass_matrix"), Error);
}

// Checks MK's closed forms of tau, tau' and tau'' of the 2R arm. In the table, q1_3 is the third
// derivative of q1.
TEST(TorquesOfThe2R, AreTheClosedFormsOfMk) {
  const Json table = stored_table("planar2r_second_order.json");
  PlanarArm arm(2);
  const std::vector<Expression> found = arm.generated("torque_rates");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_THAT(arm.names(), testing::IsSupersetOf({"L1", "L2", "m1", "m2", "g"}));
  const auto symbol = [&](const std::string& name) {
    constexpr const char* arrays[] = {"q", "v", "vdot", "vddot", "vdddot"};
    if (name.size() != 4 || name[0] != 'q') return arm.formula()(name);
    return arm.formula()(arrays[name[3] - '0'] + name.substr(1, 1));
  };
  const char* names[] = {"tau_1", "tau_2", "taud_1", "taud_2", "taudd_1", "taudd_2"};
  for (size_t k = 0; k < 6; ++k) {
    SCOPED_TRACE(names[k]);
    const std::string text = table["expressions"][names[k]];
    const Expression printed = FormulaText<Expression>(text, symbol)();
    EXPECT_FALSE(printed.is_constant());
    arm.expect_equal(found[k], printed);
  }
}

// Checks the samples, whose values were computed with more digits.
TEST(TorquesOfThe2R, AreTheSamplesOfMk) {
  const Json table = stored_table("planar2r_second_order.json");
  const Json& p = table["parameters"];
  const auto model =
      build(planar_n_link(Eigen::Vector2d(p["L1"], p["L2"]), Eigen::Vector2d(p["m1"], p["m2"])));
  const Vec3<double> gravity{0, -double(p["g"]), 0};
  const Generated generated(model, "torque_rates", {}, gravity);
  const auto forms = polynomials(generated.program());
  ASSERT_TRUE(forms);
  for (const Json& sample : table["samples"]) {
    State state(model);
    const Vector q = vector(sample["q"]), v = vector(sample["qd"]);
    state.set_q(std::span(q.data(), 2));
    state.v.assign(v.begin(), v.end());
    state.set_gravity(gravity);
    const Point point{state, vector(sample["qdd"]), vector(sample["q3"]), vector(sample["q4"]),
                      Vector::Zero(2)};
    const std::vector<Matrix> found = generated(point);
    const std::vector<double> symbols = symbol_values(*generated.formulae().model, point);
    const char* names[] = {"tau", "taud", "taudd"};
    for (size_t k = 0; k < 3; ++k) {
      const Vector expected = vector(sample[names[k]]);
      EXPECT_TRUE(close(found[k], expected, expected.norm() + 1, 1e-13));
      for (size_t i = 0; i < 2; ++i) {
        double size = 0;
        EXPECT_NEAR(value_of((*forms)[2 * k + i], symbols, &size), expected[Eigen::Index(i)],
                    1e-13 * (size + 1));
      }
    }
  }
}

// RCFS's equations in absolute angles Q_i = q_1 + .. + q_i, with the rates Q' and the torques u:
//   M_ij = l_i l_j cos(Q_i - Q_j) sum_{k >= max(i, j)} m_k,  C_ij the same with sin,
//   g_i = g l_i cos Q_i sum_{k >= i} m_k,  M Q'' + C diag(Q') Q' + g = u
// In relative angles: tau = L^T u with the lower triangular L of ones.
TEST(EquationsOfNLinks, AreThoseOfRcfs) {
  for (const int n : {2, 3}) {
    SCOPED_TRACE(n);
    PlanarArm arm(n);
    const auto symbol = [&](const char* name, int i) {
      return arm.formula()(name + std::to_string(i + 1));
    };
    const size_t size = size_t(n);
    std::vector<Expression> Q(size), rate(size);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k <= i; ++k) {
        Q[size_t(i)] = Q[size_t(i)] + symbol("q", k);
        rate[size_t(i)] = rate[size_t(i)] + symbol("v", k);
      }
    const auto masses = [&](int from) {
      Expression sum;
      for (int k = from; k < n; ++k) sum = sum + symbol("m", k);
      return sum;
    };
    const auto lengths = [&](int i, int j) {
      return symbol("L", i) * symbol("L", j) * masses(std::max(i, j));
    };
    const std::vector<Expression> M = arm.generated("mass_matrix"), b = arm.generated("bias"),
                                  g = arm.generated("gravity"),
                                  C = arm.generated("coriolis_matrix"),
                                  C_G = arm.generated("coriolis_matrix_by_christoffel_symbols"),
                                  G = arm.generated("christoffel_symbols");
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        Expression sum;
        for (int k = i; k < n; ++k)
          for (int l = j; l < n; ++l) sum = sum + lengths(k, l) * cos(Q[size_t(k)] - Q[size_t(l)]);
        arm.expect_equal(M[size_t(i * n + j)], sum);
      }
      Expression gravity, centrifugal, product, symbols;
      for (int k = i; k < n; ++k) {
        gravity = gravity + symbol("L", k) * masses(k) * arm.formula()("g") * cos(Q[size_t(k)]);
        for (int l = 0; l < n; ++l)
          centrifugal = centrifugal + lengths(k, l) * sin(Q[size_t(k)] - Q[size_t(l)]) *
                                          rate[size_t(l)] * rate[size_t(l)];
      }
      for (int j = 0; j < n; ++j) {
        product = product + C[size_t(i * n + j)] * symbol("v", j);
        Expression row;
        for (int k = 0; k < n; ++k) row = row + G[size_t((i * n + j) * n + k)] * symbol("v", k);
        arm.expect_equal(C_G[size_t(i * n + j)], row);
        symbols = symbols + row * symbol("v", j);
      }
      arm.expect_equal(g[size_t(i)], gravity);
      arm.expect_equal(product, centrifugal);
      arm.expect_equal(symbols, centrifugal);
      arm.expect_equal(b[size_t(i)], centrifugal + gravity);
    }
  }
}

// Checks RCFS's equations in numbers: relative M = L^T M L, and C v + g.
TEST(EquationsOfNLinks, AreTheSamplesOfRcfs) {
  int compared = 0;
  const Json table = stored_table("planar_nlink.json");
  for (const Json& sample : table["samples"]) {
    const int n = sample["N"];
    if (n > 3) continue;
    const auto model = build(planar_n_link(vector(sample["l"]), vector(sample["m"])));
    const Matrix L = Matrix::Ones(n, n).triangularView<Eigen::Lower>();
    const Vector q = vector(sample["q"]), qd = vector(sample["qd"]), x = L.inverse() * q,
                 v = L.inverse() * qd;
    const Vec3<double> gravity{0, -double(sample["g"]), 0};
    State state(model);
    state.set_q(std::span(x.data(), size_t(n)));
    state.v.assign(v.begin(), v.end());
    state.set_gravity(gravity);
    const Vector zero = Vector::Zero(n);
    const Point point{state, zero, zero, zero, zero};
    const Matrix M = L.transpose() * matrix(sample["M"]) * L;
    const Vector g = L.transpose() * vector(sample["gvec"]),
                 b = L.transpose() * (matrix(sample["C"]) * qd.cwiseProduct(qd)) + g;
    const auto value = [&](const char* quantity) {
      return Generated(model, quantity, {}, gravity)(point)[0];
    };
    EXPECT_TRUE(close(value("mass_matrix"), M, M.norm(), 1e-13));
    EXPECT_TRUE(close(value("gravity"), g, g.norm(), 1e-13));
    EXPECT_TRUE(close(value("bias"), b, b.norm(), 1e-13));
    ++compared;
  }
  EXPECT_GE(compared, 4);  // of 2 and 3 links
}

TEST(Latex, PrintsSmallFormulae) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"2", "2"},
      {"-m1", "-m_{1}"},
      {"0.5*m1*v1**2", "\\tfrac{1}{2}\\,m_{1}\\,v_{1}^{2}"},
      {"cos(q1)*cos(q2) - sin(q1)*sin(q2)", "c_{12}"},
      {"sin(q1-q2)", "\\sin(q_{1}-q_{2})"},
      {"m1*L1*L1 + m2*L1*L1", "L_{1}^{2}\\,(m_{1} + m_{2})"},
      {"3*m1*g*sin(q1)", "3\\,m_{1}\\,g\\,s_{1}"},
      {"0 - 2*m2*v1*v2*sin(q2) - m2*v2**2*sin(q2)",
       "-m_{2}\\,(2\\,v_{1}\\,v_{2} + v_{2}^{2})\\,s_{2}"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(Formula().latex_of(text), expected) << text;
}

TEST(Latex, SaysWhatHasNoPolynomial) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  try {
    (void)latex_document(model, {.name = "arm", .quantities = {"forward_dynamics"}, .symbols = {}});
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("forward_dynamics of this robot has quotients and cannot be "
                                    "printed as a polynomial"));
  }
  const CodeOptions options{
      .name = "my_arm", .quantities = {"mass_matrix", "gravity"}, .symbols = {}};
  const std::string document = latex_document(model, options);
  EXPECT_THAT(document, testing::HasSubstr("\\texttt{my\\_arm}"));
  EXPECT_THAT(document, testing::HasSubstr("M_{12} &= 1 + c_{2}"));
  EXPECT_THAT(document, testing::Not(testing::HasSubstr("M_{21}")));
  EXPECT_EQ(document, latex_document(model, options));
}

}  // namespace
}  // namespace torsor::test
