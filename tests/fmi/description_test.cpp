// The archive and modelDescription.xml: the rules of FMI 3.0 that its XML schema and its text
// state.

#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "fmi/exported.hpp"
#include "support/exported_symbols.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Element = tinyxml2::XMLElement;

std::string source_file(const std::string& name) {
  return std::string(TORSOR_SOURCE_DIR) + "/" + name;
}

std::vector<std::string> names_of_children(const Element* parent) {
  std::vector<std::string> out;
  for (const Element* each = parent->FirstChildElement(); each; each = each->NextSiblingElement())
    if (out.empty() || out.back() != each->Name()) out.emplace_back(each->Name());
  return out;
}

class Description : public testing::Test {
 protected:
  void read(const ExportedFmu& fmu) {
    ASSERT_EQ(xml_.LoadFile((fmu.root() / "modelDescription.xml").c_str()), tinyxml2::XML_SUCCESS);
    root_ = xml_.FirstChildElement("fmiModelDescription");
    ASSERT_TRUE(root_);
  }
  std::set<uint32_t> listed(const char* element) const {
    std::set<uint32_t> out;
    const Element* structure = root_->FirstChildElement("ModelStructure");
    for (const Element* each = structure->FirstChildElement(element); each;
         each = each->NextSiblingElement(element))
      EXPECT_TRUE(out.insert(each->UnsignedAttribute("valueReference", ~0u)).second);
    return out;
  }
  tinyxml2::XMLDocument xml_;
  const Element* root_ = nullptr;
};

TEST_F(Description, FollowsTheRulesOfTheStandard) {
  const ExportedFmu fmu(source_file("scenes/double_pendulum.lua"));
  read(fmu);
  EXPECT_STREQ(root_->Attribute("fmiVersion"), "3.0");
  EXPECT_THAT(names_of_children(root_),
              testing::ElementsAre("CoSimulation", "UnitDefinitions", "LogCategories",
                                   "DefaultExperiment", "ModelVariables", "ModelStructure"));
  EXPECT_THAT(names_of_children(root_->FirstChildElement("ModelStructure")),
              testing::ElementsAre("Output", "InitialUnknown"));
  const std::string identifier =
      root_->FirstChildElement("CoSimulation")->Attribute("modelIdentifier");
  EXPECT_TRUE(std::regex_match(identifier, std::regex("[A-Za-z_][A-Za-z0-9_]*")));
  EXPECT_EQ(fmu.binary().filename(), identifier + ".so");
  std::set<uint32_t> references, outputs;
  std::set<std::string> units;
  const Element* definitions = root_->FirstChildElement("UnitDefinitions");
  for (const Element* each = definitions->FirstChildElement(); each;
       each = each->NextSiblingElement())
    EXPECT_TRUE(units.insert(each->Attribute("name")).second);
  for (const auto& [name, variable] : fmu.variables()) {
    EXPECT_TRUE(references.insert(variable.reference).second) << name;
    if (variable.causality == "output") outputs.insert(variable.reference);
    if (!variable.unit.empty()) {
      EXPECT_TRUE(units.contains(variable.unit)) << name;
    }
    const bool needs_start = variable.causality == "input" || variable.causality == "parameter";
    EXPECT_EQ(!variable.start.empty(), needs_start) << name;
  }
  EXPECT_EQ(fmu.variables().at("time").causality, "independent");
  EXPECT_EQ(outputs.size(), 31u);
  EXPECT_EQ(listed("Output"), outputs);
  EXPECT_EQ(listed("InitialUnknown"), outputs);
}

// The combinations of causality and variability that FMI 3.0 allows, and the types of discrete and
// continuous variables.
TEST_F(Description, HasAllowedAttributes) {
  for (const char* name : {"computed_torque", "changed_target", "task_space", "stiction"}) {
    SCOPED_TRACE(name);
    const ExportedFmu fmu(source_file(std::string("scenes/") + name + ".lua"));
    for (const auto& [variable_name, variable] : fmu.variables()) {
      SCOPED_TRACE(variable_name);
      if (variable.causality == "parameter") {
        EXPECT_EQ(variable.variability, "fixed");
      } else {
        EXPECT_EQ(variable.variability, variable.type == "Float64" ? "continuous" : "discrete");
        EXPECT_TRUE(variable.type == "Float64" || variable.causality == "input");
      }
    }
    read(fmu);
    const Element* capabilities = root_->FirstChildElement("CoSimulation");
    EXPECT_TRUE(capabilities->BoolAttribute("hasEventMode"));
    EXPECT_TRUE(capabilities->BoolAttribute("mightReturnEarlyFromDoStep"));
    EXPECT_TRUE(capabilities->BoolAttribute("canSerializeFMUState"));
    EXPECT_GT(capabilities->DoubleAttribute("fixedInternalStepSize"), 0);
  }
}

TEST_F(Description, HasTheBaseUnitsOfTheUnits) {
  const ExportedFmu fmu(source_file("scenes/double_pendulum.lua"));
  read(fmu);
  const auto exponent = [&](const char* unit, const char* base) {
    const Element* each = root_->FirstChildElement("UnitDefinitions")->FirstChildElement();
    while (each && std::string(each->Attribute("name")) != unit) each = each->NextSiblingElement();
    EXPECT_TRUE(each) << unit;
    return each ? each->FirstChildElement("BaseUnit")->IntAttribute(base, 0) : 99;
  };
  // 1 N m = 1 kg m^2/s^2
  EXPECT_EQ(exponent("N m", "kg"), 1);
  EXPECT_EQ(exponent("N m", "m"), 2);
  EXPECT_EQ(exponent("N m", "s"), -2);
  EXPECT_EQ(exponent("N m", "rad"), 0);
  EXPECT_EQ(exponent("rad", "rad"), 1);
}

TEST_F(Description, QuotesTextsOfScenes) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "2 quoted.lua") << R"(
local torsor = require "torsor"
local p = torsor.params{ label = '<a & "b">', on = true, gain = 0.1 }
local world = torsor.world{}
local arm = require("robots.double_pendulum").build{ name = "arm" }
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 0.01, record = { "arm.q" } }
)";
  const ExportedFmu fmu((folder.path() / "2 quoted.lua").string());
  read(fmu);
  EXPECT_STREQ(root_->FirstChildElement("CoSimulation")->Attribute("modelIdentifier"),
               "m_2_quoted");
  const Element* text = root_->FirstChildElement("ModelVariables")
                            ->FirstChildElement("String")
                            ->FirstChildElement("Start");
  EXPECT_STREQ(text->Attribute("value"), "<a & \"b\">");
  EXPECT_EQ(fmu.variables().at("parameters.on").start, "true");
  EXPECT_EQ(fmu.variables().at("parameters.gain").start, "0.1");
}

TEST_F(Description, IsPartOfAnArchiveWithTheSameBytesEveryTime) {
  const std::string scene = source_file("scenes/double_pendulum.lua");
  const ExportedFmu first(scene), second(scene), other(scene, "--set gap=0.5");
  EXPECT_EQ(text_of(first.file()), text_of(second.file()));
  EXPECT_NE(first.token(), other.token());
  EXPECT_EQ(other.variables().at("parameters.gap").start, "0.5");
}

// FMI 3.0 requires all functions of its header, FMI 2.0 those for co-simulation.
TEST(Binary, ExportsTheFunctionsOfTheStandardAndNothingElse) {
  std::set<std::string> expected;
  std::istringstream lines(text_of(source_file("tests/reference/fmi_functions.txt")));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) expected.insert(line);
  EXPECT_EQ(expected.size(), 75u + 34u);
  const ExportedFmu fmu(source_file("scenes/double_pendulum.lua"));
  EXPECT_EQ(exported_symbols(fmu.binary()), expected);
  EXPECT_STREQ(fmu.functions().GetVersion(), "3.0");
}

TEST(Command, ReportsMistakes) {
  const ScratchFolder folder;
  const std::string scene = source_file("scenes/double_pendulum.lua");
  EXPECT_THAT(run_torsor(folder.path(), "fmu '" + scene + "' --out a.zip", 2),
              HasSubstr("--out a.zip: the name must end in .fmu"));
  EXPECT_THAT(run_torsor(folder.path(), "fmu none.lua --out a.fmu", 2), HasSubstr("none.lua"));
  EXPECT_THAT(run_torsor(folder.path(), "fmu '" + scene + "' --fmi 1 --out a.fmu", 2),
              HasSubstr("--fmi"));
  const std::string generated = source_file("scenes/generated_solver.lua");
  EXPECT_THAT(run_torsor(folder.path(), "fmu '" + generated + "' --out a.fmu", 2),
              HasSubstr("an FMU cannot contain the solver 'generated"));
  std::ofstream(folder.path() / "part.urdf") << "<robot name=\"arm\"><link name=\"base\"/></robot>";
  std::ofstream(folder.path() / "absolute.lua") << R"(
local torsor = require "torsor"
local world = torsor.world{}
world:add(torsor.urdf(")" << (folder.path() / "part.urdf").string()
                                                << R"("))
world:add(require("robots.double_pendulum").build{ name = "two" })
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 1, record = { "energy" } }
)";
  EXPECT_THAT(run_torsor(folder.path(), "fmu absolute.lua --out a.fmu", 2),
              HasSubstr("the scene cannot be loaded from its copy in the FMU"));
  std::ofstream(folder.path() / "control.lua") << R"(
local torsor = require "torsor"
local p = torsor.params{ label = "a\1b" }
local world = torsor.world{}
world:add(require("robots.double_pendulum").build{ name = "two" })
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 1, record = { "energy" } }
)";
  EXPECT_THAT(run_torsor(folder.path(), "fmu control.lua --out a.fmu", 2),
              HasSubstr("'a\\x01b' has a control character"));
  EXPECT_FALSE(fs::exists(folder.path() / "a.fmu"));
}

}  // namespace
}  // namespace torsor::test
