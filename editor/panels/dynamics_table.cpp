#include "editor/panels/dynamics_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace torsor::editor {

namespace {

struct ViewRow {
  const char *name, *label, *legend;
};
constexpr ViewRow views[] = {
    // in the order of DynamicsView
    {"M", "M", "mass matrix M"},
    {"Minv", "M⁻¹", "inverse mass matrix M⁻¹"},
    {"C", "C", "Coriolis matrix C"},
    {"g", "g", "gravity g"},
    {"bias", "b", "bias b = C v + g"},
    {"vdot", "v̇", "acceleration v̇"},
    {"tau", "τ", "joint torque τ of all that acts there"},
    {"J", "J", "frame Jacobian J"},
    {"split", "split", "M v̇ + C v + g, by joint and cause"},
};

const ViewRow& row_of(DynamicsView view) {
  return views[int(view)];
}

// Of a matrix that takes v or vdot to torques: kg, kg m or kg m².
std::string inertia_unit(bool row_turns, bool column_turns) {
  static constexpr const char* units[] = {"kg", "kg m", "kg m²"};
  return units[int(row_turns) + int(column_turns)];
}

void fill(DynamicsTable& table, const Answer& answer) {
  table.x = answer.x;
  table.failure = answer.failure;
}

std::string solver_clause(Probe& probe, Quantity quantity) {
  const Solver& solver = probe.solver();
  return fmt::format("{}{}", without_kind(solver.id()),
                     solver.capability(quantity) == Capability::derived ? ", derived" : "");
}

void fill_jacobian(DynamicsTable& table, Probe& probe, int frame) {
  const Eigen::MatrixXd& J = probe.jacobian(frame);
  table.rows = {"ωx", "ωy", "ωz", "vx", "vy", "vz"};
  table.row_turns = {true, true, true, false, false, false};
  for (Eigen::Index i = 0; i < J.rows(); ++i)
    for (Eigen::Index j = 0; j < J.cols(); ++j) table.x.push_back(J(i, j));
  table.source =
      fmt::format("V = J v is the twist of frame '{}' in its own axes about its own origin, angular first",
                  probe.state().model().frames[size_t(frame)].name);
}

void fill_split(DynamicsTable& table, const Split& split) {
  table.columns = {"inertial", "centrifugal", "Coriolis", "gravity", "sum"};
  table.failure = split.failure;
  if (!split.failure.empty()) return;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const double parts[] = {split.inertial[i], split.centrifugal[i], split.coriolis[i], split.gravity[i]};
    table.x.insert(table.x.end(), std::begin(parts), std::end(parts));
    table.x.push_back(parts[0] + parts[1] + parts[2] + parts[3]);
  }
}

}  // namespace

const char* name(DynamicsView view) {
  return row_of(view).name;
}
const char* label(DynamicsView view) {
  return row_of(view).label;
}
const char* legend(DynamicsView view) {
  return row_of(view).legend;
}

DynamicsView dynamics_view(const std::string& wanted) {
  std::vector<std::string> names;
  for (const DynamicsView view : dynamics_views) {
    if (wanted == name(view)) return view;
    names.emplace_back(name(view));
  }
  throw Error(fmt::format("there is no '{}' to show{}; there are {}", wanted, did_you_mean(wanted, names),
                          fmt::join(names, ", ")));
}

std::string DynamicsTable::unit(size_t row, size_t column) const {
  const bool turning = row_turns[row];
  switch (view) {
    case DynamicsView::M:
      return inertia_unit(turning, column_turns[column]);
    case DynamicsView::C:
      return inertia_unit(turning, column_turns[column]) + "/s";
    case DynamicsView::Minv: {
      const std::string inertia = inertia_unit(turning, column_turns[column]);
      return inertia == "kg" ? "1/kg" : "1/(" + inertia + ")";
    }
    case DynamicsView::vdot:
      return turning ? "rad/s²" : "m/s²";
    case DynamicsView::J:
      if (turning == column_turns[column]) return "1";
      return turning ? "rad/m" : "m/rad";
    default:
      return turning ? "N m" : "N";
  }
}

std::string DynamicsTable::common_unit() const {
  const std::string all = units();
  return all.find(',') == std::string::npos ? all : "";
}

std::string DynamicsTable::units() const {
  std::vector<std::string> seen;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < columns.size(); ++j)
      if (std::string one = unit(i, j); std::ranges::find(seen, one) == seen.end())
        seen.push_back(std::move(one));
  return fmt::format("{}", fmt::join(seen, ", "));
}

DynamicsTable dynamics_table(Probe& probe, DynamicsView view, int frame) {
  const Model& model = probe.state().model();
  DynamicsTable table{view, "", {}, {}, {}, {}, {}, ""};
  table.rows = model.column_names();
  for (int k = 0; k < model.n_v; ++k) table.row_turns.push_back(model.column(k).turns());
  table.columns = {""};
  table.column_turns = {false};
  const auto ask = [&](Quantity quantity) {
    if (indices(quantity) == 2) {
      table.columns = table.rows;
      table.column_turns = table.row_turns;
    }
    fill(table, probe.answer(quantity));
    table.source = solver_clause(probe, quantity);
  };
  switch (view) {
    case DynamicsView::M:
      ask(Quantity::mass_matrix);
      break;
    case DynamicsView::Minv:
      ask(Quantity::inverse_mass_matrix);
      break;
    case DynamicsView::C:
      ask(Quantity::coriolis_matrix);
      break;
    case DynamicsView::g:
      ask(Quantity::gravity);
      break;
    case DynamicsView::bias:
      ask(Quantity::bias);
      break;
    case DynamicsView::vdot:
      ask(Quantity::forward);
      break;
    case DynamicsView::tau:
      fill(table, probe.torque());
      break;
    case DynamicsView::J:
      table.columns = table.rows;
      table.column_turns = table.row_turns;
      fill_jacobian(table, probe, frame);
      break;
    case DynamicsView::split:
      fill_split(table, probe.split());
      table.source = without_kind(probe.solver().id());
      break;
  }
  return table;
}

namespace {

struct Format {
  const char *name, *comment, *begin, *row_begin, *row_end, *last_row_end, *end;
};
constexpr Format formats[] = {
    {"lua", "--", "local {} = {{\n", "  {", "},\n", "},\n", "}\n"},
    {"latex", "%", "\\begin{{pmatrix}}\n", "  ", " \\\\\n", "\n", "\\end{pmatrix}\n"},
    {"csv", "#", "", "", "\n", "\n", ""},
};

std::string units_of(const DynamicsTable& table) {
  if (const std::string one = table.common_unit(); !one.empty()) return "unit: " + one;
  std::string out = "units:";
  for (size_t i = 0; i < table.rows.size(); ++i) {
    out += i == 0 ? " " : "; ";
    for (size_t j = 0; j < table.columns.size(); ++j) out += (j == 0 ? "" : ", ") + table.unit(i, j);
  }
  return out;
}

std::string number(double x, const Format& format) {
  std::string text = fmt::format("{:.17g}", x);
  if (std::string_view(format.name) != "latex") return text;
  const size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\times 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

}  // namespace

std::string as_text(const DynamicsTable& table, std::string_view wanted) {
  const auto* format = std::ranges::find_if(formats, [&](const Format& f) { return f.name == wanted; });
  if (format == std::end(formats))
    throw Error(fmt::format("there is no format '{}': it is lua, latex or csv", wanted));
  if (!table.failure.empty()) throw Error("there is nothing to copy: " + table.failure);
  const bool latex = wanted == "latex", vector = table.columns.size() == 1;
  std::string out = fmt::format("{0} {1}{2}{3}\n{0} rows: {4}\n", format->comment, legend(table.view),
                                table.source.empty() ? "" : "; ", table.source, fmt::join(table.rows, ", "));
  if (!vector) out += fmt::format("{} columns: {}\n", format->comment, fmt::join(table.columns, ", "));
  out += fmt::format("{} {}\n", format->comment, units_of(table));
  out += fmt::format(fmt::runtime(format->begin), name(table.view));
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const bool plain = vector && wanted == "lua";  // a list of numbers
    out += plain ? "  " : format->row_begin;
    for (size_t j = 0; j < table.columns.size(); ++j)
      out += (j == 0 ? "" : latex ? " & " : ", ") + number(table.at(i, j), *format);
    out += plain ? ",\n" : i + 1 == table.rows.size() ? format->last_row_end : format->row_end;
  }
  return out + format->end;
}

}  // namespace torsor::editor
