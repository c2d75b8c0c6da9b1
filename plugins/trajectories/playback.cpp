// Playback of a recorded motion: rows of a time and a position, which are interpolated
// (pieces.hpp).

#include "pieces.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

struct Playback {
  static constexpr const char* id = "trajectory.playback";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "plays back recorded positions";
  static constexpr torsor_param params[] = {
      sdk::path("path", "rows of time and position; the first time is 0"),
      sdk::choice("interpolation", "interpolation between the rows", interpolation_names, 1),
  };

  std::vector<double> values;
  bool cubic = true;
  Pieces pieces;

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) values.assign(given.begin(), given.end());
    if (index == 1) cubic = given[0] == 1;
  }
  void prepare(const torsor_model& model, torsor_sizes&) {
    pieces = interpolated(Path(values, size_t(model.n_v)), cubic);
  }
  void describe(torsor_motion& out) const { pieces.describe(out, 0); }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    return pieces.evaluate(t, order, out);
  }
};

}  // namespace

TORSOR_PLUGINS(Playback)
