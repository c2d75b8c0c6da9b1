#pragma once
// Reads the key `metrics` of world:experiment{...}: settings for the metrics of the controls.

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads metrics = true or metrics = { from =, settling_band =, settling_error =, joints = {..} }.
std::optional<MetricsOptions> read_metrics(const TableReader& experiment);

}  // namespace torsor::lua
