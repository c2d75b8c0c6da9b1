#include "torsor/study/table/hdf5_study.hpp"

#include <fmt/format.h>

#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/recording/hdf5_header.hpp"

namespace torsor::hdf5 {

namespace {

// Returns the creation properties of a dataset in one piece, whose place is allocated at once.
Handle whole_dataset() {
  Handle list = checked(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_obj_track_times(list, false));
  checked(H5Pset_layout(list, H5D_CONTIGUOUS));
  checked(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
  checked(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER));
  return list;
}

Handle add_dataset(hid_t file, const char* name, hid_t type, hsize_t rows) {
  const Handle space = checked(H5Screate_simple(1, &rows, nullptr)), creation = whole_dataset();
  return checked(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

void add_text_attribute(hid_t object, const char* name, const std::vector<std::string>& texts) {
  size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size() + 1);
  std::string buffer(size * texts.size(), '\0');
  for (size_t k = 0; k < texts.size(); ++k) texts[k].copy(&buffer[size * k], size);
  const hsize_t count = texts.size();
  const Handle type = text_type(size), space = checked(H5Screate_simple(1, &count, nullptr));
  const Handle attribute = checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  checked(H5Awrite(attribute, type, buffer.data()));
}

void add_attributes(hid_t samples, const RowFormat& format) {
  std::vector<std::string> names, units, roles;
  for (const RowFormat::Column& column : format.columns()) {
    names.push_back(column.name);
    units.push_back(column.unit);
    roles.push_back(column.role);
  }
  add_text_attribute(samples, "columns", names);
  add_text_attribute(samples, "units", units);
  add_text_attribute(samples, "roles", roles);
}

hsize_t length_of_dataset(hid_t dataset) {
  const Handle space = checked(H5Dget_space(dataset));
  if (checked(H5Sget_simple_extent_ndims(space)) != 1) throw Failure("a dataset has another shape");
  hsize_t length = 0;
  checked(H5Sget_simple_extent_dims(space, &length, nullptr));
  return length;
}

Handle open_dataset(hid_t file, const char* name) {
  if (checked(H5Lexists(file, name, own_links())) <= 0)
    throw Failure(fmt::format("it has no '{}'", name));
  require_sound_header(file, name);
  return checked(H5Dopen2(file, name, own_links()));
}

std::string read_description(hid_t file) {
  const Handle dataset = open_dataset(file, study_description_name);
  const hsize_t length = length_of_dataset(dataset);
  if (length > length_of(file)) throw Failure("its description is longer than the file");
  std::string text(length, ' ');
  checked(H5Dread(dataset, text_type(1), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  return text;
}

}  // namespace

Handle failure_type() {
  const Handle message = text_type(FailureKinds::longest);
  Handle type = checked(H5Tcreate(H5T_COMPOUND, failure_bytes));
  checked(H5Tinsert(type, "key", 0, H5T_STD_U32LE));
  checked(H5Tinsert(type, "sample", 4, H5T_STD_U64LE));
  checked(H5Tinsert(type, "message", 12, message));
  return type;
}

std::string failure_bytes_of(const std::vector<FailureKind>& kinds) {
  std::string out(FailureKinds::most * failure_bytes, '\0');
  for (size_t k = 0; k < kinds.size(); ++k) {
    char* row = &out[k * failure_bytes];
    std::memcpy(row, &kinds[k].key, 4);
    std::memcpy(row + 4, &kinds[k].sample, 8);
    kinds[k].message.copy(row + 12, FailureKinds::longest);
  }
  return out;
}

StudyOffsets create_study(const std::string& path, const StudyLayout& layout,
                          const RowFormat& format) {
  const std::lock_guard turn(library_lock());
  const Handle access = file_access(1), creation = checked(H5Pcreate(H5P_FILE_CREATE));
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_obj_track_times(creation, false));
  Handle file =
      checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), "HDF5 cannot create it");
  const std::string text = to_json(layout);
  {
    const Handle character = text_type(1),
                 description = add_dataset(file, study_description_name, character, text.size());
    checked(H5Dwrite(description, character, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  }
  const Handle failures = add_dataset(file, failures_name, failure_type(), FailureKinds::most);
  const Handle samples = add_dataset(file, samples_name, format.type(), layout.rows());
  add_attributes(samples, format);
  return {H5Dget_offset(samples), H5Dget_offset(failures)};
}

namespace {

// Returns whether a file can be read and begins as an HDF5 file.
bool has_signature(InputFile& in) {
  char signature[8] = {};
  return in.read(signature, sizeof signature) == sizeof signature &&
         std::memcmp(signature, "\x89HDF\r\n\x1a\n", sizeof signature) == 0;
}

}  // namespace

bool has_parts_of_study(const std::string& path) {
  const std::lock_guard turn(library_lock());
  be_quiet();
  try {
    InputFile in(path, InputKind::recording, "");
    if (!has_signature(in)) return false;
    const Handle file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access(1));
    if (file < 0) return path.ends_with("-study.h5");
    for (const char* part : {samples_name, failures_name, study_description_name})
      if (checked(H5Lexists(file, part, own_links())) <= 0) return false;
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

StudyFile::StudyFile(const std::string& path) {
  be_quiet();
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("{}: not a study: {}; `torsor study SCENE` writes studies", path, why));
  };
  InputFile in(path, InputKind::recording, "give the table of a study");
  if (!has_signature(in)) fail("not an HDF5 file");
  try {
    file =
        checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access(1)), "it is cut off or damaged");
    layout = layout_of(read_description(file));
    samples = open_dataset(file, samples_name);
    failures = open_dataset(file, failures_name);
    if (length_of_dataset(samples) != layout.rows())
      throw Failure("it has another number of rows than its description says");
    const Handle type = checked(H5Dget_type(samples));
    if (checked(H5Tequal(type, RowFormat(layout).type())) == 0)
      throw Failure("its columns are not those of its description");
    if (length_of_dataset(failures) != FailureKinds::most)
      throw Failure("its list of failures has another length");
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
}

std::vector<FailureKind> StudyFile::read_failures() const {
  std::string bytes(FailureKinds::most * failure_bytes, '\0');
  checked(H5Dread(failures, failure_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  std::vector<FailureKind> out;
  for (size_t k = 0; k < FailureKinds::most; ++k) {
    const char* row = &bytes[k * failure_bytes];
    FailureKind kind;
    std::memcpy(&kind.key, row, 4);
    std::memcpy(&kind.sample, row + 4, 8);
    kind.message.assign(row + 12, strnlen(row + 12, FailureKinds::longest));
    if (kind.key != 0) out.push_back(std::move(kind));
  }
  return out;
}

StudyOffsets StudyFile::offsets() const {
  const StudyOffsets out{H5Dget_offset(samples), H5Dget_offset(failures)};
  if (out.samples == HADDR_UNDEF || out.failures == HADDR_UNDEF)
    throw Error(
        "another program has stored its rows in pieces or compressed, so that it cannot be "
        "continued; use the original file");
  return out;
}

}  // namespace torsor::hdf5
