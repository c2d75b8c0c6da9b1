#pragma once
// Writes the report of `torsor validate` as an HTML page.

#include <string>

#include "torsor/validation/validator.hpp"

namespace torsor::cli {

std::string validation_page(const validation::Report& report);

}  // namespace torsor::cli
