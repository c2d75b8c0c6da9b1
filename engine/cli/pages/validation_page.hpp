#pragma once
// The report of a validation as a page for a browser.

#include <string>

#include "torsor/validation/validator.hpp"

namespace torsor::cli {

std::string validation_page(const validation::Report& report);

}  // namespace torsor::cli
