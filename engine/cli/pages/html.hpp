#pragma once
// Parts of the HTML pages that commands write.

#include <fmt/format.h>

#include <string>

namespace torsor::cli {

// Returns text in which the characters with a meaning in HTML are escaped.
inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// Returns the beginning of a page, up to its body. The style has tables without vertical lines.
inline std::string html_head(const std::string& title) {
  constexpr const char* style =
      R"(body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 70em; color: #222 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .25em .7em; border-bottom: 1px solid #ddd; vertical-align: top }
th { background: #f3f3f3 } .passed { color: #17692b } .failed { color: #b00020; font-weight: bold } .skipped { color: #888 } td.n { text-align: right }
code { background: #f3f3f3; padding: .1em .3em }
)";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>\n"
      "{}</style></head><body>\n",
      escaped(title), style);
}

}  // namespace torsor::cli
