#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/recording/recording.hpp"

void torsor::fuzz::csv(std::string_view input) {
  constexpr std::string_view separator = "\n---\n";
  const size_t end = input.find(separator);
  const bool has_side_file = end != input.npos;
  const auto file = written("recording.csv", has_side_file ? input.substr(0, end + 1) : input);
  const auto side_file =
      written("recording.json", has_side_file ? input.substr(end + separator.size()) : "");
  if (!has_side_file) std::filesystem::remove(side_file);
  accepts([&] {
    const Recording recording = read_recording(file);
    if (recording.values.size() != recording.rows() * recording.columns.size())
      throw Finding("the recording has a part of a row");
  });
  accepts([&] { read_csv_rows(file); });
}
