#include "bench/json.hpp"

#include <fstream>
#include <thread>

namespace torsor::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

Json peer_facts() {
  Json facts = Json::array();
  for (const Peer& peer : peers())
    facts.push_back({{"name", peer.name}, {"version", peer.version}});
  return facts;
}

const char* text(Maker maker) {
  return maker == Maker::engine ? "engine" : maker == Maker::solver ? "solver" : "peer";
}
const char* text(Family family) {
  return family == Family::file ? "file" : family == Family::chain ? "chain" : "tree";
}
const char* text(Gap gap) {
  constexpr const char* texts[] = {"none",   "not offered", "robot not taken",
                                   "failed", "too slow",    "differs"};
  return texts[int(gap)];
}

Json cell_json(const Result& result, const Row& row, size_t c) {
  const Column& column = result.columns[c];
  const Cell& cell = row.cells[c];
  Json out{{"name", column.name}, {"kind", text(column.maker)}, {"form", form_name(column.form)}};
  if (column.maker == Maker::solver) out["capability"] = cell.derived ? "derived" : "offered";
  if (cell.gap != Gap::none) {
    out["not_measured"] = text(cell.gap);
    out["reason"] = cell.reason;
    return out;
  }
  out["ns"] = cell.median();
  out["ns_of_repetitions"] = cell.ns;
  if (column.maker == Maker::peer) return out;
  out["ratio"] = Json::object();
  for (size_t peer = 0; peer < row.cells.size(); ++peer)
    if (result.columns[peer].maker == Maker::peer)
      if (const auto value = ratio(cell, row.cells[peer]))
        out["ratio"][result.columns[peer].name] = *value;
  return out;
}

Json memory_json(const Result& result) {
  const Memory& memory = result.memory;
  Json out{{"model", memory.model},
           {"state", memory.state},
           {"state_of_batch", memory.state_of_batch},
           {"solvers", Json::object()}};
  for (const auto& [solver, bytes] : memory.solvers)
    out["solvers"][solver] = {
        {"prepared", bytes.prepared}, {"work_area", bytes.work}, {"batch", bytes.batch}};
  return out;
}

// Returns whether the work is one of the subjects of this kind.
bool computes(Maker maker, Work work) {
  if (maker == Maker::peer) return work != Work::kinematics;
  return is_of_engine(work) == (maker == Maker::engine);
}

Json result_json(const Result& result) {
  const Model& model = *result.robot.model;
  Json rows = Json::array();
  for (const Row& row : result.rows) {
    Json cells = Json::array();
    for (size_t c = 0; c < row.cells.size(); ++c)
      if (computes(result.columns[c].maker, row.work)) cells.push_back(cell_json(result, row, c));
    Json& out = rows.emplace_back(Json{{"quantity", name(row.work)}, {"cells", cells}});
    const auto subject = fastest_subject(result, row), peer = fastest_peer(result, row);
    if (subject && peer)
      out["fastest"] = {{"torsor", result.columns[*subject].name},
                        {"library", result.columns[*peer].name},
                        {"ratio", *ratio(row.cells[*subject], row.cells[*peer])}};
  }
  return {{"name", result.robot.name},
          {"family", text(result.robot.family)},
          {"bodies", model.n_body - 1},
          {"columns", model.n_v},
          {"memory", memory_json(result)},
          {"values_compared_with", result.reference},
          {"rows", rows}};
}

}  // namespace

Json facts() {
  return {
      {"torsor", TORSOR_VERSION},
      {"build",
       {{"type", TORSOR_BUILD_TYPE},
        {"portable", bool(TORSOR_PORTABLE_BUILD)},
        {"compiler", TORSOR_COMPILER}}},
      {"machine", {{"processor", processor()}, {"threads", std::thread::hardware_concurrency()}}},
      {"peers", peer_facts()},
      {"peers_not_built_in", missing_peers()}};
}

Json json(const std::vector<Result>& results, const Settings& settings) {
  Json out = facts();
  out["repetitions"] = settings.repetitions;
  out["min_time_s"] = settings.min_time;
  out["robots"] = Json::array();
  out["growth"] = Json::array();
  for (const Result& result : results) out["robots"].push_back(result_json(result));
  for (const Growth& g : growth(results))
    out["growth"].push_back({{"family", text(g.family)},
                             {"quantity", name(g.work)},
                             {"name", g.name},
                             {"exponent", g.exponent},
                             {"bodies", {g.from, g.to}}});
  return out;
}

}  // namespace torsor::bench
