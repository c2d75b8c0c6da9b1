// Tests of generated programs: they compile without warnings, run, and have the values of the
// formulae.

#include "torsor/symbolic/code.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cctype>
#include <cstdio>
#include <lua.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/shell.hpp"
#include "symbolic/symbol_values.hpp"
#include "torsor/base/error.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;
using testing::HasSubstr;

// A robot, and how it is generated.
struct CodeCase {
  const char* name;
  std::shared_ptr<const Model> model;
  CodeOptions options;
};

// Names the case in messages of GoogleTest.
void PrintTo(const CodeCase& each, std::ostream* out) {
  *out << each.name;
}

std::vector<std::string> all_quantities() {
  std::vector<std::string> out;
  for (const FormulaRow& row : formula_rows()) out.emplace_back(row.name);
  return out;
}

std::vector<CodeCase> code_cases() {
  std::vector<CodeCase> out;
  const auto add = [&](const char* name, const RobotDescription& robot,
                       const SymbolChoice& choice) {
    CodeOptions options;
    options.name = name;
    options.quantities = all_quantities();
    options.symbols = choice;
    out.push_back({name, build(robot), options});
  };
  const auto choice = [](Inertias inertias, bool lengths) {
    SymbolChoice symbols;
    symbols.inertias = inertias;
    symbols.symbolic_geometry = lengths;
    return symbols;
  };
  const RobotDescription arm = rx90(stored_table("rx90.json"), RxParameters::standard);
  add("rx90", arm, {});
  SymbolChoice all = choice(Inertias::standard, true);
  all.wrenches = {2, 6};
  all.friction = true;
  add("rx90_standard", arm, all);
  add("rx90_base", arm, choice(Inertias::base, true));
  SymbolChoice central = choice(Inertias::central, true);
  central.omit_zeros = true;
  add("planar", planar_n_link(Vector::Ones(2), Vector::Ones(2)), central);
  SymbolChoice loaded;
  loaded.wrenches = {1, 2, 3};
  loaded.friction = true;
  add("tree", random_robot(3, Shape::tree, 21, Kinds::every), loaded);
  all.wrenches = {1};
  add("screws",
      random_robot(3, Shape::chain, 22,
                   std::vector{JointKind::helical, JointKind::prismatic, JointKind::revolute}),
      all);
  add("floating",
      random_robot(2, Shape::chain, 23, std::vector{JointKind::floating, JointKind::revolute}),
      choice(Inertias::central, false));
  add("long_tree", random_robot(9, Shape::tree, 24, Kinds::every),
      choice(Inertias::standard, true));
  out.back().options.quantities = {"inverse_dynamics", "forward_dynamics", "mass_matrix"};
  return out;
}

const Language& language(std::string_view name) {
  for (const Language& each : languages())
    if (each.name == name) return each;
  throw std::runtime_error("no such language");
}

// Returns the values of the parameters of each function, by the comment above it.
std::map<std::string, std::vector<double>> parameters_in(const std::string& text,
                                                         const CodeOptions& options) {
  std::map<std::string, std::vector<double>> out;
  std::vector<double> pending;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t equal = line.find(" = ");
    const bool comment = line.starts_with("//") || line.starts_with("--") || line.starts_with("#");
    const bool parameter = comment && equal != line.npos && line.find(": ") < equal;
    if (parameter) pending.push_back(std::stod(line.substr(equal + 3)));
    if (comment) continue;
    for (const std::string& quantity : options.quantities)
      if (line.find(options.name + "_" + quantity + "(") != line.npos ||
          line.find("functions." + quantity + "(") != line.npos) {
        if (!out.contains(quantity)) out[quantity] = pending;
        pending.clear();
      }
  }
  return out;
}

// Returns the input arrays of a function in the documented order.
std::vector<std::vector<double>> inputs_of(const FormulaRow& row, const CodeOptions& options,
                                           const std::vector<double>& parameters,
                                           const Point& point) {
  const auto list = [](auto span) { return std::vector<double>(span.begin(), span.end()); };
  std::vector<std::vector<double>> out;
  if (!parameters.empty()) out.push_back(parameters);
  for (const std::string_view input : row.inputs)
    out.push_back(input == "q"       ? list(point.state.q())
                  : input == "v"     ? point.state.v
                  : input == "vdot"  ? list(point.vdot)
                  : input == "vddot" ? list(point.vddot)
                  : input == "tau"   ? list(point.tau)
                                     : list(point.vdddot));
  if (!options.symbols.wrenches.empty() && row.has_wrenches) {
    const double* F = point.state.view().F_B;
    out.emplace_back(F, F + 6 * point.state.model().n_body);
  }
  if (options.symbols.friction && row.has_joint_torques) {
    out.emplace_back();
    for (const double v : point.state.v) out.back().push_back(v > 0 ? 1 : -1);
  }
  return out;
}

// The values of the results of a quantity, one after another, without pivots.
struct Expected {
  std::vector<size_t> sizes;
  Vector values;
};
Expected expected_of(const CodeCase& each, const std::string& quantity, const Point& point) {
  const Generated generated(each.model, quantity, each.options.symbols, each.options.gravity_W);
  const std::vector<Matrix> all = generated(point);
  Expected out;
  std::vector<double> values;
  for (size_t k = 0; k < all.size(); ++k) {
    if (generated.formulae().results[k].is_pivots) continue;
    out.sizes.push_back(size_t(all[k].size()));
    values.insert(values.end(), all[k].data(), all[k].data() + all[k].size());
  }
  out.values = Eigen::Map<const Vector>(values.data(), Eigen::Index(values.size()));
  return out;
}

Point point_of(const CodeCase& each, uint64_t seed) {
  Random random(seed);
  Point point = random_point(each.model, random);
  point.state.set_gravity(each.options.gravity_W);
  if (!each.options.symbols.wrenches.empty()) {
    std::vector<Wrench<double>> F(size_t(each.model->n_body));
    for (const int i : each.options.symbols.wrenches)
      F[size_t(i)] = {random.vector(5), random.vector(20)};
    point.state.set_wrenches(F);
  }
  return point;
}

// Compilers may contract products and sums, which changes the last digits.
constexpr double rounding = 1e-12;

class Loaded {
 public:
  explicit Loaded(const std::filesystem::path& file) : library_(dlopen(file.c_str(), RTLD_NOW)) {
    EXPECT_TRUE(library_) << dlerror();
  }
  ~Loaded() { dlclose(library_); }
  Loaded(const Loaded&) = delete;
  template <class Function>
  Function* get(const std::string& name) const {
    const auto function = reinterpret_cast<Function*>(dlsym(library_, name.c_str()));
    EXPECT_TRUE(function) << name;
    return function;
  }

 private:
  void* library_;
};

// Returns a function call_QUANTITY for each quantity, which takes an array of its arguments.
std::string callers(const CodeCase& each,
                    const std::map<std::string, std::vector<double>>& parameters,
                    const char* signature, const char* before) {
  std::string out;
  const Point point = point_of(each, 1);
  for (const std::string& quantity : each.options.quantities) {
    const size_t n =
        inputs_of(formula_row(quantity), each.options, parameters.at(quantity), point).size() +
        expected_of(each, quantity, point).sizes.size();
    std::string list;
    for (size_t k = 0; k < n; ++k) list += (k ? ", a[" : "a[") + std::to_string(k) + "]";
    out += "void call_" + quantity + signature + each.options.name + "_" + quantity + "(" + before +
           list + ");\n}\n";
  }
  return out;
}

bool has_program(const std::string& program) {
  std::string output;
  return WorkFolder().run("command -v " + program, output) == 0;
}

class CodeOf : public testing::TestWithParam<CodeCase> {
 protected:
  GeneratedCode generate(const char* name) const {
    return generate_code(GetParam().model, GetParam().options, language(name));
  }
  void expect_values(const std::string& quantity, const Point& point,
                     const std::vector<double>& found) const {
    const Vector expected = expected_of(GetParam(), quantity, point).values;
    const Vector values = Eigen::Map<const Vector>(found.data(), Eigen::Index(found.size()));
    ASSERT_EQ(values.size(), expected.size()) << quantity;
    EXPECT_TRUE(close(values, expected, expected.norm(), rounding)) << quantity;
  }
};
INSTANTIATE_TEST_SUITE_P(Robots, CodeOf, testing::ValuesIn(code_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(CodeOf, IsTheSameTextAgain) {
  for (const Language& each : languages()) {
    const std::string text = generate(each.name).text;
    EXPECT_EQ(text, generate(each.name).text) << each.name;
    EXPECT_EQ(
        text,
        generate_code(std::make_shared<Model>(*GetParam().model), GetParam().options, each).text)
        << each.name;
  }
}

TEST_P(CodeOf, CallsNoFunctionsButSineAndCosine) {
  const std::string text = generate("c").text;
  std::set<std::string> called;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//")) continue;
    for (size_t at = line.find('('); at != line.npos; at = line.find('(', at + 1)) {
      size_t begin = at;
      while (begin > 0 &&
             (std::isalnum(static_cast<unsigned char>(line[begin - 1])) || line[begin - 1] == '_'))
        --begin;
      called.insert(line.substr(begin, at - begin));
    }
  }
  std::set<std::string> allowed{"", "sin", "cos", "__attribute__"};
  for (const std::string& quantity : GetParam().options.quantities)
    allowed.insert(GetParam().options.name + "_" + quantity);
  for (const std::string& name : called)
    EXPECT_TRUE(allowed.contains(std::regex_replace(name, std::regex("_part[0-9]+$"), ""))) << name;
}

TEST_P(CodeOf, InCHasTheValuesOfTheFormulae) {
  const GeneratedCode made = generate("c");
  if (std::string_view(GetParam().name) == "long_tree") {
    EXPECT_THAT(made.text, HasSubstr("  long_tree_forward_dynamics_part2("));
  }
  const auto parameters = parameters_in(made.text, GetParam().options);
  WorkFolder folder;
  folder.write("robot.c", made.text);
  folder.write("all.c", "#include \"robot.c\"\n" +
                            callers(GetParam(), parameters, "(double **a) {\n  ", ""));
  for (const std::string compiler : {"gcc", "clang"}) {
    SCOPED_TRACE(compiler);
    if (!has_program(compiler)) GTEST_SKIP() << compiler << " is not installed";
    std::string output;
    ASSERT_EQ(folder.run(compiler + " -std=c11 -pedantic -Wall -Wextra -Werror -O0 -fPIC -shared " +
                             "all.c -o " + compiler + ".so -lm",
                         output),
              0)
        << output;
    const Loaded library(folder.path() / (compiler + ".so"));
    for (const std::string& quantity : GetParam().options.quantities) {
      const auto call = library.get<void(double**)>("call_" + quantity);
      ASSERT_TRUE(call);
      for (uint64_t seed = 1; seed <= 5; ++seed) {
        const Point point = point_of(GetParam(), seed);
        auto arrays =
            inputs_of(formula_row(quantity), GetParam().options, parameters.at(quantity), point);
        const size_t n_in = arrays.size();
        for (const size_t size : expected_of(GetParam(), quantity, point).sizes)
          arrays.emplace_back(size, std::numeric_limits<double>::quiet_NaN());
        std::vector<double*> pointers;
        for (auto& array : arrays) pointers.push_back(array.data());
        call(pointers.data());
        std::vector<double> found;
        for (size_t k = n_in; k < arrays.size(); ++k)
          found.insert(found.end(), arrays[k].begin(), arrays[k].end());
        expect_values(quantity, point, found);
      }
    }
  }
}

// Checks that functions of a thread per state compute all states, and nothing beyond the last one.
TEST_P(CodeOf, ForCudaHasTheValuesOfTheFormulae) {
  const GeneratedCode made = generate("cuda");
  const auto parameters = parameters_in(made.text, GetParam().options);
  WorkFolder folder;
  folder.write("robot.cu", made.text);
  const std::string kernels =
      "#include <cmath>\nusing std::cos, std::sin;\n#define __global__\n"
      "struct Index { int x; };\nstatic Index blockIdx, blockDim, threadIdx;\n"
      "#include \"robot.cu\"\nextern \"C\" {\n" +
      callers(GetParam(), parameters,
              "(int n, double **a) {\n  blockDim.x = 2;\n  for (int t = 0; t < 6; ++t) {\n    "
              "blockIdx.x = t / 2;\n    threadIdx.x = t % 2;\n    ",
              "n, ");
  std::string text = kernels + "}\n";
  for (size_t at = 0; (at = text.find(");\n}\n", at)) != text.npos; at += 6)
    text.replace(at, 5, ");\n}}\n");
  folder.write("all.cpp", text);
  std::string output;
  ASSERT_EQ(folder.run("c++ -std=c++17 -O0 -fPIC -shared all.cpp -o all.so", output), 0) << output;
  const Loaded library(folder.path() / "all.so");
  constexpr size_t states = 5;
  for (const std::string& quantity : GetParam().options.quantities) {
    const auto call = library.get<void(int, double**)>("call_" + quantity);
    ASSERT_TRUE(call);
    std::vector<Point> points;
    std::vector<std::vector<double>> all;
    size_t n_in = 0;
    std::vector<size_t> sizes;
    for (size_t k = 0; k < states; ++k) {
      points.push_back(point_of(GetParam(), k + 1));
      auto arrays = inputs_of(formula_row(quantity), GetParam().options, parameters.at(quantity),
                              points.back());
      n_in = arrays.size();
      all.resize(n_in);
      for (size_t i = 0; i < n_in; ++i)
        if (k == 0 || i > 0 || parameters.at(quantity).empty())
          all[i].insert(all[i].end(), arrays[i].begin(), arrays[i].end());
    }
    sizes = expected_of(GetParam(), quantity, points[0]).sizes;
    for (const size_t size : sizes) all.emplace_back(size * (states + 1), 12345.0);
    std::vector<double*> pointers;
    for (auto& array : all) pointers.push_back(array.data());
    call(int(states), pointers.data());
    for (size_t k = 0; k < states; ++k) {
      std::vector<double> found;
      for (size_t r = 0; r < sizes.size(); ++r) {
        const auto begin = all[n_in + r].begin() + long(k * sizes[r]);
        found.insert(found.end(), begin, begin + long(sizes[r]));
      }
      expect_values(quantity, points[k], found);
    }
    for (size_t r = 0; r < sizes.size(); ++r) EXPECT_EQ(all[n_in + r].back(), 12345.0);
  }
}

TEST_P(CodeOf, CompilesForCuda) {
  const std::string nvcc = NVCC;
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is not installed";
  WorkFolder folder;
  folder.write("robot.cu", generate("cuda").text);
  std::string output;
  EXPECT_EQ(folder.run(nvcc + " --ptx -w robot.cu -o robot.ptx", output), 0) << output;
  for (const std::string& quantity : GetParam().options.quantities)
    EXPECT_THAT(folder.read("robot.ptx"), HasSubstr(GetParam().options.name + "_" + quantity));
}

// Returns numbers as the elements of a list.
std::string joined(const std::vector<double>& numbers) {
  std::string out;
  char text[40];
  for (const double x : numbers) {
    std::snprintf(text, sizeof text, "%.17g, ", x);
    out += text;
  }
  return out;
}
std::vector<double> numbers_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (std::string word; in >> word;) out.push_back(std::stod(word));
  return out;
}

TEST_P(CodeOf, InLuaHasTheValuesOfTheFormulae) {
  const GeneratedCode made = generate("lua");
  const auto parameters = parameters_in(made.text, GetParam().options);
  const std::unique_ptr<lua_State, decltype(&lua_close)> lua(luaL_newstate(), lua_close);
  luaL_openlibs(lua.get());
  ASSERT_EQ(luaL_dostring(lua.get(), made.text.c_str()), LUA_OK) << lua_tostring(lua.get(), -1);
  lua_setglobal(lua.get(), "robot");
  for (const std::string& quantity : GetParam().options.quantities) {
    const Point point = point_of(GetParam(), 3);
    std::string list;
    for (const auto& array :
         inputs_of(formula_row(quantity), GetParam().options, parameters.at(quantity), point))
      list += (list.empty() ? "{" : ", {") + joined(array) + "}";
    const std::string call = "local words = {}\nfor _, list in ipairs{robot." + quantity + "(" +
                             list +
                             ")} do\n  for _, x in ipairs(list) do words[#words + 1] = "
                             "string.format('%.17g', x) end\nend\nreturn table.concat(words, ' ')";
    ASSERT_EQ(luaL_dostring(lua.get(), call.c_str()), LUA_OK)
        << quantity << ": " << lua_tostring(lua.get(), -1);
    expect_values(quantity, point, numbers_in(lua_tostring(lua.get(), -1)));
    lua_pop(lua.get(), 1);
  }
}

// Returns a Python that has NumPy, or "".
std::string numpy_python() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::string output;
    if (WorkFolder().run(std::string(python) + " -c 'import numpy'", output) == 0) return python;
  }
  return "";
}

TEST_P(CodeOf, InPythonHasTheValuesOfTheFormulae) {
  static const std::string python = numpy_python();
  if (python.empty()) GTEST_SKIP() << "python3 with numpy is not installed";
  const GeneratedCode made = generate("numpy");
  const auto parameters = parameters_in(made.text, GetParam().options);
  WorkFolder folder;
  folder.write("robot.py", made.text);
  std::string script = "import numpy as np\nimport robot\n";
  const Point point = point_of(GetParam(), 4);
  for (const std::string& quantity : GetParam().options.quantities) {
    std::string list, shapes;
    for (const auto& array :
         inputs_of(formula_row(quantity), GetParam().options, parameters.at(quantity), point))
      list += (list.empty() ? "np.array([" : ", np.array([") + joined(array) + "])";
    script += "r = robot." + GetParam().options.name + "_" + quantity + "(" + list +
              ")\nprint(*[repr(float(x)) for a in (r if isinstance(r, tuple) else (r,)) for x in "
              "a.flatten()])\n";
  }
  const int n = GetParam().model->n_v;
  const std::string first =
      inputs_of(formula_row("mass_matrix"), GetParam().options, parameters.at("mass_matrix"), point)
                  .size() == 2
          ? "np.array([" + joined(parameters.at("mass_matrix")) + "]), "
          : "";
  const std::vector<double> q(point.state.q().begin(), point.state.q().end());
  script += "print(robot." + GetParam().options.name + "_mass_matrix(" + first + "np.array([" +
            joined(q) + "])).shape)\n";
  folder.write("run.py", script);
  std::string output;
  ASSERT_EQ(folder.run(python + " run.py", output), 0) << output;
  std::istringstream lines(output);
  for (const std::string& quantity : GetParam().options.quantities) {
    std::string line;
    std::getline(lines, line);
    expect_values(quantity, point, numbers_in(line));
  }
  const std::string size = std::to_string(n);
  EXPECT_THAT(output, testing::EndsWith("(" + size + ", " + size + ")\n"));
}

// Checks a joint that moves nothing: its acceleration would be a quotient by zero.
TEST(Code, SaysThatAMassMatrixIsSingular) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.links.back().inertia = SpatialInertia<double>::zero();
  const auto model = build(robot);
  const auto generate = [&](const char* quantity) {
    return generate_code(model, {.name = "arm", .quantities = {quantity}, .symbols = {}},
                         language("c"))
        .text;
  };
  for (const char* quantity : {"forward_dynamics", "inverse_mass_matrix"}) {
    try {
      (void)generate(quantity);
      ADD_FAILURE() << "no Error was thrown";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::StartsWith("the mass matrix of this robot is singular: joint 'joint2' "
                                      "moves no inertia; give its link an inertia"));
    }
  }
  for (const char* quantity : {"inverse_dynamics", "mass_matrix"})
    EXPECT_THAT(generate(quantity), testing::Not(testing::ContainsRegex("inf|nan")));
}

TEST(Code, NamesItsFunctionsByAnIdentifier) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  for (const char* name : {"", "2r", "_arm", "my arm", "a-b", "a;b", "\xc3\xa4rm", "arm\n"}) {
    try {
      (void)generate_code(model, {.name = name, .quantities = {"gravity"}, .symbols = {}},
                          language("c"));
      ADD_FAILURE() << "accepted '" << name << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "'" + std::string(name) +
                                  "' cannot be the name of a function; give a name of letters, "
                                  "digits and '_' that begins with a letter, with --name");
    }
  }
  EXPECT_NO_THROW(require_identifier("arm_2"));
}

}  // namespace
}  // namespace torsor::test
