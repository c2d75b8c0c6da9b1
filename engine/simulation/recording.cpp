#include "torsor/simulation/recording.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace torsor {

namespace {

// RFC 4180: a field with a comma, a quote or a line break is quoted.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), why));
}

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;  // JSON has no infinity: no limit
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns) : path_(path) {
  make_folder(path.parent_path());
  file_.reset(std::fopen(path.c_str(), "w"));
  if (!file_) cannot_write(path_, std::strerror(errno));
  std::string header;
  for (const Column& column : columns) {
    if (!header.empty()) header.push_back(',');
    header += csv_field(fmt::format("{} [{}]", column.name, column.unit));
  }
  header.push_back('\n');
  put(header);
}

void CsvFile::put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    cannot_write(path_, std::strerror(errno));
}

void CsvFile::write(std::span<const double> row) {
  fmt::memory_buffer line;
  for (const double value : row)
    fmt::format_to(std::back_inserter(line), "{}{}", line.size() ? "," : "", value);
  line.push_back('\n');
  put(fmt::to_string(line));
}

void CsvFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) cannot_write(path_, std::strerror(errno));
}

nlohmann::ordered_json describe(const std::vector<Column>& columns) {
  auto out = nlohmann::ordered_json::array();
  for (const Column& column : columns) {
    nlohmann::ordered_json entry{{"name", column.name}, {"unit", column.unit}};
    if (!column.frame.empty()) entry["frame"] = column.frame;
    out.push_back(entry);
  }
  return out;
}

namespace {
// One value of a joint of one coordinate or column, a list of others.
template <class Entry, class Value>
nlohmann::ordered_json per_entry(std::span<const Entry> entries, Value value) {
  auto list = nlohmann::ordered_json::array();
  for (size_t k = 0; k < entries.size(); ++k) list.push_back(value(entries[k], k));
  return list.size() == 1 ? list[0] : list;
}
}  // namespace

nlohmann::ordered_json describe(const Model& model) {
  nlohmann::ordered_json out{{"robots", nlohmann::json::array()}, {"bodies", model.n_body - 1}};
  for (const Robot& robot : model.robots) out["robots"].push_back(robot.name);
  out["joints"] = nlohmann::json::array();
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    const auto per_column = [&](const std::vector<double>& values) {
      return per_entry(kind.columns,
                       [&](const auto&, size_t k) { return values[size_t(joint.v_index) + k]; });
    };
    out["joints"].push_back(
        {{"name", joint.name},
         {"kind", kind.name},
         {"unit", per_entry(kind.coordinates, [](const auto& c, size_t) { return c.unit; })},
         {"lower", number(joint.lower)},
         {"upper", number(joint.upper)},
         {"armature", per_column(model.armature)},
         {"damping", per_column(model.damping)}});
  }
  out["links"] = nlohmann::json::array();
  for (const Link& link : model.links) {
    nlohmann::ordered_json entry{{"name", link.name}, {"mass", link.inertia_L.m}};
    if (link.grouped) entry["grouped"] = true;
    out["links"].push_back(entry);
  }
  out["warnings"] = model.warnings;
  return out;
}

nlohmann::ordered_json describe(const Experiment& experiment) {
  nlohmann::ordered_json parameters = nlohmann::json::object();
  for (const auto& [name, value] : experiment.parameters)
    std::visit([&, key = name](const auto& v) { parameters[key] = v; }, value);
  const Vec3<double>& g = experiment.gravity_W;
  return {{"parameters", parameters},
          {"gravity", {g.x, g.y, g.z}},
          {"compare", experiment.compare},
          {"integrator", name(experiment.integrator)},
          {"dt", experiment.dt},
          {"duration", experiment.duration},
          {"record", experiment.record},
          {"record_interval", experiment.record_interval},
          {"q0", experiment.q},
          {"v0", experiment.v},
          {"model", describe(*experiment.model)}};
}

nlohmann::ordered_json describe(const SolverIdentity& solver) {
  return {{"id", solver.id}, {"version", solver.version}, {"sha256", solver.sha256}};
}

nlohmann::ordered_json describe(const std::vector<Change>& changes, const SolverIdentifier& identify) {
  auto out = nlohmann::ordered_json::array();
  for (const Change& change : changes) {
    nlohmann::ordered_json entry{{"step", change.step}};
    if (const auto* state = std::get_if<StateChange>(&change.what)) {
      entry["q"] = state->q;
      entry["v"] = state->v;
    } else if (const auto* torque = std::get_if<TorqueChange>(&change.what)) {
      entry["tau"] = torque->tau;
    } else {
      entry["solver"] = describe(identify(std::get<SolverChange>(change.what).solver));
    }
    out.push_back(entry);
  }
  return out;
}

nlohmann::ordered_json describe(const RunComparison& comparison) {
  nlohmann::ordered_json worst = nlohmann::json::array();
  for (size_t k = 0; k < comparison.solvers().size(); ++k)
    for (const Compared quantity : all_compared) {
      const auto& [disagreement, time, failure] = comparison.worst(int(k), quantity);
      worst.push_back({{"solver", comparison.solvers()[k]},
                       {"quantity", name(quantity)},
                       {"disagreement", number(disagreement.value)},
                       {"allowed", disagreement.allowed},
                       {"of_allowed", number(disagreement.fraction())},
                       {"time", time},
                       {"broken", disagreement.broken()}});
      if (!failure.empty()) worst.back()["failure"] = failure;
    }
  return {{"rows", comparison.rows()}, {"worst", worst}};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  make_folder(path.parent_path());
  std::filesystem::path part = path;
  part += ".part";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "w"), std::fclose);
  if (!file) cannot_write(part, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool closed = std::fclose(file.release()) == 0;
  const std::string why = std::strerror(errno);
  std::error_code error, ignored;
  if (written && closed) std::filesystem::rename(part, path, error);
  if (written && closed && !error) return;
  std::filesystem::remove(part, ignored);
  cannot_write(path, error ? error.message() : why);
}

}  // namespace torsor
