#include "torsor/cli/fmu/model_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/fmu/unit.hpp"
#include "torsor/fmi/instance.hpp"

namespace torsor::cli {

namespace {

using fmi::Variable;
using Kind = Variable::Kind;

// Returns an attribute with a blank before it, or "" for an empty value. Throws Error for
// characters that XML cannot contain.
std::string attribute(const char* name, const std::string& value) {
  if (value.empty()) return "";
  std::string out = fmt::format(" {}=\"", name);
  for (const char c : value) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += fmt::format("&#{};", int(c));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      throw Error(
          fmt::format("'{}' has a control character, which modelDescription.xml cannot "
                      "contain; remove it from the scene",
                      quotable(value)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Returns a number in the form of xs:double.
std::string xml_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "INF" : "-INF";
  return fmt::format("{}", x);
}

std::string xml_unit(const Variable& variable) {
  return variable.unit == "1" ? "" : variable.unit;
}

std::string unit_definitions(const std::vector<Variable>& variables) {
  std::set<std::string> units;
  for (const Variable& variable : variables)
    if (const std::string unit = xml_unit(variable); !unit.empty()) units.insert(unit);
  std::string out = "  <UnitDefinitions>\n";
  for (const std::string& unit : units) {
    out += "    <Unit" + attribute("name", unit);
    const std::optional<Exponents> exponents = exponents_of(unit);
    if (!exponents) {
      out += "/>\n";
      continue;
    }
    out += "><BaseUnit";
    for (size_t k = 0; k < base_units.size(); ++k)
      if ((*exponents)[k] != 0) out += fmt::format(" {}=\"{}\"", base_units[k], (*exponents)[k]);
    out += "/></Unit>\n";
  }
  return out + "  </UnitDefinitions>\n";
}

// Returns the attributes that variables of both versions have.
std::string common_attributes(const Variable& variable, size_t reference) {
  const char* causality = variable.kind == Kind::time        ? "independent"
                          : variable.kind == Kind::input     ? "input"
                          : variable.kind == Kind::parameter ? "parameter"
                                                             : "output";
  const char* variability = variable.kind == Kind::parameter                 ? "fixed"
                            : std::holds_alternative<double>(variable.start) ? "continuous"
                                                                             : "discrete";
  return attribute("name", variable.name) + fmt::format(" valueReference=\"{}\"", reference) +
         attribute("description", variable.description) +
         fmt::format(" causality=\"{}\" variability=\"{}\"", causality, variability);
}

// Returns the unit and the start of a variable of numbers.
std::string number_attributes(const Variable& variable) {
  const bool has_start = variable.kind == Kind::input || variable.kind == Kind::parameter;
  return attribute("unit", xml_unit(variable)) +
         (has_start ? attribute("start", xml_number(std::get<double>(variable.start))) : "");
}

// Returns the attribute of a string, which may be empty.
std::string text_attribute(const char* name, const std::string& text) {
  return text.empty() ? fmt::format(" {}=\"\"", name) : attribute(name, text);
}

std::string xml_variable3(const Variable& variable, size_t reference) {
  const std::string common = common_attributes(variable, reference);
  if (const auto* text = std::get_if<std::string>(&variable.start))
    return fmt::format("    <String{}><Start{}/></String>\n", common,
                       text_attribute("value", *text));
  if (const auto* flag = std::get_if<bool>(&variable.start))
    return fmt::format("    <Boolean{} start=\"{}\"/>\n", common, *flag);
  return fmt::format("    <Float64{}{}/>\n", common, number_attributes(variable));
}

std::string xml_variable2(const Variable& variable, size_t reference) {
  std::string type;
  if (const auto* text = std::get_if<std::string>(&variable.start))
    type = "String" + text_attribute("start", *text);
  else if (const auto* flag = std::get_if<bool>(&variable.start))
    type = fmt::format("Boolean start=\"{}\"", *flag);
  else
    type = "Real" + number_attributes(variable);
  return fmt::format("    <ScalarVariable{}><{}/></ScalarVariable>\n",
                     common_attributes(variable, reference), type);
}

// Lists the outputs, which depend on everything, and which are computed at the start too. FMI 2.0
// counts the variables from 1.
std::string model_structure(FmiVersion version, const std::vector<Variable>& variables) {
  std::string out = "  <ModelStructure>\n";
  const auto list = [&](const char* element, const char* attribute, size_t first) {
    for (size_t k = 0; k < variables.size(); ++k)
      if (variables[k].kind == Kind::output)
        out += fmt::format("    <{} {}=\"{}\"/>\n", element, attribute, first + k);
  };
  if (version == FmiVersion::three) {
    list("Output", "valueReference", 0);
    list("InitialUnknown", "valueReference", 0);
  } else if (std::ranges::find(variables, Kind::output, &Variable::kind) != variables.end()) {
    for (const char* name : {"Outputs", "InitialUnknowns"}) {
      out += fmt::format("    <{}>\n", name);
      list("Unknown", "index", 1);
      out += fmt::format("    </{}>\n", name);
    }
  }
  return out + "  </ModelStructure>\n";
}

// Returns the start tag of the root and the element with the capabilities.
std::string head(const ModelDescription& description, double dt) {
  const std::string common = fmt::format(
                        " generationTool=\"Torsor {}\" variableNamingConvention=\"flat\">\n",
                        TORSOR_VERSION),
                    name = attribute("modelName", description.model_name),
                    identifier = attribute("modelIdentifier", description.identifier);
  if (description.version == FmiVersion::two)
    return "<fmiModelDescription fmiVersion=\"2.0\"" + name + attribute("guid", description.token) +
           common + "  <CoSimulation" + identifier +
           " canHandleVariableCommunicationStepSize=\"true\""
           " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
           " canSerializeFMUstate=\"true\"/>\n";
  return "<fmiModelDescription fmiVersion=\"3.0\"" + name +
         attribute("instantiationToken", description.token) + common + "  <CoSimulation" +
         identifier +
         fmt::format(
             " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
             " canHandleVariableCommunicationStepSize=\"true\""
             " fixedInternalStepSize=\"{}\" mightReturnEarlyFromDoStep=\"true\""
             " hasEventMode=\"true\"/>\n",
             dt);
}

}  // namespace

std::string identifier_of(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (out.empty() && !is_letter) out = "m_";
    out += is_letter || is_digit ? c : '_';
  }
  return out;
}

std::string model_description(const ModelDescription& description, const Experiment& experiment,
                              const std::vector<Variable>& variables) {
  const double interval =
      experiment.record_interval == 0 ? experiment.dt : experiment.record_interval;
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + head(description, experiment.dt);
  out += unit_definitions(variables);
  out += "  <LogCategories>\n";
  for (const fmi::LogCategory& each : fmi::log_categories)
    out += "    <Category" + attribute("name", each.name) +
           attribute("description", each.description) + "/>\n";
  out += "  </LogCategories>\n";
  out += fmt::format("  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" stepSize=\"{}\"/>\n",
                     experiment.duration, interval);
  out += "  <ModelVariables>\n";
  const bool is_two = description.version == FmiVersion::two;
  for (size_t k = 0; k < variables.size(); ++k)
    out += is_two ? xml_variable2(variables[k], k) : xml_variable3(variables[k], k);
  out += "  </ModelVariables>\n";
  return out + model_structure(description.version, variables) + "</fmiModelDescription>\n";
}

}  // namespace torsor::cli
