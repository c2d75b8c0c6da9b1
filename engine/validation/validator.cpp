#include "torsor/validation/validator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/validation/checks.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

void append(Checks& to, Checks more) {
  for (Check& check : more) to.push_back(std::move(check));
}

// Returns the checks for a plugin. If the first one fails, the other checks are meaningless.
Checks checks_for(std::string_view id) {
  const TrialKind& kind = trial_kind(id);
  Checks out{answers_check()};
  append(out, file_checks());
  for (const auto checks : kind.checks) append(out, checks());
  append(out, call_checks());
  if (kind.is_timed) out.push_back(speed_check());
  return out;
}

constexpr char passed_mark = 'p', failed_mark = 'f', not_applicable_mark = 'n';

// Runs a check in the child process. The first character of the returned text encodes the outcome.
std::string run_marked(const Check& check, const Subject& subject, const std::string& id,
                       Stage& stage) {
  try {
    Trial trial(subject, id, stage);
    return passed_mark + check.run(trial);
  } catch (const Failed& failure) {
    return failed_mark + std::string(failure.what());
  } catch (const NotApplicable& reason) {
    return not_applicable_mark + std::string(reason.what());
  }
}

struct Tried {
  Line line;
  bool timed_out;
};
Tried run(const Check& check, const Subject& subject, const std::string& id, const Options& options,
          Stage& stage) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const ChildEnd end = run_in_child([&] { return run_marked(check, subject, id, stage); },
                                    options.time_limit, stage);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (end.how != ChildEnd::How::finished)
    return {{check.name, check.group, Outcome::failed, one_line(end.text), seconds},
            end.how == ChildEnd::How::timed_out};
  const Outcome outcome = end.text[0] == passed_mark   ? Outcome::passed
                          : end.text[0] == failed_mark ? Outcome::failed
                                                       : Outcome::not_applicable;
  return {{check.name, check.group, outcome, one_line(end.text.substr(1)), seconds}, false};
}

constexpr char field_end = '\x1f', record_end = '\x1e';

// The plugins of a file. If the file could not be loaded, `refusal` is the line that states the
// reason.
struct Contents {
  std::vector<PluginReport> plugins;
  std::optional<Line> refusal;
};
Contents look_into(const Subject& subject, const Options& options, Stage& stage) {
  const ChildEnd end = run_in_child(
      [&] {
        const Registry registry({subject.file}, subject.load_script);
        std::string out(1, failed_mark);
        for (const SkippedFile& skipped : registry.skipped()) return out + "it " + skipped.reason;
        out[0] = passed_mark;
        for (const PluginInfo& plugin : registry.plugins()) {
          for (const std::string& field :
               {plugin.id, plugin.version, plugin.summary, plugin.family})
            out += field + field_end;
          out += record_end;
        }
        return out;
      },
      options.time_limit, stage);
  Contents contents;
  if (end.how != ChildEnd::How::finished || end.text[0] != passed_mark) {
    const bool finished = end.how == ChildEnd::How::finished;
    contents.refusal = {"loads", "file", Outcome::failed,
                        one_line(finished ? end.text.substr(1) : end.text + " while it was loaded"),
                        0};
    return contents;
  }
  for (size_t at = 1; at < end.text.size(); ++at) {
    PluginReport plugin;
    for (std::string* field : {&plugin.id, &plugin.version, &plugin.summary, &plugin.family}) {
      const size_t stop = end.text.find(field_end, at);
      *field = end.text.substr(at, stop - at);
      at = stop + 1;
    }
    contents.plugins.push_back(std::move(plugin));
  }
  return contents;
}

// Returns the plugin with this id. The kind may be omitted from the id. Returns all plugins if the
// id is "". Throws Error if there is no such plugin.
std::vector<PluginReport> chosen(std::vector<PluginReport> plugins, const Subject& subject,
                                 const std::string& id) {
  if (id.empty()) return plugins;
  const auto without_kind = [](const PluginReport& plugin) {
    return plugin.id.substr(plugin.id.find('.') + 1);
  };
  std::vector<std::string> ids, names;
  for (const PluginReport& plugin : plugins) {
    ids.push_back(plugin.id);
    names.insert(names.end(), {plugin.id, without_kind(plugin)});
  }
  std::erase_if(plugins, [&](const PluginReport& plugin) {
    return plugin.id != id && without_kind(plugin) != id;
  });
  if (plugins.empty())
    throw Error(fmt::format("{} has no plugin '{}'; it has {}{}", subject.file.string(), id,
                            fmt::join(ids, ", "), did_you_mean(id, names)));
  return plugins;
}

void add(PluginReport& plugin, Line line, const Options& options) {
  plugin.lines.push_back(std::move(line));
  if (options.done) options.done(plugin, plugin.lines.back());
}

void try_plugin(PluginReport& plugin, const Subject& subject, const Options& options,
                Stage& stage) {
  add(plugin,
      {"loads", "file", Outcome::passed, fmt::format("{} {}", plugin.id, plugin.version), 0},
      options);
  const Checks checks = checks_for(plugin.id);
  constexpr int most_hangs = 3;
  int hangs = 0;
  for (size_t k = 0; k < checks.size(); ++k) {
    if (k > 0 && !options.only.empty() && checks[k].name != options.only) continue;
    if (options.progress) options.progress(plugin.id, checks[k].name);
    auto [line, timed_out] = run(checks[k], subject, plugin.id, options, stage);
    hangs += timed_out;
    if (hangs == most_hangs)
      line.text += "; the other checks were not run, because too many checks hang";
    add(plugin, std::move(line), options);
    if (hangs == most_hangs || (k == 0 && plugin.lines.back().outcome != Outcome::passed)) return;
  }
}

}  // namespace

bool Report::passed() const {
  return std::ranges::all_of(plugins, [](const PluginReport& plugin) {
    return std::ranges::none_of(plugin.lines,
                                [](const Line& line) { return line.outcome == Outcome::failed; });
  });
}

std::string again(const Report& report, const PluginReport& plugin, const Line& line) {
  std::string robots;
  for (const std::string& robot : report.robots) robots += " " + robot;
  return fmt::format("torsor validate {}{} --id {} --seed {} --only '{}'", report.file.string(),
                     robots, plugin.id, report.seed, line.check);
}

std::vector<std::string> check_names(const std::string& id) {
  std::vector<std::string> names{"loads"};
  for (const Check& check : checks_for(id)) names.push_back(check.name);
  return names;
}

std::vector<std::string> check_names() {
  std::vector<std::string> names;
  for (const TrialKind& kind : trial_kinds())
    for (const Check& check : checks_for(kind.name))
      if (std::ranges::find(names, check.name) == names.end()) names.push_back(check.name);
  return names;
}

Report validate(const Subject& subject, const Options& options) {
  const std::vector<std::string> names = check_names();
  if (!options.only.empty() && std::ranges::find(names, options.only) == names.end())
    throw Error(fmt::format("there is no check '{}'; the checks are {}{}", options.only,
                            fmt::join(names, ", "), did_you_mean(options.only, names)));
  Stage stage;
  Report report{.file = subject.file, .seed = subject.seed, .plugins = {}};
  Contents contents = look_into(subject, options, stage);
  if (contents.refusal) {
    add(report.plugins.emplace_back(), *contents.refusal, options);
    return report;
  }
  report.plugins = chosen(std::move(contents.plugins), subject, options.plugin);
  for (PluginReport& plugin : report.plugins) try_plugin(plugin, subject, options, stage);
  return report;
}

}  // namespace torsor::validation
