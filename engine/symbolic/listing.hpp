#pragma once
// The text of a straight-line program in a programming language.

#include <map>
#include <optional>
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
  const char* number = "double";  // type of a variable
  const char* constant = "{}";    // a constant that is a result
};
std::span<const Language> languages();
// C for several states at once. A number is a vector of gcc and clang: `numbers`, with one state in
// each lane. The file defines this type, and the function all(), which returns equal lanes.
const Language& block_language();

// A statement, the node whose variable it declares, if any, and the nodes of the variables in it.
struct Statement {
  std::string text;
  std::optional<uint32_t> node;
  std::vector<uint32_t> reads;
};

// Writes statements that compute the operations of a program. A sum or product that is used once
// becomes part of the statement that uses it, unless it has a name or the statement becomes long.
// Operations without a name are called t1, t2, ...
class Listing {
 public:
  Listing(const Program& program, const NodeNames& names, const Language& language);

  // Returns the statements of the operations: first those on parameters alone.
  const std::vector<Statement>& statements() const { return statements_; }
  // Returns the statement that declares a parameter or operation with this value.
  Statement declare(uint32_t node, const std::string& value) const;
  // Returns the name of a parameter or operation.
  std::string variable(uint32_t node) const;
  // Returns the statement that assigns an expression to an entry of an array.
  Statement assign(const std::string& array, size_t index, const Expression& x) const;
  std::string element(const std::string& array, size_t index) const;
  const char* number() const { return language_.number; }

 private:
  // The text of a node, how tightly its outermost operation binds (sum 0, product 1, name 2), and
  // the nodes of the variables in it.
  struct Text {
    std::string text;
    int binding;
    std::vector<uint32_t> reads;
  };
  void list(const std::vector<uint32_t>& nodes);
  Text node_text(uint32_t node) const;
  Text operand(Ref ref) const;
  std::string name_of(uint32_t node);

  const Program& program_;
  const NodeNames& names_;
  const Language& language_;
  std::map<uint32_t, Text> texts_;  // of statements: their names; of others: their formulae
  int unnamed_ = 0;
  std::vector<Statement> statements_;
};

// An array of numbers that is an argument of a function. in_parts() does not use its size.
struct Array {
  std::string name;
  size_t size;
  bool is_result;
};

struct FunctionText {
  std::string parts;  // functions that the body calls, or ""
  std::string body;   // statements with indentation
};

// Returns the text of a function of C with these statements, which use only these arrays. The time
// of gcc for a function grows with the square of its length, because of its allocation of
// registers. Therefore a long function calls parts with some of the statements each. The parts pass
// variables on in an array.
FunctionText in_parts(const Listing& listing, const std::vector<Statement>& statements,
                      const std::string& name, std::span<const Array> arrays);

// Returns a number with as few digits as identify it.
std::string number_text(double x);

}  // namespace torsor::symbolic
