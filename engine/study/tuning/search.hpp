#pragma once
// A local search for the minimum of a function in a box, without derivatives (NLopt).
//
//   nelder_mead  Nelder and Mead's simplex: robust for few parameters
//   sbplx        simplices in subspaces (Rowan's Subplex): for more than about six parameters
//   bobyqa       quadratic models (Powell): few evaluations for smooth functions
//   cobyla       linear models (Powell): for functions with noise of small amplitude
//
// A search is deterministic: its points are functions of the request and of the values of earlier
// points.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace torsor {

struct SearchRequest {
  std::string method;
  // [dimensions] of the box, at least one.
  std::vector<double> start = {}, lower = {}, upper = {};
  std::vector<double> step = {};       // size of the first steps
  std::vector<double> tolerance = {};  // ends the search when all its steps are smaller
  uint64_t evaluations = 0;            // the largest number of calls of the function
};

enum class TuningEnd : uint8_t {
  converged,
  evaluations,   // the number of evaluations has reached its limit
  interrupted,   // the function returned nullopt
  failed_start,  // the value at the start is infinite, and the method needs finite values
  not_started
};
// Returns the reason as a text, such as "converged".
const char* text(TuningEnd end);

// Returns the name and the version of the library of the methods.
std::string search_library();
// Returns the names of all methods.
std::vector<std::string> search_methods();
// Throws Error if there is no such method, or if it does not take this number of dimensions.
void require_method(const std::string& method, size_t dimensions);

// A function to minimise. It returns infinity at points that are invalid, and nullopt to end the
// search. It may throw, which ends the search.
using SearchFunction = std::function<std::optional<double>(std::span<const double> x)>;

// Searches. The caller keeps the best point. The methods bobyqa and cobyla, which need finite
// values, take the largest value so far plus the range of the values in place of infinity.
TuningEnd search_minimum(const SearchRequest& request, const SearchFunction& function);

}  // namespace torsor
