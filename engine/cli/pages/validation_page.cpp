#include "torsor/cli/pages/validation_page.hpp"

#include <fmt/format.h>

#include "torsor/cli/pages/html.hpp"

namespace torsor::cli {

namespace {

using namespace validation;

std::string row(const Report& report, const PluginReport& plugin, const Line& line) {
  constexpr const char* classes[] = {"passed", "failed", "skipped"};
  constexpr const char* words[] = {"passed", "failed", "not applicable"};
  const char* state = classes[int(line.outcome)];
  const std::string command =
      line.outcome == validation::Outcome::failed && line.check != "loads"
          ? fmt::format("<br>To repeat: <code>{}</code>", escaped(again(report, plugin, line)))
          : "";
  return fmt::format(
      "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td><td "
      "class=\"n\">{:.2f}</td></tr>\n",
      state, words[int(line.outcome)], escaped(line.group), escaped(line.check), escaped(line.text),
      command, line.seconds);
}

}  // namespace

std::string validation_page(const Report& report) {
  std::string out = html_head("Validation of a Torsor plugin");
  out += fmt::format("<h1>{}</h1>\n<p class=\"{}\">{}. Seed of the random robots: {}.</p>\n",
                     escaped(report.file.string()), report.passed() ? "passed" : "failed",
                     report.passed() ? "All checks passed" : "A check failed", report.seed);
  for (const PluginReport& plugin : report.plugins) {
    if (!plugin.id.empty())
      out += fmt::format(
          "<h2>{} {}</h2>\n<p>{}{}</p>\n", escaped(plugin.id), escaped(plugin.version),
          escaped(plugin.summary),
          plugin.family.empty()
              ? ""
              : fmt::format(". It is made for robots of the family '{}'.", escaped(plugin.family)));
    out +=
        "<table><tr><th>Outcome</th><th>Group</th><th>Check</th><th>Result</th><th>Time "
        "[s]</th></tr>\n";
    for (const Line& line : plugin.lines) out += row(report, plugin, line);
    out += "</table>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace torsor::cli
