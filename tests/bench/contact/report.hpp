#pragma once
// Prints the measurements of the steps of scenes, as text and in JSON.

#include <nlohmann/json.hpp>

#include "bench/contact/contact_steps.hpp"
#include "bench/steps.hpp"

namespace torsor::bench {

// The measurements of n steps of a scene. One of the lists is empty.
struct SceneReport {
  std::string name;
  PileFamily family;
  int boxes;
  std::shared_ptr<const Model> model;
  double dt;
  long long n;
  std::vector<ContactResult> contacts;  // of a scene where shapes can touch
  std::vector<StepResult> loops;        // of another scene
};

SceneReport measure_scene(const Scene& scene, long long n, int repetitions);

std::string text(const SceneReport& report);
// Returns a table of the times of generated piles, with a row for each number of boxes, and the
// exponents of their growth. Returns "" if there are no piles.
std::string pile_table(const std::vector<SceneReport>& reports);
nlohmann::ordered_json steps_json(const std::vector<SceneReport>& reports, int repetitions);

}  // namespace torsor::bench
