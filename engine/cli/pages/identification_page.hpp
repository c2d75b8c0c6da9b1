#pragma once
// The result of `torsor identify` as text, JSON and an HTML page.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "torsor/identification/physical.hpp"
#include "torsor/identification/prediction.hpp"
#include "torsor/run/measured_run.hpp"

namespace torsor::cli {

struct IdentificationReport {
  std::string run;
  MeasuredRun measured;
  Identification found;
  PhysicalFit physical;
  std::vector<double> dead_band;  // [n_v]
  bool dead_band_of_noise;        // true: it was derived from the noise
  bool equal_weights, by_energy;
  // Torques predicted by the estimates and by the physical parameters.
  struct Comparison {
    std::string run;
    std::vector<double> time;
    Prediction estimates, physical;
  };
  Comparison own;                       // for the motion of the identification
  std::vector<Comparison> validations;  // for other motions
};

std::string identification_text(const IdentificationReport& report);
nlohmann::ordered_json identification_json(const IdentificationReport& report);
// Returns a page with tables and pictures in SVG. It refers to no other files.
std::string identification_html(const IdentificationReport& report);

}  // namespace torsor::cli
