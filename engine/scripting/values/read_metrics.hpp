#pragma once
// Reads two keys of world:experiment{...}: `metrics` (settings for the metrics of the controls) and
// `variants` (parameter values of the runs to be compared).

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads metrics = true or metrics = { from =, settling_band =, settling_error =, joints = {..} }.
std::optional<MetricsOptions> read_metrics(const TableReader& experiment);

// Reads variants = { PARAMETER = { values }, .. }. Each parameter must be declared by
// torsor.params.
std::vector<Variation> read_variants(const TableReader& experiment, const SceneContext& scene);

}  // namespace torsor::lua
