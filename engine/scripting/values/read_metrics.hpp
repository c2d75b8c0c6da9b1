#pragma once
// Reads the metrics of an experiment's controls, and the variants of the experiment to compare.

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Reads metrics = true, or metrics = { from =, settling_band =, settling_error =, joints = {..} }.
std::optional<MetricsOptions> read_metrics(const TableReader& experiment);

// Reads variants = { PARAMETER = { values }, .. }.
std::vector<Variation> read_variants(const TableReader& experiment, const SceneContext& scene);

}  // namespace torsor::lua
