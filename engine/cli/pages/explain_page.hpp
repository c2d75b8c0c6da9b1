#pragma once
// The output of `torsor explain`.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "torsor/handles/tracer.hpp"

namespace torsor::cli {

struct Explained {
  const Tracer& tracer;  // the values of a complete trace
  int body;              // index of a body: shown with all inputs; 0: all bodies in short form
  std::string where;     // names of the robot or scene, and of the state
};
std::string explain_text(const Explained& page);
std::string explain_latex(const Explained& page);
nlohmann::ordered_json explain_json(const Explained& page);

}  // namespace torsor::cli
