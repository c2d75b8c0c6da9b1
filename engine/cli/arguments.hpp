#pragma once
// What is wrong with a command line.

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace torsor::cli {

// What the command line said that cannot be, with the nearest thing that can. For a program with commands and
// for one without.
std::string explain(CLI::App& app, const CLI::ParseError& error);

}  // namespace torsor::cli
