#include "fmi/compared.hpp"

#include <bit>
#include <filesystem>

namespace torsor::test {

namespace fs = std::filesystem;

std::string scene_file(const std::string& name) {
  return std::string(TORSOR_SOURCE_DIR) + "/scenes/" + name + ".lua";
}

std::vector<uint64_t> bits_of(std::span<const double> values) {
  std::vector<uint64_t> out;
  for (const double x : values) out.push_back(std::bit_cast<uint64_t>(x));
  return out;
}

Recording recorded(const std::string& scene, const std::string& options) {
  const ScratchFolder folder;
  run_torsor(folder.path(), "run '" + scene + "' " + options);
  return read_recording(folder.path() / "recordings" / fs::path(scene).stem().concat(".h5"));
}

std::vector<uint32_t> references_of(const ExportedFmu& fmu, const Recording& recording) {
  std::vector<uint32_t> out;
  for (size_t k = 1; k < recording.columns.size(); ++k) {
    out.push_back(fmu.reference(recording.columns[k].name));
    EXPECT_EQ(fmu.variables().at(recording.columns[k].name).unit,
              recording.columns[k].unit == "1" ? "" : recording.columns[k].unit);
  }
  return out;
}

std::span<const double> row_of(const Recording& recording, size_t row) {
  const size_t width = recording.columns.size();
  return std::span(recording.values).subspan(row * width + 1, width - 1);
}

void expect_bits_of(const ExportedFmu& fmu, fmi3Instance instance, const Recording& recording,
                    size_t first) {
  const std::vector<uint32_t> references = references_of(fmu, recording);
  const size_t width = recording.columns.size(), n = recording.rows() - 1 - first;
  std::vector<double> rows((n + 1) * references.size());
  ASSERT_EQ(fmu.functions().GetFloat64(instance, references.data(), references.size(), rows.data(),
                                       references.size()),
            fmi3OK);
  const double t = recording.values[first * width], h = recording.values[width];
  ASSERT_EQ(run_fmu(&fmu.functions(), instance, t, h, n, references.data(), references.size(),
                    rows.data() + references.size()),
            fmi3OK);
  for (size_t k = 0; k <= n; ++k) {
    const auto row = std::span(rows).subspan(k * references.size(), references.size());
    ASSERT_EQ(bits_of(row), bits_of(row_of(recording, first + k))) << "row " << first + k;
  }
}

}  // namespace torsor::test
