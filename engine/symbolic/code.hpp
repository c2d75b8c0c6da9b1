#pragma once
// Programs in C, Lua, Python or CUDA that compute quantities of one robot.

#include <memory>
#include <string>
#include <vector>

#include "torsor/symbolic/formulae.hpp"
#include "torsor/symbolic/listing.hpp"

namespace torsor::symbolic {

struct CodeOptions {
  // Prefix of the functions: an identifier.
  std::string name;
  std::vector<std::string> quantities;  // names of formula rows
  SymbolChoice symbols;
  Vec3<double> gravity_W{0, 0, -9.81};
};

// A quantity as a program, with the number of its operations.
struct GeneratedFunction {
  const FormulaRow* quantity;
  OperationCount count;
};
struct GeneratedCode {
  std::string text;
  std::vector<GeneratedFunction> functions;
};

// A quantity of a robot as formulae, after regroup().
struct Formulae {
  std::unique_ptr<Graph> graph;
  std::unique_ptr<SymbolicModel> model;
  std::vector<Result> results;
  NodeNames names;

  Program program() const;
};
Formulae formulae(const std::shared_ptr<const Model>& model, const FormulaRow& quantity,
                  const SymbolChoice& symbols, const Vec3<double>& gravity_W);

// Returns the statements of a listing of formulae, then those that assign their results.
std::vector<Statement> statements(const Formulae& formulae, const Listing& listing);

// Returns the text of a file with one function for each quantity. Equal arguments give equal bytes.
// Throws Error if the name is not an identifier, a quantity is unknown, or the robot is too large.
GeneratedCode generate_code(const std::shared_ptr<const Model>& model, const CodeOptions& options,
                            const Language& language);

// Throws Error if the name cannot be part of a function's name.
void require_identifier(const std::string& name);

}  // namespace torsor::symbolic
