#include "fmi/exported.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <tinyxml2.h>
#include <zip.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace torsor::test {

namespace fs = std::filesystem;

namespace {

void append(fmi3InstanceEnvironment environment, fmi3Status, fmi3String category,
            fmi3String message) {
  if (environment)
    *static_cast<std::string*>(environment) += fmt::format("{}: {}\n", category, message);
}

void unpack(const fs::path& archive, const fs::path& folder) {
  zip_t* zip = zip_open(archive.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  ASSERT_TRUE(zip) << archive;
  for (zip_int64_t k = 0; k < zip_get_num_entries(zip, 0); ++k) {
    zip_stat_t stat;
    ASSERT_EQ(zip_stat_index(zip, zip_uint64_t(k), 0, &stat), 0);
    zip_file_t* file = zip_fopen_index(zip, zip_uint64_t(k), 0);
    ASSERT_TRUE(file);
    std::string bytes(stat.size, '\0');
    ASSERT_EQ(zip_fread(file, bytes.data(), bytes.size()), zip_int64_t(bytes.size()));
    zip_fclose(file);
    fs::create_directories((folder / stat.name).parent_path());
    std::ofstream(folder / stat.name, std::ios::binary) << bytes;
  }
  zip_discard(zip);
}

}  // namespace

std::string run_torsor(const fs::path& folder, const std::string& arguments, int exit_status) {
  const std::string command =
      fmt::format("cd '{}' && '{}' {} 2>&1", folder.string(), TORSOR_PROGRAM, arguments);
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  char block[4096];
  while (pipe && std::fgets(block, sizeof block, pipe)) out += block;
  const int status = pipe ? pclose(pipe) : -1;
  EXPECT_EQ(WEXITSTATUS(status), exit_status) << command << "\n" << out;
  return out;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

ExportedFmu::ExportedFmu(const std::string& scene, const std::string& options) {
  run_torsor(folder_.path(),
             fmt::format("fmu '{}' --out '{}' {}", scene, file().string(), options));
  unpack(file(), root());
  read_description();
  EXPECT_EQ(load_fmu(binary().c_str(), &fmu_), 0);
}

ExportedFmu::~ExportedFmu() {
  unload_fmu(&fmu_);
}

fs::path ExportedFmu::binary() const {
  for (const auto& entry : fs::recursive_directory_iterator(root() / "binaries"))
    if (entry.path().extension() == ".so") return entry.path();
  return {};
}

void ExportedFmu::read_description() {
  tinyxml2::XMLDocument xml;
  ASSERT_EQ(xml.LoadFile((root() / "modelDescription.xml").c_str()), tinyxml2::XML_SUCCESS)
      << xml.ErrorStr();
  const auto* description = xml.FirstChildElement("fmiModelDescription");
  ASSERT_TRUE(description);
  const char* token = description->Attribute("instantiationToken");
  token_ = token ? token : description->Attribute("guid");  // of FMI 2.0
  const auto* all = description->FirstChildElement("ModelVariables");
  ASSERT_TRUE(all);
  const auto text = [](const char* value) { return std::string(value ? value : ""); };
  for (const auto* each = all->FirstChildElement(); each; each = each->NextSiblingElement()) {
    // In FMI 2.0, the type is a child element.
    const auto* typed =
        std::string(each->Name()) == "ScalarVariable" ? each->FirstChildElement() : each;
    const Described variable{each->UnsignedAttribute("valueReference", ~0u),
                             typed->Name(),
                             text(each->Attribute("causality")),
                             text(typed->Attribute("unit")),
                             text(typed->Attribute("start")),
                             text(each->Attribute("variability"))};
    EXPECT_TRUE(variables_.emplace(each->Attribute("name"), variable).second)
        << each->Attribute("name") << " is listed twice";
  }
}

uint32_t ExportedFmu::reference(const std::string& name) const {
  const auto found = variables_.find(name);
  EXPECT_NE(found, variables_.end()) << name;
  return found == variables_.end() ? ~0u : found->second.reference;
}

fmi3Instance ExportedFmu::instantiate(std::string* messages, const Importer& importer) const {
  const std::string resources = (root() / "resources/").string();
  return fmu_.InstantiateCoSimulation("test", token_.c_str(), resources.c_str(), false, false,
                                      importer.uses_events, importer.allows_early_return, nullptr,
                                      0, messages, append, nullptr);
}

fmi3Instance ExportedFmu::started(std::string* messages, const Importer& importer) const {
  const fmi3Instance out = instantiate(messages, importer);
  EXPECT_TRUE(out) << (messages ? *messages : "");
  if (!out) return out;
  EXPECT_EQ(fmu_.EnterInitializationMode(out, false, 0, 0, false, 0), fmi3OK);
  EXPECT_EQ(fmu_.ExitInitializationMode(out), fmi3OK);
  return out;
}

}  // namespace torsor::test
