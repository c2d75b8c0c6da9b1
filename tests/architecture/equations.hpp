#pragma once
// The table of the numbered equations of the sources, docs/equations.tsv, and the citations of the
// code.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace torsor::test {

// A row of the table.
struct Equation {
  std::string number;  // "KHALIL 7.12"
  std::string words;   // what it says
  std::string status;  // "computed", "definition", "step" or "not computed"
  // If computed, FILE:FUNCTION. If it is a step of a derivation, the equation that is derived. If
  // not computed, the reason. Otherwise "".
  std::string place;
  std::string test;  // if computed, FILE:Suite.Name; otherwise ""
};
// Reads the rows of the table, separated by tabs.
std::vector<Equation> read_equations(const std::filesystem::path& file);

// Returns the numbers that a text cites: "MR 9.53-9.55, 9.57" are four. A line may continue in the
// comment of the next line. Ranges of more than eight numbers are added to `too_long` instead.
std::set<std::string> cited(std::string text, std::set<std::string>& too_long);
// Returns the numbers that a text cites singly, without those of ranges.
std::set<std::string> cited_singly(std::string text);

// Returns what is wrong with the table and with the citations of the code below `root`, one line
// each.
std::vector<std::string> equation_violations(const std::filesystem::path& root);

// Returns docs/equations.md for the table.
std::string equation_page(const std::vector<Equation>& equations);

// Returns what is wrong with docs/errata.md, one line each: rows whose last cell is neither a link
// to a test that exists nor a reason.
std::vector<std::string> erratum_violations(const std::filesystem::path& root);

}  // namespace torsor::test
