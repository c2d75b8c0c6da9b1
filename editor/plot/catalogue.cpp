#include "editor/plot/catalogue.hpp"

#include <fmt/format.h>

#include "editor/session/viewed_recording.hpp"
#include "torsor/base/error.hpp"
#include "torsor/model/model.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::editor {

Catalogue::Catalogue(const Experiment& experiment) {
  const Model& model = *experiment.model;
  for (const std::string& name : Recorder::signals(
           model, !experiment.compare.empty(), experiment.load.controls, experiment.load.sensors)) {
    const std::vector<Column> columns = Recorder(model, {name}, experiment.compare,
                                                 experiment.load.controls, experiment.load.sensors)
                                            .columns();
    signals_.push_back({name, {columns.begin() + 1, columns.end()}});
  }
  index();
  first_ = !experiment.record.empty() ? experiment.record[0] : model.robots.at(0).name + ".q";
}

Catalogue::Catalogue(const Recording& recording) {
  for (const auto& [name, first, count] : recorded_signals(recording)) {
    const auto begin = recording.columns.begin() + ptrdiff_t(first);
    signals_.push_back({name, {begin, begin + ptrdiff_t(count)}});
  }
  index();
  if (!signals_.empty()) first_ = signals_[0].name;
}

void Catalogue::index() {
  for (size_t k = 0; k < signals_.size(); ++k)
    parts_[signals_[k].name] = {k, 0, signals_[k].columns.size()};
  for (size_t k = 0; k < signals_.size(); ++k)
    for (size_t c = 0; c < signals_[k].columns.size(); ++c)
      parts_.try_emplace(signals_[k].columns[c].name, SignalPart{k, c, 1});
}

const SignalPart* Catalogue::find(const std::string& name) const {
  const auto found = parts_.find(name);
  return found == parts_.end() ? nullptr : &found->second;
}

void Catalogue::require(const std::string& name) const {
  if (find(name)) return;
  std::vector<std::string> names;
  for (const auto& [known, part] : parts_) names.push_back(known);
  throw Error(fmt::format("there is no signal '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace torsor::editor
