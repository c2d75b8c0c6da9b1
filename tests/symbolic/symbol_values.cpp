#include "symbolic/symbol_values.hpp"

#include <map>
#include <stdexcept>

#include "support/random_state.hpp"

namespace torsor::test {

using namespace symbolic;

Point random_point(const std::shared_ptr<const Model>& model, Random& random) {
  const auto vector = [&](double size) {
    const std::vector<double> x = random_values(random, model->n_v, size);
    return Vector(Eigen::Map<const Vector>(x.data(), model->n_v));
  };
  State state = random_state(model, random);
  const Vector vdot = vector(5), vddot = vector(5), vdddot = vector(5), tau = vector(20);
  return {std::move(state), vdot, vddot, vdddot, tau};
}

std::vector<double> symbol_values(const SymbolicModel& model, const Point& point) {
  const torsor_state state = point.state.view();
  std::vector<double> signs;
  for (const double v : point.state.v) signs.push_back(v > 0 ? 1 : v < 0 ? -1 : 0);
  const Model& m = model.model();
  std::vector<double> sines(size_t(m.n_q)), cosines(size_t(m.n_q));
  for (int i = 1; i < m.n_body; ++i) {
    if (m.v_count[size_t(i)] != 1) continue;
    const size_t k = size_t(m.q_index[size_t(i)]);
    sines[k] = std::sin(m.turn[size_t(i)] * point.state.q()[k]);
    cosines[k] = std::cos(m.turn[size_t(i)] * point.state.q()[k]);
  }
  const std::map<std::string, const double*, std::less<>> arrays{
      {"q", point.state.q().data()},
      {"sine", sines.data()},
      {"cosine", cosines.data()},
      {"v", point.state.v.data()},
      {"vdot", point.vdot.data()},
      {"vddot", point.vddot.data()},
      {"vdddot", point.vdddot.data()},
      {"tau", point.tau.data()},
      {"X", &point.state.X_PB()[0].R.m[0]},
      {"V_W", state.V_W},
      {"A_W", state.A_W},
      {"F_B", state.F_B},
      {"sign_v", signs.data()}};
  std::map<std::string, double, std::less<>> parameters;
  for (const symbolic::Parameter& parameter : model.parameters())
    parameters.emplace(parameter.name, parameter.value);
  std::vector<double> out;
  for (const Symbol& symbol : model.graph().symbols()) {
    if (symbol.kind == SymbolKind::parameter) {
      out.push_back(parameters.at(symbol.name));
    } else {
      const double* array = arrays.at(symbol.array);
      if (!array) throw std::runtime_error("the state has no wrenches");
      out.push_back(array[symbol.index]);
    }
  }
  return out;
}

Generated::Generated(const std::shared_ptr<const Model>& model, std::string_view quantity,
                     const SymbolChoice& choice, const Vec3<double>& gravity_W)
    : formulae_(symbolic::formulae(model, formula_row(quantity), choice, gravity_W)),
      program_(formulae_.program()) {}

std::vector<Matrix> Generated::operator()(const Point& point) const {
  const std::vector<double> symbols = symbol_values(*formulae_.model, point);
  const std::vector<double> values = evaluate<double>(program_, symbols);
  std::vector<Matrix> out;
  const double* from = values.data();
  for (const Result& result : formulae_.results) {
    const Eigen::Index rows = result.shape.empty() ? 1 : result.shape[0],
                       columns = rows ? Eigen::Index(result.entries.size()) / rows : 0;
    out.push_back(Eigen::Map<const Matrix>(from, rows, columns));
    from += result.entries.size();
  }
  return out;
}

}  // namespace torsor::test
