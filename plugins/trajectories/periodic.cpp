// Periodic motions, for example to excite a robot whose parameters are identified:
//   fourier   y_j = center_j + sum_k (sine_jk sin(k w t) + cosine_jk cos(k w t))
//             w = 2 pi frequency,   k = 1, 2, ...
//   sinusoid  y_j = center_j + amplitude_j sin(2 pi frequency_j t + phase_j)
// The velocity at t = 0 is that of the formula. It may differ from zero.

#include <numbers>

#include "time_law.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

// Adds a sin(w t + phase) and its derivatives up to `order` to coordinate j of out [order + 1][n].
// Each differentiation multiplies by w and adds pi/2 to the phase.
void add_wave(double a, double w, double phase, double t, int order, size_t n, size_t j,
              double* out) {
  const double s = std::sin(w * t + phase), c = std::cos(w * t + phase);
  const double turn[] = {s, c, -s, -c};
  for (int k = 0; k <= order; ++k, a *= w) out[size_t(k) * n + j] += a * turn[k % 4];
}

struct Periodic {
  static constexpr const char* version = "1.0";

  std::vector<double> center;
  std::optional<double> duration;  // s; nullopt: endless
  double breaks[2] = {0, 0};

  void set_duration(std::span<const double> values) {
    duration = at_most_one(positive(values, "s"));
    breaks[1] = duration.value_or(0);
  }
  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_JOINTS;
    out.duration = duration.value_or(std::numeric_limits<double>::infinity());
    out.smoothness = duration ? 0 : TORSOR_SMOOTH;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = duration ? 2 : 1;
    out.breaks = breaks;
  }
  void start(int order, double* out) const {
    const size_t n = center.size();
    std::copy(center.begin(), center.end(), out);
    std::fill_n(out + n, size_t(order) * n, 0.0);
  }
};

struct Fourier : Periodic {
  static constexpr const char* id = "trajectory.fourier";
  static constexpr const char* summary = "Fourier series for each coordinate";
  static constexpr torsor_param params[] = {
      sdk::configuration("center", "position about which the joints move"),
      sdk::real("frequency", "Hz", "frequency of the first harmonic", 0, sdk::no_limit, 1),
      sdk::table("sine", "rad, m",
                 "sine amplitudes: a row for each coordinate, an entry for each harmonic",
                 -sdk::no_limit, sdk::no_limit, 0),
      sdk::table("cosine", "rad, m",
                 "cosine amplitudes: a row for each coordinate, an entry for each harmonic",
                 -sdk::no_limit, sdk::no_limit, 0),
      sdk::real("duration", "s", "duration; default: endless", 0, sdk::no_limit, 0, 0),
  };

  double frequency = 1;
  std::vector<double> sine, cosine;  // first the length of a row, then [n_v][harmonics]

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 0) center.assign(values.begin(), values.end());
    if (index == 1) frequency = positive(values, "Hz")[0];
    if (index == 2) sine.assign(values.begin(), values.end());
    if (index == 3) cosine.assign(values.begin(), values.end());
    if (index == 4) set_duration(values);
  }
  void prepare(const torsor_model& model, torsor_sizes&) {
    if (sine.empty() && cosine.empty())
      throw sdk::bad_argument("no amplitudes are set; set 'sine' or 'cosine'");
    for (const auto* table : {&sine, &cosine}) {
      if (table->empty()) continue;
      const size_t rows = (*table)[0] > 0 ? (table->size() - 1) / size_t((*table)[0]) : 0;
      if (rows != size_t(model.n_v))
        throw sdk::bad_argument(std::string("'") + (table == &sine ? "sine" : "cosine") + "' has " +
                                std::to_string(rows) + " rows of harmonics for " +
                                std::to_string(model.n_v) + " coordinates; give one row for each");
    }
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    start(order, out);
    const double w = 2 * std::numbers::pi * frequency;
    for (const auto* table : {&sine, &cosine}) {
      if (table->empty()) continue;
      const double phase = table == &sine ? 0 : std::numbers::pi / 2;
      const size_t harmonics = size_t((*table)[0]), n = center.size();
      for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < harmonics; ++k)
          add_wave((*table)[1 + j * harmonics + k], double(k + 1) * w, phase, t, order, n, j, out);
    }
    return TORSOR_OK;
  }
};

struct Sinusoid : Periodic {
  static constexpr const char* id = "trajectory.sinusoid";
  static constexpr const char* summary = "sinusoid for each coordinate";
  static constexpr torsor_param params[] = {
      sdk::configuration("center", "position about which the joints move"),
      sdk::real("amplitude", "rad, m", "amplitude; one value for all coordinates, or one for each",
                -sdk::no_limit, sdk::no_limit, 0, 0),
      sdk::real("frequency", "Hz", "frequency; one value for all coordinates, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("phase", "rad",
                "phase at time 0; one value for all coordinates, or one for each; default 0",
                -sdk::no_limit, sdk::no_limit, 0, 0),
      sdk::real("duration", "s", "duration; default: endless", 0, sdk::no_limit, 0, 0),
  };

  std::vector<double> amplitude, frequency, phase;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 0) center.assign(values.begin(), values.end());
    if (index == 1) amplitude.assign(values.begin(), values.end());
    if (index == 2) frequency = positive(values, "Hz");
    if (index == 3) phase.assign(values.begin(), values.end());
    if (index == 4) set_duration(values);
  }
  void prepare(const torsor_model&, torsor_sizes&) {
    if (phase.empty()) phase = {0};
    const std::pair<std::vector<double>*, const char*> lists[] = {
        {&amplitude, "amplitude"}, {&frequency, "frequency"}, {&phase, "phase"}};
    for (const auto& [list, name] : lists) {
      if (list->size() == 1) list->resize(center.size(), list->front());
      if (list->size() != center.size())
        throw sdk::bad_argument("'" + std::string(name) + "' has " + std::to_string(list->size()) +
                                " values for " + std::to_string(center.size()) +
                                " coordinates; give one value, or one for each");
    }
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    start(order, out);
    for (size_t j = 0; j < center.size(); ++j)
      add_wave(amplitude[j], 2 * std::numbers::pi * frequency[j], phase[j], t, order, center.size(),
               j, out);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Fourier, Sinusoid)
