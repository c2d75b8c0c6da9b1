#include "torsor/recording/hdf5_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "torsor/base/memory.hpp"
#include "torsor/recording/checksum.hpp"
#include "torsor/recording/hdf5_header.hpp"

namespace torsor::hdf5 {

namespace {

// Rows that were read from the datasets, with a flag for each row that is lost.
struct ReadRows {
  size_t width;
  std::vector<double> values;
  std::vector<bool> lost;  // [rows]

  ReadRows(hsize_t rows, size_t width) : width(width), values(size(rows, width)), lost(rows) {}
  std::span<const double> row(size_t k) const {
    return std::span(values).subspan(k * width, width);
  }

 private:
  // Returns the number of values. Throws Error if there is not enough free memory for them: a
  // compressed file may contain much more data than its size.
  static size_t size(hsize_t rows, size_t width) {
    reserve_memory("the rows of the recording", double(rows) * double(width) * sizeof(double));
    return rows * width;
  }
};

size_t width_of(const RowsRequest& request) {
  size_t width = 0;
  for (const Dataset& signal : request.signals) width += signal.columns;
  if (width == 0) throw Failure("its signals have no columns");
  return width;
}

// Returns the number of requested rows that the file can contain according to its size. This limits
// every allocation. The highest compression ratio of any supported filter is 1032 (Deflate).
hsize_t rows_that_fit(const RowsRequest& request) {
  hsize_t room = request.file_size / sizeof(double);
  for (const Dataset& signal : request.signals)
    if (signal.filtered) room = request.file_size / sizeof(double) * 1032;
  return std::min<hsize_t>(request.rows, room / width_of(request));
}

// Reads `count` rows of a signal, beginning with row `first`, into the columns of the signal in
// `to`.
void read_signal(const Dataset& signal, hsize_t first_column, hsize_t first, hsize_t count,
                 ReadRows& to) {
  const hsize_t all[] = {to.lost.size(), to.width}, there[] = {first, first_column},
                from[] = {first, 0}, size[] = {count, signal.columns};
  const Handle memory = checked(H5Screate_simple(2, all, nullptr)),
               space = checked(H5Dget_space(signal.handle));
  checked(H5Sselect_hyperslab(memory, H5S_SELECT_SET, there, nullptr, size, nullptr));
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, size, nullptr));
  checked(H5Dread(signal.handle, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, to.values.data()));
}

void read_checksums(const Dataset& dataset, hsize_t first, hsize_t count,
                    std::vector<uint32_t>& to) {
  const Handle memory = checked(H5Screate_simple(1, &count, nullptr)),
               space = checked(H5Dget_space(dataset.handle));
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr));
  checked(
      H5Dread(dataset.handle, H5T_NATIVE_UINT32, memory, space, H5P_DEFAULT, to.data() + first));
}

// Returns whether a chunk is stored within the file. HDF5 reads zeros beyond the end of the file.
// Each call is slow, because HDF5 searches all chunks.
bool is_within_file(const Dataset& dataset, hsize_t chunk, hsize_t file_size) {
  const hsize_t first[] = {chunk * dataset.chunk_rows, 0};
  unsigned filters = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  return H5Dget_chunk_info_by_coord(dataset.handle, first, &filters, &address, &size) >= 0 &&
         address != HADDR_UNDEF && address < file_size && size <= file_size - address;
}

// Returns the number of leading rows of a dataset whose chunks are stored within the file. Chunks
// are appended, so later rows are stored later in the file. Bisection therefore finds the last
// chunk within the file.
hsize_t rows_within_file(const Dataset& dataset, hsize_t rows, hsize_t file_size) {
  if (dataset.chunk_rows == 0 || rows == 0) return rows;
  const hsize_t chunks = (rows - 1) / dataset.chunk_rows + 1;
  if (is_within_file(dataset, chunks - 1, file_size)) return rows;
  hsize_t within = 0, beyond = chunks - 1;
  while (within < beyond) {
    const hsize_t middle = within + (beyond - within) / 2;
    if (is_within_file(dataset, middle, file_size))
      within = middle + 1;
    else
      beyond = middle;
  }
  return within * dataset.chunk_rows;
}

void mark(std::vector<bool>& lost, hsize_t first, hsize_t count) {
  std::fill_n(lost.begin() + ptrdiff_t(first), count, true);
}

// Calls read(first, count) for the rows of each chunk of a dataset. If read() throws Failure, marks
// these rows as lost.
template <class Read>
void for_each_chunk(const Dataset& dataset, std::vector<bool>& lost, Read read) {
  const hsize_t rows = lost.size(), step = dataset.chunk_rows > 0 ? dataset.chunk_rows : rows;
  for (hsize_t first = 0; first < rows; first += step) {
    const hsize_t count = std::min(step, rows - first);
    try {
      read(first, count);
    } catch (const Failure&) {
      mark(lost, first, count);
    }
  }
}

// Throws Failure if a dataset stores fewer values than it claims. HDF5 1.10 does not check this.
// It would read memory beyond the values of a dataset that is stored in its header. Do not call
// this for chunked datasets, which may store fewer values because missing chunks have the fill
// value.
void require_whole(const Dataset& dataset) {
  const Handle type = checked(H5Dget_type(dataset.handle));
  const size_t size = H5Tget_size(type);
  const hsize_t stored = H5Dget_storage_size(dataset.handle);
  if (dataset.columns == 0) return;
  if (size == 0 || dataset.rows > stored / size / dataset.columns)
    throw Failure(
        fmt::format("its dataset '{}' has fewer values than it should have", dataset.name));
}

// Returns the rows without the lost ones, and describes the loss. all: number of rows that the file
// should have.
Rows without_lost(ReadRows read, hsize_t all) {
  size_t kept = 0, first_lost = read.lost.size();
  bool to_end = true;  // true: all rows after the first lost row are lost too
  for (size_t k = 0; k < read.lost.size(); ++k) {
    if (read.lost[k]) {
      first_lost = std::min(first_lost, k);
      continue;
    }
    to_end = to_end && first_lost == read.lost.size();
    if (kept != k)
      std::copy_n(read.values.begin() + ptrdiff_t(k * read.width), read.width,
                  read.values.begin() + ptrdiff_t(kept * read.width));
    ++kept;
  }
  if (kept == all) return {std::move(read.values), ""};
  if (kept == 0) throw Failure(fmt::format("all of its {} rows are lost", all));
  const std::string after = first_lost > 0 ? fmt::format(", after t = {:.6g} s",
                                                         read.values[(first_lost - 1) * read.width])
                                           : "";
  read.values.resize(kept * read.width);
  return {std::move(read.values),
          to_end
              ? fmt::format("its rows are lost from row {} of {} on{}", first_lost + 1, all, after)
              : fmt::format("{} of its {} rows {} lost, the first of them row {}{}", all - kept,
                            all, all - kept == 1 ? "is" : "are", first_lost + 1, after)};
}

// Marks the rows whose checksums are wrong as lost.
void check(const std::vector<uint32_t>& checksums, ReadRows& read) {
  for (size_t k = 0; k < checksums.size(); ++k)
    if (checksum(uint32_t(k), read.row(k)) != checksums[k]) read.lost[k] = true;
}

}  // namespace

Dataset::Dataset(hid_t file, const std::string& name) : name(name) {
  require_sound_header(file, name.c_str());
  handle = checked(H5Dopen2(file, name.c_str(), own_links()));
  const Handle space = checked(H5Dget_space(handle)),
               creation = checked(H5Dget_create_plist(handle));
  const int rank = checked(H5Sget_simple_extent_ndims(space));
  if (rank != 1 && rank != 2)
    throw Failure(fmt::format("its dataset '{}' has {} dimensions", name, rank));
  hsize_t dims[] = {0, 1}, chunk[] = {0, 1};
  checked(H5Sget_simple_extent_dims(space, dims, nullptr));
  const H5D_layout_t layout = checked(H5Pget_layout(creation));
  if (layout == H5D_CHUNKED) checked(H5Pget_chunk(creation, rank, chunk));
  rows = dims[0];
  columns = dims[1];
  if (layout != H5D_CHUNKED) require_whole(*this);
  chunk_rows = chunk[0];
  filtered = H5Pget_nfilters(creation) > 0;
}

Rows read_rows(const RowsRequest& request) {
  ReadRows read(request.rows == 0 ? 0 : rows_that_fit(request), width_of(request));
  const hsize_t rows = read.lost.size();
  if (rows < request.rows) throw Failure("it is cut off");
  if (rows == 0) return {};
  if (!request.checksums && request.unclosed)
    for (const Dataset& signal : request.signals)
      if (rows_within_file(signal, rows, request.file_size) < rows) throw Failure("it is cut off");
  hsize_t column = 0;
  for (const Dataset& signal : request.signals) {
    read_signal(signal, column, 0, rows, read);
    column += signal.columns;
  }
  if (request.checksums) {
    std::vector<uint32_t> checksums(rows);
    read_checksums(*request.checksums, 0, rows, checksums);
    check(checksums, read);
  }
  return without_lost(std::move(read), request.rows);
}

Rows salvage_rows(const RowsRequest& request) {
  hsize_t rows = rows_that_fit(request);
  if (!request.checksums)
    for (const Dataset& signal : request.signals)
      rows = rows_within_file(signal, rows, request.file_size);
  ReadRows read(rows, width_of(request));
  hsize_t column = 0;
  for (const Dataset& signal : request.signals) {
    for_each_chunk(signal, read.lost, [&](hsize_t first, hsize_t count) {
      read_signal(signal, column, first, count, read);
    });
    column += signal.columns;
  }
  if (request.checksums) {
    std::vector<uint32_t> checksums(rows);
    for_each_chunk(*request.checksums, read.lost, [&](hsize_t first, hsize_t count) {
      read_checksums(*request.checksums, first, count, checksums);
    });
    check(checksums, read);
  }
  if (request.rows == 0) return {};
  return without_lost(std::move(read), request.rows);
}

}  // namespace torsor::hdf5
