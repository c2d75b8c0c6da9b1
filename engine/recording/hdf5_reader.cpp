// Reads HDF5 recordings (hdf5_file.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/recording/checksum.hpp"
#include "torsor/recording/columns_json.hpp"
#include "torsor/recording/hdf5_file.hpp"
#include "torsor/recording/hdf5_handle.hpp"
#include "torsor/recording/hdf5_header.hpp"
#include "torsor/recording/hdf5_rows.hpp"

namespace torsor {

namespace {

using hdf5::checked;
using hdf5::Handle;
using hdf5::length_of;

// How the reader treats a damaged file.
enum class Mode {
  whole,    // fails if any part is unreadable
  salvage,  // reads the readable parts of a file that may be truncated
};

struct OpenFile {
  Handle file;
  bool unclosed;  // true: the writer has not closed the file
  Mode mode;
};

[[noreturn]] void fail_not_a_recording(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("{}: not a recording: {}; `torsor run SCENE` writes recordings",
                          path.string(), why));
}

// Opens a file that begins with HDF5's signature. The consistency flags of the superblock state
// whether the writer has closed the file (File Format Specification III.A, version 3).
OpenFile open(const std::filesystem::path& path, Mode mode) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr int flags = 11, writing = 1;
  char start[flags + 1] = {};
  InputFile in(path, InputKind::recording, "give a recording");
  if (in.read(start, sizeof start) == 0) fail_not_a_recording(path, "the file is empty");
  if (!std::string_view(start, sizeof start).starts_with(signature))
    fail_not_a_recording(path, "not an HDF5 file");
  const bool unclosed = start[flags] & writing;
  // 24 attempts take 16 ms. A writer completes its metadata in much less time.
  const Handle access = hdf5::file_access(unclosed && mode == Mode::whole ? 24 : 1);
  // HDF5 rejects a truncated file unless this property is set. h5clear uses the property too.
  const hbool_t skip = true;
  if (mode == Mode::salvage) checked(H5Pset(access, "skip_eof_check", &skip));
  const unsigned swmr = unclosed ? H5F_ACC_SWMR_READ : 0;
  return {checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY | swmr, access),
                  unclosed ? "it is cut off, or another program writes to it"
                           : "it is cut off, or a part of it is overwritten"),
          unclosed, mode};
}

std::vector<std::string> texts_of(hid_t object, const char* name, hsize_t file_size) {
  const Handle attribute = checked(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type = checked(H5Aget_type(attribute)), space = checked(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw hdf5::Failure(fmt::format("its attribute '{}' is not a string of fixed length", name));
  const size_t length = H5Tget_size(type),
               count = size_t(checked(H5Sget_simple_extent_npoints(space)));
  if (length == 0 || count > file_size / length)
    throw hdf5::Failure(fmt::format("its attribute '{}' is larger than the file", name));
  std::string buffer(length * count, '\0');
  const Handle memory = hdf5::text_type(length);
  checked(H5Aread(attribute, memory, buffer.data()));
  std::vector<std::string> texts;
  for (size_t k = 0; k < count; ++k)
    texts.emplace_back(buffer, length * k, strnlen(&buffer[length * k], length));
  return texts;
}

void add_columns(const hdf5::Dataset& dataset, hsize_t file_size, std::vector<Column>& columns) {
  const auto texts = [&](const char* name) { return texts_of(dataset.handle, name, file_size); };
  const auto names = texts("columns"), units = texts("units"), frames = texts("frames");
  const hsize_t count = dataset.columns;
  if (names.size() != count || units.size() != count || frames.size() != count)
    throw hdf5::Failure(
        fmt::format("its dataset '{}' has {} columns, but its attributes are for another number",
                    dataset.name, count));
  for (size_t k = 0; k < count; ++k) columns.push_back({names[k], units[k], frames[k]});
}

// Returns whether the file has a dataset of this name. Recordings of earlier versions have no
// datasets of checksums.
bool has_dataset(hid_t file, const char* name) {
  return checked(H5Lexists(file, name, hdf5::own_links())) > 0;
}

// Returns whether the checksum of the text is one of the description's checksums in the file. The
// writer stores a checksum before the text, so this function must be called after reading the text.
bool has_its_checksum(hid_t file, const std::string& text) {
  if (!has_dataset(file, hdf5::description_checksums)) return true;
  const hdf5::Dataset dataset(file, hdf5::description_checksums);
  constexpr hsize_t most = 2;
  if (dataset.rows > most) throw hdf5::Failure("its description has too many checksums");
  std::array<uint32_t, most> checksums{};
  checked(
      H5Dread(dataset.handle, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, checksums.data()));
  return std::ranges::count(checksums.begin(), checksums.begin() + ptrdiff_t(dataset.rows),
                            checksum(text)) > 0;
}

// Returns the description. Throws Failure if it is damaged.
std::string description_of(hid_t file) {
  const hdf5::Dataset dataset(file, "description");
  if (dataset.columns != 1) throw hdf5::Failure("its dataset 'description' has several columns");
  if (dataset.rows > length_of(file))
    throw hdf5::Failure("its description is larger than the file");
  const Handle character = hdf5::text_type(1);
  std::string text(dataset.rows, '\0');
  checked(H5Dread(dataset.handle, character, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  text.erase(text.find_last_not_of(' ') + 1);
  if (!has_its_checksum(file, text)) throw hdf5::Failure("its description is damaged");
  return text;
}

// Returns whether a file has the parts that every recording has.
bool is_recording(hid_t file) {
  if (!has_dataset(file, "description")) return false;
  hdf5::require_sound_header(file, ".");
  return checked(H5Aexists(file, "signals")) > 0;
}

// Returns a substitute for a damaged description, made from the rest of the file.
std::string makeshift_description(const Recording& recording) {
  const nlohmann::ordered_json json{{"complete", true},
                                    {"experiment", {{"record", recording.signals}}},
                                    {"columns", describe(recording.columns)}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Reads an open recording. The description must be read before the rows: the writer appends the
// last rows and then writes the final description. If the description states that the run is
// complete, all rows are therefore in the file.
Recording read(const OpenFile& from) {
  Recording recording;
  bool has_description = true;
  try {
    recording.description = description_of(from.file);
  } catch (const hdf5::Failure&) {
    if (from.mode == Mode::whole) throw;
    has_description = false;
  }
  const std::vector<std::string> signals = texts_of(from.file, "signals", length_of(from.file));
  if (signals.empty()) throw hdf5::Failure("it lists no signals");
  recording.signals.assign(signals.begin() + 1, signals.end());
  std::vector<hdf5::Dataset> datasets;
  for (const std::string& signal : signals) {
    datasets.emplace_back(from.file, signal);
    add_columns(datasets.back(), length_of(from.file), recording.columns);
  }
  std::optional<hdf5::Dataset> checksums;
  if (has_dataset(from.file, hdf5::row_checksums))
    checksums.emplace(from.file, hdf5::row_checksums);
  const auto [shortest, longest] = std::ranges::minmax_element(datasets, {}, &hdf5::Dataset::rows);
  hsize_t least = shortest->rows, most = longest->rows;
  if (checksums) least = std::min(least, checksums->rows);
  if (checksums) most = std::max(most, checksums->rows);
  if (least != most && !from.unclosed)
    throw hdf5::Failure("its signals have different numbers of rows");
  const hdf5::RowsRequest request{datasets, checksums ? &*checksums : nullptr, least,
                                  length_of(from.file), from.unclosed};
  hdf5::Rows rows = from.mode == Mode::whole ? read_rows(request) : salvage_rows(request);
  recording.values = std::move(rows.values);
  recording.damage = std::move(rows.damage);
  if (!has_description) {
    recording.description = makeshift_description(recording);
    recording.damage +=
        recording.damage.empty() ? "its description is lost" : "; its description is lost too";
  }
  return recording;
}

Recording open_and_read(const std::filesystem::path& path, Mode mode) {
  const OpenFile from = open(path, mode);
  if (!is_recording(from.file)) fail_not_a_recording(path, "an HDF5 file of another kind");
  return read(from);
}

// Reads the whole file. Makes a second attempt after a failure, because a writer may have been
// active. If both attempts fail, reads the readable parts.
Recording read_in_attempts(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < 2; ++attempt) try {
      return open_and_read(path, Mode::whole);
    } catch (const hdf5::Failure&) {
    }
  return open_and_read(path, Mode::salvage);
}

// Calls `read` and translates HDF5 failures into errors for the user.
template <class Read>
auto in_our_words(const std::filesystem::path& path, Read read) {
  hdf5::be_quiet();
  try {
    return read();
  } catch (const hdf5::Failure& failure) {
    throw Error(fmt::format("{}: the recording is damaged: {}; record the run again", path.string(),
                            failure.what()));
  } catch (const hdf5::Unsupported& kind) {
    throw Error(fmt::format("{}: {}, which is not read; rewrite it with `h5repack {} NEW.h5`",
                            path.string(), kind.what(), path.string()));
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format(
        "{}: the recording does not fit into memory; record fewer signals or a shorter run",
        path.string()));
  }
}

}  // namespace

Recording read_hdf5(const std::filesystem::path& path) {
  const std::lock_guard turn(hdf5::library_lock());
  return in_our_words(path, [&] { return read_in_attempts(path); });
}

std::string read_hdf5_description(const std::filesystem::path& path) {
  const std::lock_guard turn(hdf5::library_lock());
  return in_our_words(path, [&] { return description_of(open(path, Mode::whole).file); });
}

}  // namespace torsor
