#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/recording/recording.hpp"

void torsor::fuzz::hdf5(std::string_view input) {
  const auto file = written("recording.h5", input);
  accepts([&] {
    const Recording recording = read_recording(file);
    if (recording.values.size() != recording.rows() * recording.columns.size())
      throw Finding("the recording has a part of a row");
  });
}
