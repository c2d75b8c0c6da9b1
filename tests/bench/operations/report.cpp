#include "bench/operations/report.hpp"

#include <fmt/format.h>

#include "bench/json.hpp"
#include "bench/table.hpp"

namespace torsor::bench {

namespace {

using Json = nlohmann::ordered_json;

// Returns the median time of a column, or 0 if it was not measured.
double measured(const Result& result, Work work, const std::string& column, Form form) {
  for (const Row& row : result.rows)
    for (size_t c = 0; c < row.cells.size(); ++c)
      if (row.work == work && result.columns[c].name == column && result.columns[c].form == form &&
          !row.cells[c].ns.empty())
        return row.cells[c].median();
  return 0;
}

// Return a time, and its ratio to a bound.
std::string time_of(double ns) {
  return ns > 0 ? fmt::format("{:.0f}", ns) : "-";
}
std::string times_bound(double ns, double bound) {
  return ns > 0 ? fmt::format("{:.1f}", ns / bound) : "-";
}

}  // namespace

Settings operations_settings(const Settings& settings) {
  Settings out = settings;
  out.works = counted_works();
  out.solvers = {"solver.newton_euler", "solver.articulated_body"};
  return out;
}

OperationsReport operations_report(const Result& result, const Machine& machine) {
  OperationsReport out{result.robot, {}};
  const std::vector<Operations> counted = count_operations(*result.robot.model),
                                timed = count_operations(*result.robot.model, machine.latency);
  for (size_t k = 0; k < counted.size(); ++k) {
    const std::string solver = counted[k].solver;
    out.lines.push_back({counted[k], bounds(timed[k], machine),
                         measured(result, counted[k].work, solver, Form::solver_only),
                         measured(result, counted[k].work, solver + " batch", Form::batch)});
  }
  return out;
}

std::string machine_line(const Machine& machine) {
  return fmt::format(
      "this machine: {} lanes; latency {:.2f} ns of a multiply-add, {:.2f} ns of a division; per "
      "ns {:.1f} multiply-adds, {:.2f} divisions, {:.1f} numbers loaded, {:.1f} stored",
      machine.lanes, machine.latency.multiply_add, machine.latency.division, machine.multiply_adds,
      machine.divisions, machine.loads, machine.stores);
}

std::string operations_table(const OperationsReport& report) {
  const Model& model = *report.robot.model;
  std::vector<std::vector<std::string>> lines = {
      {"", "products", "sums", "fusable", "divisions", "longest", "numbers", "numbers", "bound of",
       "bound of", "one", "x", "in a", "x"},
      {"", "", "", "sums", "", "path", "read", "written", "path, ns", "rates, ns", "state, ns",
       "bound", "batch, ns", "bound"}};
  for (const OperationsReport::Line& line : report.lines) {
    const Operations& each = line.operations;
    lines.push_back({name(each.work), std::to_string(each.products), std::to_string(each.sums),
                     std::to_string(each.fusable), std::to_string(each.divisions),
                     fmt::format("{:.0f}", each.path),
                     std::to_string(each.model_numbers + each.state_numbers),
                     std::to_string(each.result_numbers), fmt::format("{:.0f}", line.bounds.path),
                     fmt::format("{:.1f}", line.bounds.throughput), time_of(line.ns),
                     times_bound(line.ns, line.bounds.one()), time_of(line.batch_ns),
                     times_bound(line.batch_ns, line.bounds.throughput)});
  }
  return fmt::format("{}: {} moving bodies, {} dof\n{}", report.robot.name, model.n_body - 1,
                     model.n_v, aligned(lines));
}

Json operations_json(const std::vector<OperationsReport>& reports, const Machine& machine) {
  Json out = facts();
  out["machine"].update({{"lanes", machine.lanes},
                         {"multiply_add_latency_ns", machine.latency.multiply_add},
                         {"division_latency_ns", machine.latency.division},
                         {"multiply_adds_per_ns", machine.multiply_adds},
                         {"divisions_per_ns", machine.divisions},
                         {"loads_per_ns", machine.loads},
                         {"stores_per_ns", machine.stores}});
  out["robots"] = Json::array();
  for (const OperationsReport& report : reports) {
    Json rows = Json::array();
    for (const OperationsReport::Line& line : report.lines) {
      const Operations& each = line.operations;
      Json& row = rows.emplace_back(Json{{"quantity", name(each.work)},
                                         {"solver", each.solver},
                                         {"products", each.products},
                                         {"sums", each.sums},
                                         {"fusable_sums", each.fusable},
                                         {"divisions", each.divisions},
                                         {"path", each.path},
                                         {"numbers_of_model", each.model_numbers},
                                         {"numbers_of_state", each.state_numbers},
                                         {"numbers_written", each.result_numbers},
                                         {"path_bound_ns", line.bounds.path},
                                         {"rates_bound_ns", line.bounds.throughput}});
      if (line.ns > 0) row["ns"] = line.ns;
      if (line.batch_ns > 0) row["batch_ns"] = line.batch_ns;
    }
    out["robots"].push_back({{"name", report.robot.name},
                             {"bodies", report.robot.model->n_body - 1},
                             {"columns", report.robot.model->n_v},
                             {"rows", rows}});
  }
  return out;
}

}  // namespace torsor::bench
