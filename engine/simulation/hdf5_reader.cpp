#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>

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

// The consistency flags of the superblock (File Format Specification III.A, version 3). HDF5 itself says only that it cannot
// open such a file.
bool has_writer_mark(const std::filesystem::path& path) {
  constexpr int flags = 11, writing = 1;
  char start[flags + 1] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return start[flags] & writing;
}

OpenFile open(const std::filesystem::path& path) {
  const bool unclosed = has_writer_mark(path);
  const unsigned mode = H5F_ACC_RDONLY | (unclosed ? H5F_ACC_SWMR_READ : 0);
  return {checked(H5Fopen(path.c_str(), mode, H5P_DEFAULT)), unclosed};
}

std::vector<std::string> texts_of(hid_t object, const char* name) {
  const Handle attribute = checked(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type = checked(H5Aget_type(attribute)), space = checked(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw Error(fmt::format("its attribute '{}' is not a string of fixed length", name));
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
  if (rank != 1 && rank != 2) throw Error(fmt::format("its dataset '{}' has {} dimensions", signal, rank));
  return rank == 1 ? Size{dims[0]} : Size{dims[0], dims[1]};
}

void add_columns(hid_t dataset, const std::string& signal, hsize_t count, std::vector<Column>& columns) {
  const auto names = texts_of(dataset, "columns"), units = texts_of(dataset, "units"),
             frames = texts_of(dataset, "frames");
  if (names.size() != count || units.size() != count || frames.size() != count)
    throw Error(fmt::format("its dataset '{}' has {} columns, but its attributes are for another number",
                            signal, count));
  for (size_t k = 0; k < count; ++k) columns.push_back({names[k], units[k], frames[k]});
}

std::string description_of(hid_t file) {
  const Handle dataset = checked(H5Dopen2(file, "description", H5P_DEFAULT)), character = hdf5::text_type(1);
  std::string text(size_of(dataset, "description").rows, '\0');
  checked(H5Dread(dataset, character, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Recording read(const OpenFile& from) {
  Recording recording;
  recording.description = description_of(from.file);
  const std::vector<std::string> signals = texts_of(from.file, "signals");
  std::vector<Handle> datasets;
  std::vector<Size> sizes;
  for (const std::string& signal : signals) {
    datasets.push_back(checked(H5Dopen2(from.file, signal.c_str(), H5P_DEFAULT)));
    sizes.push_back(size_of(datasets.back(), signal));
    add_columns(datasets.back(), signal, sizes.back().columns, recording.columns);
  }
  const auto [least, most] = std::ranges::minmax(sizes, {}, &Size::rows);
  if (least.rows != most.rows && !from.unclosed) throw Error("its signals have different numbers of rows");
  const hsize_t rows = least.rows, width = recording.columns.size();
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
  std::string why;
  try {
    return read(open(path));
  } catch (const hdf5::Failure& failure) {
    why = failure.what();
  } catch (const Error& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = "its stated size does not fit in memory";
  } catch (const std::length_error&) {
    why = "its stated size does not fit in memory";
  }
  throw Error(
      fmt::format("cannot read '{}': {}; the file is not a recording, or it is damaged", path.string(), why));
}

}  // namespace torsor
