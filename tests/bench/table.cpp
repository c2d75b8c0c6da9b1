#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor::bench {

using Line = std::vector<std::string>;

std::string aligned(const std::vector<Line>& lines) {
  std::vector<size_t> width;
  for (const Line& line : lines)
    for (size_t c = 0; c < line.size(); ++c) {
      width.resize(std::max(width.size(), line.size()));
      width[c] = std::max(width[c], line[c].size());
    }
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    for (size_t c = 0; c < line.size(); ++c)
      text += c == 0 ? fmt::format("  {:<{}}", line[c], width[c])
                     : fmt::format("  {:>{}}", line[c], width[c]);
    text.resize(text.find_last_not_of(' ') + 1);
    out += fmt::format("{}\n", text);
  }
  return out;
}

namespace {

std::string time(const Cell& cell) {
  return cell.ns.empty() ? "- " : fmt::format("{:.0f}{}", cell.median(), cell.derived ? "*" : " ");
}
std::string time_and_ratio(const std::string& time, const std::string& ratio, size_t width) {
  return fmt::format("{:>{}} {:>5}", time, width, ratio);
}

// Returns whether the grid of the solvers, or that of the engine, has the column.
bool is_shown(const Column& column, bool of_engine) {
  if (column.maker == Maker::peer) return true;
  return (column.maker == Maker::engine) == of_engine;
}

// Returns the table of times of the solvers, or of the engine, and of libraries. Leaves out the
// kinematics, which are shown in the heading.
std::vector<Line> grid(const Result& result, bool of_engine) {
  size_t width = std::string("solver only ").size();
  bool has_peer = false;
  for (const Row& row : result.rows) {
    has_peer = has_peer || fastest_peer(result, row).has_value();
    for (const Cell& cell : row.cells) width = std::max(width, time(cell).size());
  }
  std::vector<Line> lines = {{"ns per call"}, {has_peer ? "ratio to the fastest library" : ""}};
  for (const Column& column : result.columns) {
    if (!is_shown(column, of_engine)) continue;
    lines[0].push_back(column.form == Form::solver_only ? "" : column.name);
    const std::string form = fmt::format("{} ", form_name(column.form));
    lines[1].push_back(column.maker == Maker::peer ? "" : time_and_ratio(form, "ratio", width));
  }
  for (const Row& row : result.rows) {
    if (is_of_engine(row.work) != of_engine || row.work == Work::kinematics) continue;
    const std::optional<size_t> fastest = fastest_peer(result, row);
    Line& line = lines.emplace_back(Line{name(row.work)});
    for (size_t c = 0; c < row.cells.size(); ++c) {
      if (!is_shown(result.columns[c], of_engine)) continue;
      const Cell& cell = row.cells[c];
      const auto quotient = fastest ? ratio(cell, row.cells[*fastest]) : std::nullopt;
      line.push_back(result.columns[c].maker == Maker::peer
                         ? time(cell)
                         : time_and_ratio(time(cell),
                                          quotient ? fmt::format("{:.2f}", *quotient) : "-",
                                          width));
    }
  }
  return lines.size() == 2 ? std::vector<Line>() : lines;
}

void add(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

// Returns the reasons for empty cells. Leaves out quantities that a subject does not have; the dash
// in the table is sufficient.
std::vector<std::string> notes(const Result& result) {
  std::vector<std::string> notes;
  for (const Row& row : result.rows)
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const Cell& cell = row.cells[c];
      const std::string& who = result.columns[c].name;
      if (cell.gap == Gap::none || cell.gap == Gap::lacking) continue;
      if (result.columns[c].form == Form::solver_only && row.cells[c - 1].gap != Gap::none)
        continue;  // the column of total times has the same reason
      if (cell.gap == Gap::rejected)
        add(notes, fmt::format("{}: {}", who, cell.reason));
      else
        add(notes, fmt::format("{} of {}: {}", name(row.work), who, cell.reason));
    }
  return notes;
}

// Returns a line for each solver: the cost of its derivatives relative to its inverse dynamics, and
// the time of 10 000 evaluations of tau, tau' and tau'' (as in MK 6.2.4).
std::vector<std::string> derivative_costs(const Result& result) {
  const auto row_of = [&](Work work) {
    return std::find_if(result.rows.begin(), result.rows.end(),
                        [&](const Row& row) { return row.work == work; });
  };
  const auto inverse = row_of(Work::inverse);
  std::vector<std::string> lines;
  for (size_t c = 0; c < result.columns.size(); ++c) {
    if (result.columns[c].maker != Maker::solver || result.columns[c].form != Form::total) continue;
    std::string line;
    for (const Work work : {Work::inverse_partials, Work::forward_partials, Work::rates}) {
      const auto row = row_of(work);
      if (row == result.rows.end() || row->cells[c].ns.empty()) continue;
      if (inverse != result.rows.end())
        if (const auto cost = ratio(row->cells[c], inverse->cells[c]))
          line += fmt::format("{}{} {:.1f} x inverse_dynamics", line.empty() ? "" : ", ",
                              name(work), *cost);
      if (work == Work::rates)
        line += fmt::format("{}10 000 evaluations of tau, tau', tau'' {:.2f} ms",
                            line.empty() ? "" : "; ", 1e-2 * row->cells[c].median());
    }
    if (!line.empty()) lines.push_back(fmt::format("{}: {}", result.columns[c].name, line));
  }
  return lines;
}

// Returns a line with the bytes of states and solvers.
std::string memory_line(const Memory& memory) {
  std::string out = fmt::format("bytes: model {}, state {}, a state of a batch {}", memory.model,
                                memory.state, memory.state_of_batch);
  for (const auto& [solver, bytes] : memory.solvers)
    out += fmt::format("; {} {} (work area {}), for batches {} more", solver, bytes.prepared,
                       bytes.work, bytes.batch);
  return out;
}

}  // namespace

std::string table(const Result& result) {
  const Model& model = *result.robot.model;
  std::string out =
      fmt::format("{}: {} moving bodies, {} dof", result.robot.name, model.n_body - 1, model.n_v);
  for (const Row& row : result.rows)
    if (row.work == Work::kinematics)
      out += fmt::format("; kinematics, shared by all solvers, {:.0f} ns", row.cells[0].median());
  out += "\n";
  for (const bool of_engine : {false, true}) out += aligned(grid(result, of_engine));
  for (const std::string& line : derivative_costs(result)) out += fmt::format("  {}\n", line);
  out += fmt::format("  {}\n", memory_line(result.memory));
  for (const std::string& note : notes(result)) out += fmt::format("  not measured: {}\n", note);
  return out;
}

std::string growth_table(const std::vector<Result>& results) {
  const std::vector<Growth> all = growth(results);
  const std::vector<Column> columns = total_columns(results);
  std::string out;
  for (const Family family : {Family::chain, Family::tree}) {
    std::vector<Line> lines = {{"bodies in the fit"}};
    for (const Column& column : columns) lines[0].push_back(column.name);
    for (const Work work : all_works) {
      Line line = {name(work)};
      for (const Column& column : columns) {
        const auto fit = std::find_if(all.begin(), all.end(), [&](const Growth& g) {
          return g.family == family && g.work == work && g.name == column.name;
        });
        line.push_back(fit == all.end()
                           ? "-"
                           : fmt::format("{:.2f} ({}..{})", fit->exponent, fit->from, fit->to));
      }
      if (std::count(line.begin(), line.end(), "-") < std::ptrdiff_t(columns.size()))
        lines.push_back(line);
    }
    if (lines.size() > 1)
      out += fmt::format("growth over generated {}s: p of time ~ bodies^p, total time\n{}\n",
                         family == Family::chain ? "chain" : "tree", aligned(lines));
  }
  return out;
}

}  // namespace torsor::bench
