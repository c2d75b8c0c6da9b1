#include "torsor/cli/fmu/model_description.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "torsor/cli/fmu/unit.hpp"

namespace torsor::cli {

namespace {

using fmi::Variable;
using Kind = Variable::Kind;

// Returns an attribute with a blank before it, or "" for an empty value.
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
    } else if (c == '\n' || c == '\t') {
      out += fmt::format("&#{};", int(c));
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

std::string xml_variable(const Variable& variable, size_t reference) {
  const char* causality = variable.kind == Kind::time        ? "independent"
                          : variable.kind == Kind::input     ? "input"
                          : variable.kind == Kind::parameter ? "parameter"
                                                             : "output";
  const char* variability = variable.kind == Kind::parameter ? "fixed" : "continuous";
  const std::string common =
      attribute("name", variable.name) + fmt::format(" valueReference=\"{}\"", reference) +
      attribute("description", variable.description) +
      fmt::format(" causality=\"{}\" variability=\"{}\"", causality, variability);
  if (const auto* text = std::get_if<std::string>(&variable.start))
    return fmt::format("    <String{}><Start{}/></String>\n", common,
                       text->empty() ? " value=\"\"" : attribute("value", *text));
  if (const auto* flag = std::get_if<bool>(&variable.start))
    return fmt::format("    <Boolean{} start=\"{}\"/>\n", common, *flag);
  const bool has_start = variable.kind == Kind::input || variable.kind == Kind::parameter;
  return fmt::format(
      "    <Float64{}{}{}/>\n", common, attribute("unit", xml_unit(variable)),
      has_start ? attribute("start", xml_number(std::get<double>(variable.start))) : "");
}

// Lists the outputs, which depend on everything, and which are computed at the start too.
std::string model_structure(const std::vector<Variable>& variables) {
  std::string out = "  <ModelStructure>\n";
  for (const char* element : {"Output", "InitialUnknown"})
    for (size_t k = 0; k < variables.size(); ++k)
      if (variables[k].kind == Kind::output)
        out += fmt::format("    <{} valueReference=\"{}\"/>\n", element, k);
  return out + "  </ModelStructure>\n";
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
  std::string out = fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0"{}{} generationTool="Torsor {}" variableNamingConvention="flat">
  <CoSimulation{} canGetAndSetFMUState="true" canSerializeFMUState="true" canHandleVariableCommunicationStepSize="true" fixedInternalStepSize="{}"/>
)",
      attribute("modelName", description.model_name),
      attribute("instantiationToken", description.token), TORSOR_VERSION,
      attribute("modelIdentifier", description.identifier), experiment.dt);
  out += unit_definitions(variables);
  out += R"(  <LogCategories>
    <Category name="logStatusError" description="errors"/>
    <Category name="scene" description="lines that the scene prints"/>
  </LogCategories>
)";
  out += fmt::format("  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" stepSize=\"{}\"/>\n",
                     experiment.duration, interval);
  out += "  <ModelVariables>\n";
  for (size_t k = 0; k < variables.size(); ++k) out += xml_variable(variables[k], k);
  out += "  </ModelVariables>\n";
  return out + model_structure(variables) + "</fmiModelDescription>\n";
}

}  // namespace torsor::cli
