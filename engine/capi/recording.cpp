// The handle torsor_recording.

#include "torsor/recording/recording.hpp"

#include "torsor/capi/boundary.hpp"

using namespace torsor;
using namespace torsor::capi;

struct torsor_recording {
  Recording recording;
  std::string problem;
};

namespace torsor::capi {

namespace {

torsor_recording* read_handle(const char* file) {
  Recording recording = read_recording(file);
  std::string problem = recording.damage.empty() ? recording.error : recording.damage;
  return new torsor_recording{std::move(recording), std::move(problem)};
}

const Column* recorded_column(const torsor_recording* recording, size_t column) {
  return recording && column < recording->recording.columns.size()
             ? &recording->recording.columns[column]
             : nullptr;
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_recording_read(const char* file, torsor_recording** out, torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(file, "file");
    return read_handle(file);
  });
}

void torsor_recording_destroy(torsor_recording* recording) {
  delete recording;
}

size_t torsor_recording_columns(const torsor_recording* recording) {
  return recording ? recording->recording.columns.size() : 0;
}

size_t torsor_recording_rows(const torsor_recording* recording) {
  return recording ? recording->recording.rows() : 0;
}

const char* torsor_recording_name(const torsor_recording* recording, size_t column) {
  const Column* found = recorded_column(recording, column);
  return found ? found->name.c_str() : nullptr;
}

const char* torsor_recording_unit(const torsor_recording* recording, size_t column) {
  const Column* found = recorded_column(recording, column);
  return found ? found->unit.c_str() : nullptr;
}

const char* torsor_recording_frame(const torsor_recording* recording, size_t column) {
  const Column* found = recorded_column(recording, column);
  return found ? found->frame.c_str() : nullptr;
}

const double* torsor_recording_values(const torsor_recording* recording) {
  return recording ? recording->recording.values.data() : nullptr;
}

const char* torsor_recording_description(const torsor_recording* recording) {
  return recording ? recording->recording.description.c_str() : "";
}

const char* torsor_recording_problem(const torsor_recording* recording) {
  return recording ? recording->problem.c_str() : "";
}
