#pragma once
// Readable messages for errors in JSON files.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace torsor::editor {

// Returns the message of an exception thrown while a JSON file was read, without the names of the
// library.
inline std::string in_words(const std::exception& error) {
  if (const auto* parsing = dynamic_cast<const nlohmann::json::parse_error*>(&error))
    return fmt::format("it is not valid JSON; the first error is at byte {}", parsing->byte);
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error)) return "an entry is missing";
  if (dynamic_cast<const nlohmann::json::exception*>(&error)) return "an entry has the wrong type";
  return error.what();
}

}  // namespace torsor::editor
