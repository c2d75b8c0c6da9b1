#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>

#include "torsor/model/input_file.hpp"
#include "torsor/simulation/hdf5_file.hpp"
#include "torsor/simulation/hdf5_handle.hpp"

namespace torsor {

namespace {

using hdf5::checked;
using hdf5::Handle;

struct OpenFile {
  Handle file;
  bool unclosed;  // its writer has not closed it
};

[[noreturn]] void fail_not_a_recording(const std::filesystem::path& path, const std::string& why) {
  throw Error(
      fmt::format("{}: not a recording: {}; `torsor run SCENE` writes recordings", path.string(), why));
}

// Opens a file that begins with HDF5's signature. The consistency flags of the superblock tell
// whether its writer has closed it (File Format Specification III.A, version 3).
OpenFile open(const std::filesystem::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr int flags = 11, writing = 1;
  char start[flags + 1] = {};
  InputFile in(path, InputKind::recording, "give a recording");
  if (in.read(start, sizeof start) == 0) fail_not_a_recording(path, "the file is empty");
  if (!std::string_view(start, sizeof start).starts_with(signature))
    fail_not_a_recording(path, "not an HDF5 file");
  const bool unclosed = start[flags] & writing;
  const unsigned mode = H5F_ACC_RDONLY | (unclosed ? H5F_ACC_SWMR_READ : 0);
  return {checked(H5Fopen(path.c_str(), mode, H5P_DEFAULT),
                  unclosed ? "it is cut off, or another program writes to it"
                           : "it is cut off, or a part of it is overwritten"),
          unclosed};
}

std::vector<std::string> texts_of(hid_t object, const char* name) {
  const Handle attribute = checked(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type = checked(H5Aget_type(attribute)), space = checked(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw hdf5::Failure(fmt::format("its attribute '{}' is not a string of fixed length", name));
  const size_t length = H5Tget_size(type), count = size_t(checked(H5Sget_simple_extent_npoints(space)));
  std::string buffer(length * count, '\0');
  const Handle memory = hdf5::text_type(length);
  checked(H5Aread(attribute, memory, buffer.data()));
  std::vector<std::string> texts;
  for (size_t k = 0; k < count; ++k)
    texts.emplace_back(buffer, length * k, strnlen(&buffer[length * k], length));
  return texts;
}

// [rows][columns] of a dataset; rank 1 is one column.
struct Size {
  hsize_t rows, columns = 1;
};
Size size_of(hid_t dataset, const std::string& signal) {
  const Handle space = checked(H5Dget_space(dataset));
  const int rank = checked(H5Sget_simple_extent_ndims(space));
  hsize_t dims[H5S_MAX_RANK] = {};
  checked(H5Sget_simple_extent_dims(space, dims, nullptr));
  if (rank != 1 && rank != 2)
    throw hdf5::Failure(fmt::format("its dataset '{}' has {} dimensions", signal, rank));
  return rank == 1 ? Size{dims[0]} : Size{dims[0], dims[1]};
}

void add_columns(hid_t dataset, const std::string& signal, hsize_t count, std::vector<Column>& columns) {
  const auto names = texts_of(dataset, "columns"), units = texts_of(dataset, "units"),
             frames = texts_of(dataset, "frames");
  if (names.size() != count || units.size() != count || frames.size() != count)
    throw hdf5::Failure(fmt::format(
        "its dataset '{}' has {} columns, but its attributes are for another number", signal, count));
  for (size_t k = 0; k < count; ++k) columns.push_back({names[k], units[k], frames[k]});
}

std::string description_of(hid_t file) {
  const Handle dataset = checked(H5Dopen2(file, "description", H5P_DEFAULT)), character = hdf5::text_type(1);
  const Size size = size_of(dataset, "description");
  if (size.columns != 1) throw hdf5::Failure("its dataset 'description' has several columns");
  std::string text(size.rows, '\0');
  checked(H5Dread(dataset, character, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Returns whether a file has what every recording has.
bool is_recording(hid_t file) {
  return checked(H5Lexists(file, "description", H5P_DEFAULT)) > 0 && checked(H5Aexists(file, "signals")) > 0;
}

Recording read(const OpenFile& from) {
  Recording recording;
  recording.description = description_of(from.file);
  const std::vector<std::string> signals = texts_of(from.file, "signals");
  if (signals.empty()) throw hdf5::Failure("it lists no signals");
  std::vector<Handle> datasets;
  std::vector<Size> sizes;
  for (const std::string& signal : signals) {
    datasets.push_back(checked(H5Dopen2(from.file, signal.c_str(), H5P_DEFAULT)));
    sizes.push_back(size_of(datasets.back(), signal));
    add_columns(datasets.back(), signal, sizes.back().columns, recording.columns);
  }
  const auto [least, most] = std::ranges::minmax(sizes, {}, &Size::rows);
  if (least.rows != most.rows && !from.unclosed)
    throw hdf5::Failure("its signals have different numbers of rows");
  const hsize_t rows = least.rows, width = recording.columns.size();
  if (width == 0) throw hdf5::Failure("its signals have no columns");
  if (rows > recording.values.max_size() / width) throw std::bad_alloc();
  recording.values.resize(rows * width);
  recording.signals.assign(signals.begin() + 1, signals.end());
  hsize_t first = 0;
  for (size_t g = 0; rows > 0 && g < datasets.size(); ++g) {
    const hsize_t all[] = {rows, width}, here[] = {0, first}, there[] = {0, 0},
                  size[] = {rows, sizes[g].columns};
    const Handle memory = checked(H5Screate_simple(2, all, nullptr)),
                 space = checked(H5Dget_space(datasets[g]));
    checked(H5Sselect_hyperslab(memory, H5S_SELECT_SET, here, nullptr, size, nullptr));
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, there, nullptr, size, nullptr));
    checked(H5Dread(datasets[g], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, recording.values.data()));
    first += sizes[g].columns;
  }
  return recording;
}

}  // namespace

Recording read_hdf5(const std::filesystem::path& path) {
  hdf5::be_quiet();
  const auto too_large = [&] {
    return Error(
        fmt::format("{}: the recording does not fit into memory, or it is damaged; record fewer signals or "
                    "a shorter run",
                    path.string()));
  };
  try {
    const OpenFile from = open(path);
    if (!is_recording(from.file)) fail_not_a_recording(path, "an HDF5 file of another kind");
    return read(from);
  } catch (const hdf5::Failure& failure) {
    throw Error(
        fmt::format("{}: the recording is damaged: {}; record the run again", path.string(), failure.what()));
  } catch (const std::bad_alloc&) {
    throw too_large();
  } catch (const std::length_error&) {
    throw too_large();
  }
}

}  // namespace torsor
