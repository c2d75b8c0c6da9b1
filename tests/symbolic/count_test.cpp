// Tests of the RX-90 of KHALIL: the numbers of operations are at most those of Tables 7.5 and 7.6,
// and the listing of the appendix gives the same torques.

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/formula_text.hpp"
#include "symbolic/symbol_values.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;

// The choice of KHALIL: lengths and gravity are symbols, a wrench acts on link 6, there is no
// friction. Simplified: the parameters that are zero in a robot of symmetric links have no symbols.
SymbolChoice khalil(Inertias inertias, bool simplified) {
  SymbolChoice choice;
  choice.symbolic_geometry = true;
  choice.inertias = inertias;
  choice.omit_zeros = simplified;
  choice.wrenches = {6};
  return choice;
}
std::shared_ptr<const Model> rx90_model() {
  return build(rx90(stored_table("rx90.json"), RxParameters::standard));
}

struct PrintedCount {
  const char* quantity;
  Inertias inertias;
  bool simplified;
  long multiplications, additions;
};
constexpr PrintedCount printed_counts[] = {
    {"inverse_dynamics", Inertias::standard, false, 294, 283},
    {"inverse_dynamics", Inertias::base, false, 253, 238},
    {"inverse_dynamics", Inertias::standard, true, 202, 153},
    {"inverse_dynamics", Inertias::base, true, 160, 113},
    {"forward_dynamics", Inertias::base, false, 889, 653},
    {"forward_dynamics", Inertias::base, true, 637, 423},
};

TEST(Rx90, NeedsNoMoreOperationsThanInTheTables) {
  const auto model = rx90_model();
  for (const PrintedCount& printed : printed_counts) {
    const Generated generated(model, printed.quantity,
                              khalil(printed.inertias, printed.simplified));
    Program program = generated.program();
    // without the pivots, which are no result for a user
    std::vector<Expression> results;
    for (const Result& result : generated.formulae().results)
      if (!result.is_pivots)
        results.insert(results.end(), result.entries.begin(), result.entries.end());
    const OperationCount count = Program(*generated.formulae().graph, results).count();
    std::printf("%s, %s%s: %ld multiplications of %ld, %ld additions of %ld, %ld divisions\n",
                printed.quantity, printed.inertias == Inertias::base ? "base" : "standard",
                printed.simplified ? ", simplified" : "", count.multiplications,
                printed.multiplications, count.additions, printed.additions, count.divisions);
    EXPECT_LE(count.multiplications, printed.multiplications);
    EXPECT_LE(count.additions, printed.additions);
    EXPECT_LE(count.divisions, 6);
    EXPECT_EQ(count.sines_cosines, 12);
    // the formulae have been regrouped
    NodeNames names;
    Graph& graph = *generated.formulae().graph;
    EXPECT_EQ(Program(graph, regroup(graph, results, names)).count(), count);
  }
}

// Counts depend on no number: another robot with the same zeros has the same count.
TEST(Rx90, HasTheSameCountWithOtherNumbers) {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  Random random(3);
  for (LinkDescription& link : robot.links) {
    link.inertia = random_inertia(random, 0.2, 5);
    link.joint.armature = random.uniform(0.1, 1);
  }
  for (const Inertias inertias : {Inertias::standard, Inertias::base}) {
    const SymbolChoice choice = khalil(inertias, false);
    EXPECT_EQ(Generated(build(robot), "inverse_dynamics", choice).program().count(),
              Generated(rx90_model(), "inverse_dynamics", choice).program().count());
  }
}

// An equation NAME=FORMULA of the listing. An asterisk marks constants.
struct Equation {
  bool is_constant;
  std::string name, formula;
};
std::vector<Equation> listing() {
  const std::string file = TORSOR_SOURCE_DIR "/tests/reference/rx90_listing.txt";
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::vector<Equation> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool constant = line[0] == '*';
    const size_t equal = line.find('=');
    out.push_back({constant, line.substr(constant, equal - constant), line.substr(equal + 1)});
  }
  return out;
}

// Returns the values of all names of the listing for these values of its symbols.
template <class T>
std::map<std::string, T> run_listing(std::map<std::string, T> values) {
  for (const Equation& equation : listing()) {
    const T value = FormulaText<T>(equation.formula,
                                   [&](const std::string& name) { return values.at(name); })();
    EXPECT_TRUE(values.emplace(equation.name, value).second) << equation.name;
  }
  return values;
}

// The symbols of the listing that are parameters, with the values of the table.
std::map<std::string, double> listed_parameters() {
  const Json base = stored_table("rx90.json")["base_full"];
  // XX XY XZ YY YZ ZZ
  const auto J = [&](int link, int entry) { return base["J_O"][link - 1][entry].get<double>(); };
  const auto MS = [&](int link, int axis) { return base["MS"][link - 1][axis].get<double>(); };
  std::map<std::string, double> out{{"ZZ1R", J(1, 5)},  {"XXR2", J(2, 0)},  {"ZZR2", J(2, 5)},
                                    {"MXR2", MS(2, 0)}, {"MY2", MS(2, 1)},  {"XXR3", J(3, 0)},
                                    {"ZZR3", J(3, 5)},  {"MYR3", MS(3, 1)}, {"XXR4", J(4, 0)},
                                    {"ZZR4", J(4, 5)},  {"XXR5", J(5, 0)},  {"ZZR5", J(5, 5)},
                                    {"MYR5", MS(5, 1)}, {"XXR6", J(6, 0)},  {"ZZ6", J(6, 5)},
                                    {"d3", 0.45},       {"RL4", 0.45},      {"G3", -9.81}};
  for (int i = 3; i <= 6; ++i) out["IA" + std::to_string(i)] = base["IA"][i - 1].get<double>();
  return out;
}

TEST(Rx90, HasTheTorquesOfTheListing) {
  ASSERT_EQ(listing().size(), 132u);
  const auto model = rx90_model();
  const Frame& tool = model->frames[size_t(model->frame("link6"))];
  double worst = 0;
  for (const bool simplified : {false, true}) {
    for (const Inertias inertias : {Inertias::base, Inertias::standard, Inertias::numeric}) {
      const Generated generated(model, "inverse_dynamics", khalil(inertias, simplified));
      Random random(90);
      for (int sample = 0; sample < 100; ++sample) {
        Point point = random_point(model, random);
        point.state.set_gravity({0, 0, -9.81});
        // the wrench by the link on the environment
        const Vec3<double> C = random.vector(5), F = random.vector(20);
        point.state.add_wrench(tool, {-C, -F});
        std::map<std::string, double> values = listed_parameters();
        for (size_t i = 0; i < 6; ++i) {
          const std::string number = std::to_string(i + 1);
          const double q = point.state.q()[i];
          values["S" + number] = std::sin(q), values["C" + number] = std::cos(q);
          values["QP" + number] = point.state.v[i];
          values["QDP" + number] = point.vdot[Eigen::Index(i)];
        }
        values.merge(std::map<std::string, double>{
            {"FX6", F.x}, {"FY6", F.y}, {"FZ6", F.z}, {"CX6", C.x}, {"CY6", C.y}, {"CZ6", C.z}});
        values = run_listing(std::move(values));
        Vector listed(6);
        for (int i = 0; i < 6; ++i) listed[i] = values.at("GAM" + std::to_string(i + 1));
        const Matrix found = generated(point)[0];
        EXPECT_TRUE(close(found, listed, listed.norm(), 1e-13));
        worst = std::max(worst, (found - listed).norm() / listed.norm());
      }
    }
  }
  std::printf("largest difference %.1e\n", worst);
}

// A scalar that counts the operations of formulae. The sign of a first term is not counted.
struct Counted {
  static inline long multiplications, additions;
  bool zero = false;
  Counted() = default;
  explicit Counted(double x) : zero(x == 0) {}
  friend Counted operator+(Counted, Counted) { return ++additions, Counted(); }
  friend Counted operator-(Counted a, Counted) { return additions += !a.zero, Counted(); }
  friend Counted operator*(Counted, Counted) { return ++multiplications, Counted(); }
  friend Counted sin(Counted x) { return x; }
  friend Counted cos(Counted x) { return x; }
};

// Checks that the stored listing has the operations that the appendix states. As expressions, it
// needs no more, because equal products are one node.
TEST(Rx90, CountsTheOperationsOfTheListing) {
  Counted::multiplications = Counted::additions = 0;
  for (const Equation& equation : listing())
    if (!equation.is_constant)
      FormulaText<Counted>(equation.formula, [](const std::string&) { return Counted(); })();
  EXPECT_EQ(Counted::multiplications, 160);
  EXPECT_EQ(Counted::additions, 113);
  Graph graph;
  std::map<std::string, Expression> values;
  for (const auto& [name, value] : listed_parameters())
    values[name] = graph.symbol({name, SymbolKind::parameter, "", -1});
  for (const char* name : {"S", "C", "QP", "QDP"})
    for (int i = 1; i <= 6; ++i) {
      const std::string symbol = name + std::to_string(i);
      values[symbol] = graph.symbol({symbol, SymbolKind::state, "", -1});
    }
  for (const char* name : {"FX6", "FY6", "FZ6", "CX6", "CY6", "CZ6"})
    values[name] = graph.symbol({name, SymbolKind::state, "", -1});
  values = run_listing(std::move(values));
  std::vector<Expression> torques;
  for (int i = 1; i <= 6; ++i) torques.push_back(values.at("GAM" + std::to_string(i)));
  const OperationCount count = Program(graph, torques).count();
  EXPECT_LE(count.multiplications, 160);
  EXPECT_LE(count.additions, 113);
  std::printf("listing as expressions: %ld multiplications, %ld additions\n", count.multiplications,
              count.additions);
}

}  // namespace
}  // namespace torsor::test
