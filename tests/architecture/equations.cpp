#include "architecture/equations.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

namespace torsor::test {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The number after the last point: 12 for "7.12".
int last_number(const std::string& number) {
  return std::stoi(number.substr(number.rfind('.') + 1));
}

// Adds the numbers of "7.12" or "7.12-7.15", which follow the name of a source.
void add_range(const std::string& source, const std::string& first, const std::string& last,
               std::set<std::string>& out, std::set<std::string>& too_long) {
  if (last.empty()) {
    out.insert(source + " " + first);
    return;
  }
  constexpr int longest = 8;
  const int from = last_number(first), to = last_number(last);
  if (to - from >= longest) {
    too_long.insert(source + " " + first + "-" + last);
    return;
  }
  const std::string chapter = first.substr(0, first.find('.') + 1);  // "" without a point
  for (int k = from; k <= to; ++k) out.insert(source + " " + chapter + std::to_string(k));
}

// Returns the name of a source: the first word of "KHALIL 7.12".
std::string source_of(const std::string& number) {
  return number.substr(0, number.find(' '));
}

// Returns "7.23" for "7.23a": a citation of both parts.
std::string without_letter(std::string number) {
  if (number.back() >= 'a') number.pop_back();
  return number;
}

// Returns whether a source file defines the test "Suite.Name".
bool has_test(const std::string& text, const std::string& test) {
  const size_t point = test.find('.');
  const std::regex macro("TEST(_F|_P)?\\(\\s*" + test.substr(0, point) + "\\s*,\\s*" +
                         test.substr(point + 1) + "\\s*\\)");
  return std::regex_search(text, macro);
}

// Returns whether a text has this name, and not only as a part of a longer one.
bool has_word(const std::string& text, const std::string& name) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
      return true;
  }
  return false;
}

// The page for users about what is computed in a folder. A folder comes before those that contain
// it.
struct DocumentedFolder {
  const char *folder, *page, *title;
};
constexpr DocumentedFolder documented_folders[] = {
    {"plugins/solvers/", "../plugins/README.md#the-plugins-in-this-repository", "solvers"},
    {"plugins/trajectories/", "../scripts/README.md#trajectories", "trajectories"},
    {"plugins/controllers/", "../scripts/README.md#control", "control"},
    {"engine/control/", "../scripts/README.md#control", "control"},
    {"engine/identification/", "identification.md", "identification"},
    {"engine/planning/", "../scripts/README.md#planning", "planning"},
    {"engine/sdk/", "../plugins/README.md", "plugins"},
    {"engine/shapes/", "../scripts/README.md#links", "links"},
    {"engine/model/", "../scripts/README.md#robots", "robots"},
    {"engine/signals/", "../scripts/README.md#signals", "signals"},
    {"engine/simulation/", "../scripts/README.md#robots", "robots"},
    {"engine/symbolic/", "generate.md", "generated code"},
    {"engine/", "../scripts/README.md#methods", "dynamics in Lua"},
};
// Returns a link to the page about a function, FILE:FUNCTION, or "" if there is none.
std::string page_link(const std::string& place) {
  for (const auto& [folder, page, title] : documented_folders)
    if (place.starts_with(folder)) return std::string("[") + title + "](" + page + ")";
  return "";
}

class Checker {
 public:
  explicit Checker(fs::path root)
      : root_(std::move(root)), equations_(read_equations(root_ / "docs/equations.tsv")) {}

  std::vector<std::string> operator()() {
    std::set<std::string> known, computed;
    for (const Equation& each : equations_) {
      if (!known.insert(each.number).second) add(each, "is listed twice");
      if (each.status == "computed") computed.insert(each.number);
    }
    for (const Equation& each : equations_) {
      if (each.status == "computed")
        check_computed(each);
      else if (each.status == "step" && !computed.contains(each.place))
        add(each, "is a step of '" + each.place + "', which is not computed");
      else if (each.status == "not computed" ? each.place.empty()
                                             : each.status != "definition" && each.status != "step")
        add(each, "is neither computed nor a definition, and has no reason");
    }
    for (const char* folder : {"engine", "plugins", "scripts", "scenes", "editor", "tests"})
      if (fs::exists(root_ / folder))
        for (const auto& entry : fs::recursive_directory_iterator(root_ / folder))
          if (is_source(entry.path())) check_citations(entry.path(), known);
    std::ranges::sort(out_);
    return std::move(out_);
  }

 private:
  void add(const Equation& equation, const std::string& what) {
    out_.push_back("docs/equations.tsv: " + equation.number + " " + what);
  }
  const std::string& text(const std::string& file) {
    const auto [found, is_new] = texts_.try_emplace(file);
    if (is_new) found->second = text_of(root_ / file);
    return found->second;
  }

  // The tests of this check cite equations that do not exist.
  static bool is_source(const fs::path& file) {
    const std::string name = file.extension().string();
    return (name == ".hpp" || name == ".cpp" || name == ".h" || name == ".c" || name == ".lua") &&
           file.filename().string().find("equations") == std::string::npos;
  }
  void check_citations(const fs::path& file, const std::set<std::string>& known) {
    const std::string name = fs::relative(file, root_).string();
    std::set<std::string> too_long;
    for (const std::string& number : cited(text(name), too_long))
      if (!known.contains(number) && !known.contains(number + "a"))
        out_.push_back(name + ": cites " + number + ", which is not in docs/equations.tsv");
    for (const std::string& range : too_long)
      out_.push_back(name + ": cites " + range + "; name the equations that it uses");
  }

  void check_computed(const Equation& each) {
    const size_t colon = each.place.find(':');
    const std::string file = each.place.substr(0, colon),
                      function = colon == each.place.npos ? "" : each.place.substr(colon + 1);
    if (text(file).empty()) return add(each, "names the missing file " + file);
    if (function.empty() || !has_word(text(file), function))
      return add(each, "names '" + function + "', which is not in " + file);
    if (page_link(each.place).empty()) add(each, "has no page in the documentation");
    check_citation(each, file);
    check_test(each);
  }
  void check_citation(const Equation& each, const std::string& file) {
    const auto [here, is_new] = singly_.try_emplace(file);
    if (is_new) here->second = cited_singly(text(file));
    if (!here->second.contains(each.number) && !here->second.contains(without_letter(each.number)))
      add(each, "is not cited, except perhaps in a range, in " + file);
  }
  void check_test(const Equation& each) {
    const size_t colon = each.test.find(':'), point = each.test.rfind('.');
    const std::string file = each.test.substr(0, colon);
    if (text(file).empty()) return add(each, "names the missing test file " + file);
    if (colon == each.test.npos || point == each.test.npos || point < colon)
      return add(each, "has a test without a name");
    if (!has_test(text(file), each.test.substr(colon + 1)))
      add(each, "names a test that is not in " + file);
    check_citation(each, file);
  }

  fs::path root_;
  std::vector<Equation> equations_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::set<std::string>> singly_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<Equation> read_equations(const fs::path& file) {
  std::vector<Equation> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> columns(1);
    for (const char c : line)
      if (c == '\t')
        columns.emplace_back();
      else
        columns.back() += c;
    columns.resize(5);
    out.push_back({columns[0], columns[1], columns[2], columns[3], columns[4]});
  }
  return out;
}

namespace {

// Calls add(source, first, last) for each number or range that a text cites. last: "" for a number.
template <class Add>
void for_each_citation(std::string text, Add add) {
  text = std::regex_replace(text, std::regex(R"(\n\s*(//|\*|--|#)?\s*)"), " ");
  // A number that is followed by another point is a section: KHALIL 7.5.3.
  static const std::string number = R"(\d+(?:\.\d+)?(?!\.?\d)[a-z]?)",
                           range = number + "(?:-" + number + ")?";
  static const std::regex citation("\\b(KHALIL|MR|MK|JIN|RCFS)\\s+(" + range +
                                   "(?:(?:, | and |; )" + range + ")*)"),
      each_range("(" + number + ")(?:-(" + number + "))?");
  for (std::sregex_iterator at(text.begin(), text.end(), citation), end; at != end; ++at) {
    const std::string numbers = (*at)[2];
    for (std::sregex_iterator each(numbers.begin(), numbers.end(), each_range); each != end; ++each)
      add((*at)[1], (*each)[1], (*each)[2]);
  }
}

}  // namespace

std::set<std::string> cited(std::string text, std::set<std::string>& too_long) {
  std::set<std::string> out;
  for_each_citation(std::move(text), [&](const std::string& source, const std::string& first,
                                         const std::string& last) {
    add_range(source, first, last, out, too_long);
  });
  return out;
}

std::set<std::string> cited_singly(std::string text) {
  std::set<std::string> out;
  for_each_citation(std::move(text), [&](const std::string& source, const std::string& first,
                                         const std::string& last) {
    if (last.empty()) out.insert(source + " " + first);
  });
  return out;
}

std::vector<std::string> equation_violations(const fs::path& root) {
  return Checker(root)();
}

std::string equation_page(const std::vector<Equation>& equations) {
  std::ostringstream out;
  out << "# Equations of the sources\n\n"
         "Each numbered equation of the [sources](README.md#sources): the function that computes "
         "it, the test\nthat compares the result with an independent one, and the page for users "
         "about it. The table is\nmade from [equations.tsv](equations.tsv).\n";
  std::string source;
  for (const Equation& each : equations) {
    if (source_of(each.number) != source) {
      source = source_of(each.number);
      out << "\n## " << source
          << "\n\n| equation | says | computed by | tested by | described in "
             "|\n|---|---|---|---|---|\n";
    }
    out << "| " << each.number.substr(source.size() + 1) << " | " << each.words << " | ";
    if (each.status == "computed") {
      const auto link = [](const std::string& place) {
        const size_t colon = place.find(':');
        return "[`" + place.substr(colon + 1) + "`](../" + place.substr(0, colon) + ")";
      };
      out << link(each.place) << " | " << link(each.test) << " | " << page_link(each.place)
          << " |\n";
    } else {
      out << (each.status == "definition" ? "definition"
              : each.status == "step"     ? "step of the derivation of " + each.place
                                          : "not computed: " + each.place)
          << " | | |\n";
    }
  }
  return out.str();
}

std::vector<std::string> erratum_violations(const fs::path& root) {
  std::vector<std::string> out;
  const std::string page = text_of(root / "docs/errata.md");
  static const std::regex link(R"(\[`([^`]*)`\]\(\.\./([^)]*)\))");
  static const std::regex row(R"(\n\|[^\n]*\|([^|\n]*)\|(?=\n))");
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    const std::string cell = (*at)[1];
    std::smatch found;
    if (cell == "---" || cell == " tested by ") continue;
    if (!std::regex_search(cell, found, link)) {
      if (!cell.starts_with(" no number: "))
        out.push_back("docs/errata.md: a row has neither a test nor 'no number: REASON':" + cell);
    } else if (!has_test(text_of(root / found[2].str()), found[1])) {
      out.push_back("docs/errata.md: there is no test " + found[1].str() + " in " + found[2].str());
    }
  }
  return out;
}

}  // namespace torsor::test
