#pragma once
// What `torsor explain` prints.

#include <nlohmann/json.hpp>
#include <string>

#include "torsor/dynamics/tracer.hpp"

namespace torsor::cli {

struct Explained {
  const Tracer& tracer;  // that has traced
  int body;              // of which it tells, with all that goes in; 0: of all, in short
  std::string where;     // of what, and in which state
};
std::string explain_text(const Explained& page);
std::string explain_latex(const Explained& page);
nlohmann::ordered_json explain_json(const Explained& page);

}  // namespace torsor::cli
