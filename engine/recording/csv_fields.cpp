#include "torsor/recording/csv_fields.hpp"

namespace torsor {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"')
      fields.back().push_back(line[++k]);
    else if (line[k] == '"')
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back().push_back(line[k]);
  }
  return fields;
}

}  // namespace torsor
