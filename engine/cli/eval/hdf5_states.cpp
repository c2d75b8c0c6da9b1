#include "torsor/cli/eval/hdf5_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/hdf5_handle.hpp"
#include "torsor/recording/hdf5_rows.hpp"

namespace torsor::cli {

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr const char* datasets[] = {"q", "v", "vdot", "tau"};

// Runs function() with HDF5's lock. Converts a failure of HDF5 to an Error about the file.
template <class Function>
auto with_hdf5(const std::filesystem::path& file, const char* does, Function function) {
  const std::lock_guard turn(hdf5::library_lock());
  hdf5::be_quiet();
  try {
    return function();
  } catch (const hdf5::Failure& failure) {
    throw Error(fmt::format("{} '{}': {}", does, file.string(), failure.what()));
  } catch (const hdf5::Unsupported& failure) {
    throw Error(fmt::format("{} '{}': {}", does, file.string(), failure.what()));
  }
}

// Selects the rows [first, first + count) of a dataset, and returns the space of these rows in
// memory.
Handle select_rows(hid_t space, uint64_t first, size_t count, size_t entries) {
  std::array<hsize_t, 4> start{first}, size{};
  checked(H5Sget_simple_extent_dims(space, size.data(), nullptr));
  size[0] = count;
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  const hsize_t numbers = count * entries;
  return checked(H5Screate_simple(1, &numbers, nullptr));
}

}  // namespace

bool is_hdf5_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return false;
  char start[8] = {};
  InputFile in(file, InputKind::recording, "give a file of states (see torsor eval --help)");
  return in.read(start, sizeof start) == sizeof start &&
         std::memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0;
}

struct StatesTable::Impl {
  std::filesystem::path path;
  const Model& model;
  Handle file;
  std::map<std::string, hdf5::Dataset> present;
  uint64_t rows = 0;

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("{}: {}", path.string(), why));
  }
  // Opens a dataset, if the file has it.
  void open(const char* name) {
    if (checked(H5Lexists(file, name, hdf5::own_links())) <= 0) return;
    try {
      hdf5::Dataset dataset(file, name);
      const Handle type = checked(H5Dget_type(dataset.handle));
      if (H5Tget_class(type) != H5T_FLOAT)
        throw hdf5::Failure("it does not contain floating-point numbers");
      keep_chunks(dataset);
      present.emplace(name, std::move(dataset));
    } catch (const hdf5::Failure& failure) {
      throw hdf5::Failure(
          fmt::format("its '{}' is not a dataset of states: {}", name, failure.what()));
    }
  }
  // Opens a dataset of chunks with a cache for one of them. Otherwise each part of the states would
  // read, and decompress, a large chunk again.
  void keep_chunks(hdf5::Dataset& dataset) {
    if (dataset.chunk_rows == 0) return;
    constexpr double most = 256e6;
    const double bytes = 8.0 * double(dataset.chunk_rows) * double(dataset.columns);
    if (bytes > most)
      throw hdf5::Failure(
          fmt::format("a chunk has {:.0f} MB; store it in chunks of at most {:.0f} MB", bytes / 1e6,
                      most / 1e6));
    reserve_memory(fmt::format("the chunks of '{}'", dataset.name), bytes);
    const Handle access = hdf5::own_links();
    checked(H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, size_t(bytes) + 1, 1));
    dataset.handle = checked(H5Dopen2(file, dataset.name.c_str(), access));
  }
  // Throws Error if the file contains something else than states.
  void check_names() const {
    H5G_info_t group;
    checked(H5Gget_info(file, &group));
    const std::vector<std::string> known(std::begin(datasets), std::end(datasets));
    for (hsize_t k = 0; k < group.nlinks; ++k) {
      char name[64] = {};
      checked(H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name,
                                 H5P_DEFAULT));
      if (std::ranges::count(known, name) == 0)
        fail(fmt::format("there is an unknown dataset '{}'{}; states have q, v, vdot and tau",
                         quotable(name), did_you_mean(name, known)));
    }
  }
  void check_shape() {
    if (!present.contains("q"))
      fail("there is no dataset 'q'; it must have one row of positions per state");
    rows = present.at("q").rows;
    for (const auto& [name, dataset] : present) {
      const hsize_t columns = hsize_t(name == "q" ? model.n_q : model.n_v);
      if (dataset.columns != columns)
        fail(fmt::format("its dataset '{}' has {} columns; the robot has {} {}", name,
                         dataset.columns, columns,
                         name == "q" ? "positions" : "degrees of freedom"));
      if (dataset.rows != rows)
        fail(fmt::format("its dataset '{}' has {} rows, and 'q' has {}", name, dataset.rows, rows));
    }
  }
  // Reads rows of a dataset to [columns][stride].
  void read_transposed(const std::string& name, uint64_t first, size_t count, size_t stride,
                       double* to) {
    const hdf5::Dataset& dataset = present.at(name);
    const size_t columns = size_t(dataset.columns);
    std::vector<double> buffer(count * columns);
    with_hdf5(path, "cannot read", [&] {
      const Handle space = checked(H5Dget_space(dataset.handle));
      const Handle memory = select_rows(space, first, count, columns);
      checked(H5Dread(dataset.handle, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buffer.data()),
              "a part of it cannot be read");
    });
    for (size_t k = 0; k < count; ++k)
      for (size_t i = 0; i < columns; ++i) {
        const double x = buffer[k * columns + i];
        if (!std::isfinite(x))
          fail(fmt::format("{}[{}][{}] is not a finite number", name, first + k, i));
        to[i * stride + k] = x;
      }
  }
  void normalise_quaternions(uint64_t first, size_t count, StateBatch& batch) const {
    std::vector<double> q(size_t(model.n_q));
    if (std::ranges::none_of(
            model.mapped, [](const MappedBody& body) { return body.kind->maps->quaternion >= 0; }))
      return;
    for (size_t k = 0; k < count; ++k) {
      for (size_t i = 0; i < q.size(); ++i) q[i] = batch.q()[i * batch.stride() + k];
      try {
        normalise(model, q);
      } catch (const Error& error) {
        fail(fmt::format("q[{}]: {}", first + k, error.what()));
      }
      for (size_t i = 0; i < q.size(); ++i) batch.q()[i * batch.stride() + k] = q[i];
    }
  }
};

StatesTable::StatesTable(const std::filesystem::path& file, const Model& model)
    : impl_(new Impl{file, model, {}, {}}) {
  with_hdf5(file, "cannot read", [&] {
    impl_->file = checked(H5Fopen(file.c_str(), H5F_ACC_RDONLY, hdf5::file_access(1)),
                          "it is cut off, or a part of it is overwritten");
    impl_->check_names();
    for (const char* name : datasets) impl_->open(name);
  });
  impl_->check_shape();
}
StatesTable::~StatesTable() {
  const std::lock_guard turn(hdf5::library_lock());
  impl_->present.clear();
  impl_->file = {};
}
uint64_t StatesTable::size() const {
  return impl_->rows;
}
bool StatesTable::has(const char* dataset) const {
  return impl_->present.contains(dataset);
}

void StatesTable::read(uint64_t first, size_t count, StateBatch& batch, std::span<double> vdot,
                       std::span<double> tau) {
  const size_t stride = batch.stride();
  const std::span<double> targets[] = {batch.q(), batch.v(), vdot, tau};
  for (size_t k = 0; k < std::size(datasets); ++k)
    if (has(datasets[k]))
      impl_->read_transposed(datasets[k], first, count, stride, targets[k].data());
  impl_->normalise_quaternions(first, count, batch);
}

struct ResultsTable::Impl {
  std::filesystem::path path;
  OutputFile output;
  Handle file;
  std::vector<Handle> sets;
  std::vector<size_t> entries;

  explicit Impl(const std::filesystem::path& file) : path(file), output(file) {}
  static Handle texts(hid_t at, const std::string& name, const std::vector<hsize_t>& dimensions,
                      const std::vector<std::string>& values) {
    size_t size = 1;
    for (const std::string& value : values) size = std::max(size, value.size());
    std::string buffer(size * values.size(), '\0');
    for (size_t k = 0; k < values.size(); ++k) values[k].copy(&buffer[size * k], size);
    const Handle type = hdf5::text_type(size),
                 space =
                     checked(H5Screate_simple(int(dimensions.size()), dimensions.data(), nullptr)),
                 creation = checked(H5Pcreate(H5P_DATASET_CREATE));
    checked(H5Pset_obj_track_times(creation, false));
    Handle set =
        checked(H5Dcreate2(at, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()));
    return set;
  }
  void add(const ResultColumn& result, uint64_t states) {
    std::vector<hsize_t> dimensions{states};
    dimensions.insert(dimensions.end(), result.dimensions.begin(), result.dimensions.end());
    const Handle space =
                     checked(H5Screate_simple(int(dimensions.size()), dimensions.data(), nullptr)),
                 creation = checked(H5Pcreate(H5P_DATASET_CREATE));
    checked(H5Pset_obj_track_times(creation, false));
    checked(H5Pset_layout(creation, H5D_CONTIGUOUS));
    checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
    checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
    sets.push_back(checked(H5Dcreate2(file, result.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                      creation, H5P_DEFAULT)));
    entries.push_back(result.units.size());
  }
  void reserve(double bytes) const {
    constexpr double most = 9e18;  // of a file
    const int error = bytes > most ? EFBIG : reserve_room(hdf5::descriptor_of(file), size_t(bytes));
    if (error)
      cannot_write(
          path, fmt::format("{}; the results have {:.0f} MB", std::strerror(error), bytes / 1e6));
  }
};

ResultsTable::ResultsTable(const std::filesystem::path& file, uint64_t states,
                           const std::vector<ResultColumn>& results,
                           const std::vector<std::string>& columns,
                           const std::vector<std::pair<std::string, std::string>>& attributes)
    : impl_(new Impl(file)) {
  // The texts are stored with the length of the longest one. The rest are headers of HDF5.
  double bytes = 1e6;
  for (const ResultColumn& result : results)
    bytes += (8.0 * double(states) + 64) * double(result.units.size());
  for (const std::string& name : columns) bytes += double(name.size() * columns.size());
  for (const auto& [name, text] : attributes) bytes += double(text.size());
  with_hdf5(file, "cannot write", [&] {
    Impl& at = *impl_;
    const Handle access = hdf5::file_access(1), creation = checked(H5Pcreate(H5P_FILE_CREATE));
    checked(H5Pset_obj_track_times(creation, false));
    at.file = checked(H5Fcreate(at.output.part().c_str(), H5F_ACC_TRUNC, creation, access),
                      "HDF5 cannot create it");
    at.reserve(bytes);
    for (const ResultColumn& result : results) at.add(result, states);
    Impl::texts(at.file, "columns", {columns.size()}, columns);
    for (const auto& [name, text] : attributes) Impl::texts(at.file, name, {1}, {text});
    const Handle units =
        checked(H5Gcreate2(at.file, "units", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (const ResultColumn& result : results)
      Impl::texts(units, result.name, {result.dimensions.begin(), result.dimensions.end()},
                  result.units);
    checked(H5Fflush(at.file, H5F_SCOPE_GLOBAL));
  });
}
ResultsTable::~ResultsTable() {
  const std::lock_guard turn(hdf5::library_lock());
  impl_->sets.clear();
  impl_->file = {};
}

void ResultsTable::write(size_t result, uint64_t first, size_t count, const double* rows) {
  with_hdf5(impl_->path, "cannot write", [&] {
    const Handle space = checked(H5Dget_space(impl_->sets[result]));
    const Handle memory = select_rows(space, first, count, impl_->entries[result]);
    checked(H5Dwrite(impl_->sets[result], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows));
  });
}

void ResultsTable::commit() {
  with_hdf5(impl_->path, "cannot write", [&] {
    checked(H5Fflush(impl_->file, H5F_SCOPE_GLOBAL));
    impl_->sets.clear();
    impl_->file = {};
  });
  impl_->output.commit();
}

}  // namespace torsor::cli
