#pragma once
// The text of a straight-line program in a programming language.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/symbolic/program.hpp"

namespace torsor::symbolic {

// The syntax that differs between languages. {} are replaced by fmt::format.
struct Language {
  const char* name;       // "c"
  const char* title;      // "C11"
  const char* extension;  // ".c"
  const char* comment;    // "// "
  const char* declare;    // name, value: "const double {} = {};"
  const char* assign;     // place, value: "{} = {};"
  const char* variable;   // name of an intermediate variable: "{}"
  const char* element;    // array, index: "{}[{}]"
  int first_index;        // of an array
  const char *sine, *cosine;
};
std::span<const Language> languages();

// Writes statements that compute the operations `nodes` of a program, then assign its results to
// the entries of `results`. A sum or product that is used once becomes part of the statement that
// uses it, unless it has a name or the statement becomes long. Operations without a name are called
// t1, t2, ...
class Listing {
 public:
  Listing(const Program& program, const NodeNames& names, const Language& language);

  // Returns the statements of the operations that depend on the state, one per line.
  std::string steps() const;
  // Returns the statements of the operations on parameters alone.
  std::string offline() const;
  // Returns the text of an expression.
  std::string text(const Expression& x) const;

 private:
  // The text of a node, and how tightly its outermost operation binds: sum 0, product 1, name 2.
  struct Text {
    std::string text;
    int binding;
  };
  void list(const std::vector<uint32_t>& nodes, std::string& out);
  Text node_text(uint32_t node) const;
  Text operand(Ref ref) const;
  std::string name_of(uint32_t node);

  const Program& program_;
  const NodeNames& names_;
  const Language& language_;
  std::map<uint32_t, Text> texts_;  // of statements: their names; of others: their formulae
  int unnamed_ = 0;
  std::string steps_, offline_;
};

// Returns a number with as few digits as identify it.
std::string number_text(double x);

}  // namespace torsor::symbolic
