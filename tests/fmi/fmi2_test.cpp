// FMI 2.0: the same simulation with the functions and the description of the older standard.

#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <fstream>
#include <set>

#include "fmi/compared.hpp"
#include "fmi/master2.h"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Fmi2 : public testing::Test {
 protected:
  explicit Fmi2(const std::string& scene = scene_file("double_pendulum"))
      : scene_(scene), fmu_(scene, "--fmi 2") {
    EXPECT_EQ(load_fmu2(fmu_.binary().c_str(), &f_), 0);
  }
  ~Fmi2() override { unload_fmu2(&f_); }

  fmi2Component instantiate(const std::string& resources, fmi2Type type = fmi2CoSimulation) {
    const fmi2CallbackFunctions functions{append_to_log, nullptr, nullptr, nullptr, &log_};
    return f_.Instantiate("100%s", type, fmu_.token().c_str(), resources.c_str(), &functions, false,
                          false);
  }
  fmi2Component created() { return instantiate((fmu_.root() / "resources").string()); }
  void start(fmi2Component at) {
    ASSERT_EQ(f_.SetupExperiment(at, false, 0, 0, false, 0), fmi2OK);
    ASSERT_EQ(f_.EnterInitializationMode(at), fmi2OK);
    ASSERT_EQ(f_.ExitInitializationMode(at), fmi2OK);
  }
  // Checks that an instance has the values of a recording.
  void expect_bits_of(fmi2Component at, const Recording& recording) {
    const std::vector<uint32_t> references = references_of(fmu_, recording);
    const double h = recording.values[recording.columns.size()];
    std::vector<double> row(references.size());
    for (size_t k = 0; k < recording.rows(); ++k) {
      ASSERT_EQ(f_.GetReal(at, references.data(), row.size(), row.data()), fmi2OK);
      ASSERT_EQ(bits_of(row), bits_of(row_of(recording, k))) << "row " << k;
      ASSERT_EQ(f_.DoStep(at, double(k) * h, h, true), fmi2OK) << log_.text;
    }
  }
  std::string messages() {
    std::string out = log_.text;
    log_.text[0] = 0;
    return out;
  }
  std::string scene_;
  ExportedFmu fmu_;
  Fmu2 f_{};
  Log log_{};
};

TEST_F(Fmi2, HasTheBitsOfRuns) {
  EXPECT_STREQ(f_.GetVersion(), "2.0");
  EXPECT_STREQ(f_.GetTypesPlatform(), "default");
  const fmi2Component at = created();
  start(at);
  expect_bits_of(at, recorded(scene_, "--duration 1"));
  double last = 0;
  ASSERT_EQ(f_.GetRealStatus(at, fmi2LastSuccessfulTime, &last), fmi2OK);
  EXPECT_DOUBLE_EQ(last, 1.01);
  fmi2Boolean terminated = 1;
  ASSERT_EQ(f_.GetBooleanStatus(at, fmi2Terminated, &terminated), fmi2OK);
  EXPECT_EQ(terminated, 0);
  EXPECT_EQ(f_.Terminate(at), fmi2OK);
  f_.FreeInstance(at);
}

TEST_F(Fmi2, FindsItsResourcesByUri) {
  const fs::path moved = fmu_.root() / "with blank";
  fs::copy(fmu_.root() / "resources", moved, fs::copy_options::recursive);
  const std::string root = fmu_.root().string();
  for (const std::string& location :
       {"file://" + root + "/with%20blank", "file:" + root + "/with%20blank/", moved.string()}) {
    const fmi2Component at = instantiate(location);
    EXPECT_TRUE(at) << location << "\n" << messages();
    f_.FreeInstance(at);
  }
  EXPECT_EQ(instantiate("https://example.org/resources"), nullptr);
  EXPECT_THAT(messages(), HasSubstr("100%s|logStatusError|fmi2Instantiate: the resources "
                                    "'https://example.org/resources' cannot be used"));
  EXPECT_EQ(instantiate("file://" + root + "/with%2"), nullptr);
  EXPECT_THAT(messages(), HasSubstr("two hexadecimal digits"));
  EXPECT_EQ(instantiate(root + "/resources", fmi2ModelExchange), nullptr);
  EXPECT_THAT(messages(), HasSubstr("co-simulation only"));
}

TEST_F(Fmi2, HasParametersInputsAndStates) {
  const uint32_t gap = fmu_.reference("parameters.gap"),
                 torque = fmu_.reference("torque.first.joint1"),
                 q = fmu_.reference("first.q.joint1");
  const fmi2Component at = created();
  const double value = 0.25, push = 2;
  ASSERT_EQ(f_.SetReal(at, &gap, 1, &value), fmi2OK);
  start(at);
  EXPECT_EQ(f_.SetReal(at, &gap, 1, &value), fmi2Error);
  EXPECT_THAT(messages(), HasSubstr("a fixed parameter"));
  fmi2FMUstate state = nullptr;
  ASSERT_EQ(f_.GetFMUstate(at, &state), fmi2OK);
  expect_bits_of(at, recorded(scene_, "--duration 0.2 --set gap=0.25"));
  size_t size = 0;
  ASSERT_EQ(f_.SerializedFMUstateSize(at, state, &size), fmi2OK);
  std::vector<char> bytes(size);
  ASSERT_EQ(f_.SerializeFMUstate(at, state, bytes.data(), size), fmi2OK);
  ASSERT_EQ(f_.FreeFMUstate(at, &state), fmi2OK);
  bytes[size / 2] ^= 1;
  EXPECT_EQ(f_.DeSerializeFMUstate(at, bytes.data(), size, &state), fmi2Error);
  EXPECT_THAT(messages(), HasSubstr("damaged"));
  bytes[size / 2] ^= 1;
  ASSERT_EQ(f_.DeSerializeFMUstate(at, bytes.data(), size, &state), fmi2OK);
  double calm = 0, pushed = 0;
  for (const bool pushes : {false, true}) {
    ASSERT_EQ(f_.SetFMUstate(at, state), fmi2OK);
    if (pushes) {
      ASSERT_EQ(f_.SetReal(at, &torque, 1, &push), fmi2OK);
    }
    ASSERT_EQ(f_.DoStep(at, 0, 0.1, true), fmi2OK);
    ASSERT_EQ(f_.GetReal(at, &q, 1, pushes ? &pushed : &calm), fmi2OK);
  }
  EXPECT_GT(pushed, calm);
  EXPECT_EQ(f_.DoStep(at, 0.2, 0.1, true), fmi2Error);
  EXPECT_THAT(messages(), HasSubstr("the communication point is 0.2 s"));
  EXPECT_EQ(f_.CancelStep(at), fmi2Error);
  messages();
  // A status that is not available is no error.
  fmi2Status status = fmi2OK;
  EXPECT_EQ(f_.GetStatus(at, fmi2DoStepStatus, &status), fmi2Discard);
  EXPECT_THAT(messages(), HasSubstr("|logStatusDiscard|fmi2GetStatus: "));
  double time = 0;
  EXPECT_EQ(f_.GetRealStatus(at, fmi2Terminated, &time), fmi2Discard);
  int integer = 0;
  EXPECT_EQ(f_.GetInteger(at, &q, 1, &integer), fmi2Error);
  f_.FreeFMUstate(at, &state);
  f_.FreeInstance(at);
}

class Fmi2OfControls : public Fmi2 {
 protected:
  Fmi2OfControls() : Fmi2(scene_file("computed_torque")) {}
};

TEST_F(Fmi2OfControls, FollowsReferences) {
  const uint32_t active = fmu_.reference("reference.iiwa.computed_torque.active"),
                 q = fmu_.reference("reference.iiwa.computed_torque.q.joint1"),
                 error = fmu_.reference("iiwa.computed_torque.error.joint1");
  const fmi2Component at = created();
  start(at);
  const fmi2Boolean on = 1;
  const double target = 0.7;
  ASSERT_EQ(f_.SetBoolean(at, &active, 1, &on), fmi2OK);
  ASSERT_EQ(f_.SetReal(at, &q, 1, &target), fmi2OK);
  // The error decays with the frequency 12 rad/s, critically damped.
  double e = 1;
  ASSERT_EQ(f_.DoStep(at, 0, 2, true), fmi2OK);
  ASSERT_EQ(f_.GetReal(at, &error, 1, &e), fmi2OK);
  EXPECT_NEAR(e, 0, 1e-8);
  fmi2Boolean is_on = 0;
  ASSERT_EQ(f_.GetBoolean(at, &active, 1, &is_on), fmi2OK);
  EXPECT_EQ(is_on, 1);
  f_.FreeInstance(at);
}

// The rules of the schema and of the text of FMI 2.0.
TEST_F(Fmi2OfControls, HasADescriptionByTheRules) {
  EXPECT_TRUE(fs::exists(fmu_.root() / "binaries/linux64") ||
              fs::exists(fmu_.root() / "binaries/aarch64-linux"));
  tinyxml2::XMLDocument xml;
  ASSERT_EQ(xml.LoadFile((fmu_.root() / "modelDescription.xml").c_str()), tinyxml2::XML_SUCCESS);
  const auto* root = xml.FirstChildElement("fmiModelDescription");
  EXPECT_STREQ(root->Attribute("fmiVersion"), "2.0");
  EXPECT_TRUE(root->Attribute("guid"));
  EXPECT_FALSE(root->Attribute("instantiationToken"));
  // The FMU does not allocate its memory with the functions of the importer.
  const auto* capabilities = root->FirstChildElement("CoSimulation");
  EXPECT_TRUE(capabilities->BoolAttribute("canNotUseMemoryManagementFunctions"));
  std::vector<std::string> order;
  for (const auto* each = root->FirstChildElement(); each; each = each->NextSiblingElement())
    order.emplace_back(each->Name());
  EXPECT_THAT(order, testing::ElementsAre("CoSimulation", "UnitDefinitions", "LogCategories",
                                          "DefaultExperiment", "ModelVariables", "ModelStructure"));
  // Outputs are listed by their place, from 1.
  std::set<int> outputs;
  int place = 0;
  const auto* variables = root->FirstChildElement("ModelVariables");
  for (const auto* each = variables->FirstChildElement(); each; each = each->NextSiblingElement()) {
    EXPECT_STREQ(each->Name(), "ScalarVariable");
    ++place;
    if (std::string(each->Attribute("causality")) == "output") outputs.insert(place);
  }
  for (const char* list : {"Outputs", "InitialUnknowns"}) {
    std::set<int> listed;
    const auto* unknowns = root->FirstChildElement("ModelStructure")->FirstChildElement(list);
    ASSERT_TRUE(unknowns);
    for (const auto* each = unknowns->FirstChildElement("Unknown"); each;
         each = each->NextSiblingElement("Unknown"))
      listed.insert(each->IntAttribute("index"));
    EXPECT_EQ(listed, outputs) << list;
  }
  for (const auto& [name, variable] : fmu_.variables()) {
    const bool needs_start = variable.causality == "input" || variable.causality == "parameter";
    EXPECT_EQ(!variable.start.empty(), needs_start) << name;
    EXPECT_TRUE(variable.type == "Real" || variable.type == "Boolean" || variable.type == "String");
  }
}

}  // namespace
}  // namespace torsor::test
