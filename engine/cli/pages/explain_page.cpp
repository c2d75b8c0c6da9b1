#include "torsor/cli/pages/explain_page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string row_text(const TracedValue& value, int row) {
  std::string out;
  for (int k = 0; k < value.columns; ++k)
    // Adding 0.0 converts -0 to 0.
    out += fmt::format("{:>12.5g}", value.x[size_t(row * value.columns + k)] + 0.0);
  return out;
}

// Returns a line such as "    w_p link1       0     0     0.5  rad/s". A matrix has one line per
// row.
std::string value_text(const TracedValue& value, size_t of_width) {
  std::string out;
  for (int row = 0; row < value.rows; ++row)
    out += fmt::format("    {:<9}{:<{}}{}{}\n", row ? "" : value.symbol, row ? "" : value.of,
                       of_width, row_text(value, row), row ? "" : "  " + value.unit);
  return out;
}

class Text {
 public:
  explicit Text(const Explained& page) : page_(page), tracer_(page.tracer) {
    for (int i = 0; i < tracer_.model().n_body; ++i)
      width_ = std::max(width_, tracer_.link_name(i).size() + 1);
    for (const std::string& name : tracer_.model().dof_names())
      width_ = std::max(width_, name.size() + 1);
  }

  std::string all() {
    std::string out = fmt::format("{} of {}, by {}\n",
                                  tracer_.of_forward() ? "forward dynamics" : "inverse dynamics",
                                  page_.where, tracer_.id());
    int pass = -1;
    for (const TraceStep& step : tracer_.steps()) {
      if (page_.body && step.body != page_.body) continue;
      const int next = tracer_.table().pass_of(step.quantity);
      if (next != pass) out += pass_text(next);
      if (next != pass || body_ != step.body) out += heading(step.body);
      pass = next;
      body_ = step.body;
      out += page_.body ? whole(step) : values(tracer_.outputs(step));
    }
    return out;
  }

 private:
  std::string pass_text(int number) const {
    const TracedPass& pass = tracer_.table().passes[size_t(number)];
    std::string out = fmt::format(
        "\nPass {} of {}, {}: {}\n", number + 1, tracer_.table().passes.size(),
        pass.inward ? "from the tips to the world" : "from the world to the tips", pass.name);
    if (page_.body) return out;
    for (int k = pass.first; k < pass.first + pass.count; ++k) {
      const TracedQuantity& q = tracer_.table().quantities[size_t(k)];
      out += fmt::format("  {}\n      {}{}\n", q.equation, q.name, source(q));
    }
    return out;
  }
  static std::string source(const TracedQuantity& q) {
    return q.source.empty() ? "" : fmt::format(" [{}]", q.source);
  }
  std::string heading(int body) const {
    const Model& model = tracer_.model();
    return fmt::format("\n  {}, carried by {} on {}\n", tracer_.link_name(body),
                       model.joint_of_body(body), tracer_.link_name(model.parent[size_t(body)]));
  }
  std::string values(const std::vector<TracedValue>& list) const {
    std::string out;
    size_t width = width_;
    for (const TracedValue& value : list) width = std::max(width, value.of.size() + 1);
    for (const TracedValue& value : list) out += value_text(value, width);
    return out;
  }
  std::string whole(const TraceStep& step) const {
    const TracedQuantity& q = tracer_.table().quantities[size_t(step.quantity)];
    const bool elsewhere = tracer_.frame_body(step) != step.body;
    return fmt::format(
        "\n  {}{}{}\n  {}\n{}  =\n{}", q.name,
        elsewhere ? fmt::format(", in the axes of {}", tracer_.link_name(tracer_.frame_body(step)))
                  : "",
        source(q), q.equation, values(tracer_.inputs(step)), values(tracer_.outputs(step)));
  }

  const Explained& page_;
  const Tracer& tracer_;
  size_t width_ = 6;
  int body_ = -1;
};

std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '^' || c == '~') {
      out += c == '\\'  ? "\\textbackslash{}"
             : c == '^' ? "\\textasciicircum{}"
                        : "\\textasciitilde{}";
      continue;
    }
    if (c == '_' || c == '&' || c == '%' || c == '#' || c == '$' || c == '{' || c == '}')
      out += '\\';
    out += c;
  }
  return out;
}
// Returns a unit in LaTeX math mode, in which blanks must be escaped.
std::string latex_unit(const std::string& unit) {
  std::string out;
  for (const char c : unit) out += c == ' ' ? "\\ " : std::string(1, c);
  return fmt::format("\\mathrm{{{}}}", out);
}
std::string latex_number(double x) {
  const std::string text = fmt::format("{:.5g}", x + 0.0);
  const size_t e = text.find('e');
  return e == text.npos
             ? text
             : fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}
// Returns a number, or a LaTeX matrix. A vector is written as a column.
std::string latex_numbers(const TracedValue& value) {
  if (value.x.size() == 1) return latex_number(value.x[0]);
  std::string out = "\\begin{pmatrix}";
  for (size_t k = 0; k < value.x.size(); ++k) {
    const bool ends = value.rows == 1 || (k + 1) % size_t(value.columns) == 0;
    out += latex_number(value.x[k]) + (k + 1 == value.x.size() ? "" : ends ? "\\\\" : " & ");
  }
  return out + "\\end{pmatrix}";
}

}  // namespace

std::string explain_text(const Explained& page) {
  return Text(page).all();
}

std::string explain_latex(const Explained& page) {
  const Tracer& tracer = page.tracer;
  std::string out = fmt::format("% {} by {}; needs amsmath\n", page.where, tracer.id());
  int pass = -1, body = -1;
  for (const TraceStep& step : tracer.steps()) {
    if (page.body && step.body != page.body) continue;
    const int next = tracer.table().pass_of(step.quantity);
    if (next != pass)
      out += fmt::format("\\section*{{Pass {}: {}}}\n", next + 1,
                         tracer.table().passes[size_t(next)].name);
    if (next != pass || body != step.body)
      out += fmt::format("\\paragraph{{{}}}\n", latex_text(tracer.link_name(step.body)));
    pass = next;
    body = step.body;
    const TracedQuantity& q = tracer.table().quantities[size_t(step.quantity)];
    out += fmt::format("\\[ {} \\]\n", q.latex);
    const std::string left = q.latex.substr(0, q.latex.find('='));
    const std::vector<TracedValue> outputs = tracer.outputs(step);
    for (const TracedValue& value : outputs) {
      const std::string column =
          outputs.size() > 1 ? fmt::format("\\quad \\text{{({})}}", latex_text(value.of)) : "";
      out += fmt::format("\\[ {}= {}\\ {}{} \\]\n", left, latex_numbers(value),
                         latex_unit(value.unit), column);
    }
  }
  return out;
}

Json explain_json(const Explained& page) {
  const Tracer& tracer = page.tracer;
  const auto values = [](const std::vector<TracedValue>& list) {
    Json out = Json::array();
    for (const TracedValue& value : list) {
      Json x = value.x;
      if (value.rows > 1) {
        x = Json::array();
        for (int r = 0; r < value.rows; ++r)
          x.push_back(std::vector<double>(value.x.begin() + r * value.columns,
                                          value.x.begin() + (r + 1) * value.columns));
      }
      out.push_back({{"symbol", value.symbol},
                     {"of", value.of},
                     {"frame", value.frame},
                     {"unit", value.unit},
                     {"value", x}});
    }
    return out;
  };
  Json passes = Json::array();
  for (const TracedPass& pass : tracer.table().passes)
    passes.push_back({{"name", pass.name},
                      {"direction", pass.inward ? "inward" : "outward"},
                      {"steps", Json::array()}});
  for (const TraceStep& step : tracer.steps()) {
    if (page.body && step.body != page.body) continue;
    const TracedQuantity& q = tracer.table().quantities[size_t(step.quantity)];
    passes[size_t(tracer.table().pass_of(step.quantity))]["steps"].push_back(
        {{"body", tracer.link_name(step.body)},
         {"joint", tracer.model().joint_of_body(step.body)},
         {"symbol", q.symbol},
         {"name", q.name},
         {"equation", q.equation},
         {"latex", q.latex},
         {"source", q.source},
         {"inputs", values(tracer.inputs(step))},
         {"outputs", values(tracer.outputs(step))}});
  }
  return {{"solver", tracer.id()},
          {"dynamics", tracer.of_forward() ? "forward" : "inverse"},
          {"of", page.where},
          {"six_vectors", "angular part first"},
          {"passes", passes}};
}

}  // namespace torsor::cli
