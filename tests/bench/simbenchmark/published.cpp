#include "bench/simbenchmark/published.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace torsor::bench::simbenchmark {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<const char*, 6> engines = {"RaiSim", "Bullet",     "ODE",
                                                "MuJoCo", "MuJoCo RK4", "DART"};
using Figures = std::array<double, engines.size()>;

// One dt of a task: simulated time in s, errors, and processor times in s.
struct FiguresOfStep {
  const char* task;
  double dt, simulated;
  Figures errors, seconds;
};

// Figures of data/rolling/default.csv (ERP = 0), and of sample.csv in the folders bouncing, 666,
// 666-elastic, anymal-energy and anymal-momentum of data.
// clang-format off
constexpr FiguresOfStep figures_of_steps[] = {
  {"rolling_xy", 0.001, 4,
   {4.13711e-07, 5.70654e-09, 3.14497, 0.00692691, 0.0027148, 3.14497},
   {0.308104, 0.561834, 0.724026, 1.67194, 4.40043, 2.67552}},
  {"rolling_y", 0.001, 4,
   {4.1268e-07, 4.93482e-09, 7.66873e-09, 0.0092196, 0.00317043, 0.42589},
   {0.322526, 0.547962, 0.719417, 1.39105, 3.48782, 2.74954}},
  {"bouncing", 1e-05, 20,
   {1.86446e-10, 7.52322, 0.0185021, none, none, 7.38571},
   {23.6766, 81.2018, 192.491, none, none, 327.728}},
  {"bouncing", 4e-05, 20,
   {4.77199e-08, 120.372, 0.296042, none, none, 30.5831},
   {6.28074, 20.5228, 47.1796, none, none, 81.9283}},
  {"bouncing", 0.0001, 20,
   {1.86413e-06, 752.345, 1.85054, none, none, 483.166},
   {2.36529, 8.22547, 19.8034, none, none, 31.917}},
  {"bouncing", 0.0004, 20,
   {0.000477103, 12038.5, 29.631, none, none, 10870.7},
   {0.601746, 2.07987, 4.60098, none, none, 8.00361}},
  {"bouncing", 0.001, 20,
   {0.0186204, 75245.4, 185.027, none, none, 72274.4},
   {0.235136, 0.851648, 1.88695, none, none, 3.2084}},
  {"bouncing", 0.004, 20,
   {4.76468, 1.20178e+06, 2982.68, none, none, 1.18966e+06},
   {0.0610991, 0.226891, 0.473906, none, none, 0.795548}},
  {"bouncing", 0.01, 20,
   {185.953, 7.40664e+06, 18808.3, none, none, 7.37588e+06},
   {0.0252509, 0.102335, 0.189298, none, none, 0.338765}},
  {"bouncing", 0.04, 20,
   {47390.6, 1.19223e+08, 313419, none, none, 1.19086e+08},
   {0.00647402, 0.0310302, 0.0494759, none, none, 0.085922}},
  {"bouncing", 0.1, 20,
   {1.83452e+06, 7.67704e+08, 2.03326e+06, none, none, 7.67291e+08},
   {0.00265884, 0.0160391, 0.0211151, none, none, 0.0378909}},
  {"666", 0.0001, 10,
   {1.63724e-06, 0.00353091, 1.58571e-06, 0.0112876, 0.0112962, 1.97837e-07},
   {12.9292, 79.6021, 98.9894, 291.667, 911.119, 197.014}},
  {"666", 0.0004, 10,
   {2.36103e-05, 0.0629953, 2.42059e-05, 0.0391936, 0.0392319, 0.00717582},
   {3.38443, 27.8013, 35.0435, 88.4944, 274.624, 37.6985}},
  {"666", 0.001, 10,
   {0.00013534, 0.38247, 0.000157122, 0.0950124, 0.0950862, 0.000282356},
   {1.51045, 11.9778, 10.0378, 43.1372, 129.934, 22.9162}},
  {"666", 0.004, 10,
   {0.00211391, 5.78282, 0.00208149, 0.374245, 0.374436, 9292.72},
   {0.38779, 4.14151, 2.52893, 15.3103, 46.9629, 6.56869}},
  {"666", 0.01, 10,
   {0.0152745, 37.4217, 0.0161901, 0.933766, 0.933082, 214.842},
   {0.167983, 2.01153, 1.00332, 5.1182, 21.5642, 3.06581}},
  {"666", 0.04, 10,
   {0.249862, 727.893, 0.236774, 3.84858, 3.85572, 1366.83},
   {0.0550811, 0.677048, 0.286833, 16.7819, 60.9083, 1.24581}},
  {"666", 0.1, 10,
   {0.961629, 278496, 3.05789, 10.9935, 11.7823, 6.83924},
   {0.0367491, 0.91797, 0.121567, 37.0414, 125.46, 2.75566}},
  {"666_elastic", 0.0001, 10,
   {0.00110304, 167.526, 1.09578, none, none, 2438.45},
   {6.11585, 21.5038, 55.5611, none, none, 141.159}},
  {"666_elastic", 0.0004, 10,
   {0.248699, 3563.92, 17.5054, none, none, 52414.7},
   {1.64278, 5.93753, 13.8713, none, none, 20.386}},
  {"666_elastic", 0.001, 10,
   {8.36835, 41498.1, 112.318, none, none, 346909},
   {0.655143, 2.31772, 5.64728, none, none, 8.05873}},
  {"666_elastic", 0.004, 10,
   {264.072, 840066, 1648.4, none, none, 6.62224e+06},
   {0.180666, 0.65147, 1.43055, none, none, 1.9544}},
  {"666_elastic", 0.01, 10,
   {5.18417e+06, 9.86396e+06, 8.55999e+06, none, none, 1.28706e+10},
   {0.0702891, 0.31976, 0.601697, none, none, 0.842985}},
  {"666_elastic", 0.04, 10,
   {2.73152e+09, none, none, none, none, 5.96467e+09},
   {0.021476, none, none, none, none, 0.251876}},
  {"666_elastic", 0.05, 10,
   {none, 1.05315e+08, 1.37883e+06, none, none, none},
   {none, 0.149203, 0.130007, none, none, none}},
  {"666_elastic", 0.1, 10,
   {1.19339e+08, 1.72019e+09, 1.88435e+07, none, none, 1.20713e+12},
   {0.0127361, 0.150474, 0.065268, none, none, 0.12266}},
  {"anymal_energy", 1e-05, 3,
   {1.09995e-06, 0.0272362, 0.000394712, 0.000348482, 2.85655e-21, 200.165},
   {1.36979, 7.06626, 50.3884, 6.23166, 15.533, 9.4725}},
  {"anymal_energy", 4e-05, 3,
   {1.76234e-05, 0.0366442, 0.00630729, 0.00557546, 1.29058e-21, 201.179},
   {0.341604, 1.74506, 12.2823, 1.56746, 3.59739, 2.45687}},
  {"anymal_energy", 0.0001, 3,
   {0.000110813, 0.0745214, 0.0394011, 0.0348459, 1.58355e-21, 203.189},
   {0.131174, 0.755338, 5.15827, 0.645226, 1.41967, 0.918585}},
  {"anymal_energy", 0.0004, 3,
   {0.0018144, 0.643217, 0.629419, 0.557399, 3.61597e-19, 213.711},
   {0.035285, 0.200707, 1.18385, 0.15519, 0.34723, 0.2285}},
  {"anymal_energy", 0.001, 3,
   {0.0118404, 3.65233, 3.92255, 3.48198, 1.6273e-17, 236.756},
   {0.0149939, 0.082814, 0.481013, 0.063359, 0.139079, 0.0965772}},
  {"anymal_energy", 0.004, 3,
   {0.214716, 55.6567, 61.9581, 55.5411, 4.50248e-14, 392.803},
   {0.00422597, 0.0273678, 0.126718, 0.0151579, 0.0343139, 0.0225611}},
  {"anymal_energy", 0.01, 3,
   {1.39767, 342.786, 379.89, 343.91, 5.56596e-11, 918.391},
   {0.00145698, 0.010957, 0.0516329, 0.006392, 0.0135331, 0.0119619}},
  {"anymal_momentum", 1e-05, 10,
   {3.66339e-09, 2.64117e-08, 1.583e-25, 8.82417e-08, 6.01818e-17, 185.382},
   {5.77368, 31.6166, 186.292, 36.2642, 80.4244, 61.3568}},
  {"anymal_momentum", 4e-05, 10,
   {5.932e-08, 4.22675e-07, 2.97637e-26, 1.4091e-06, 5.74604e-20, 184.102},
   {1.44341, 8.1057, 47.3004, 9.93584, 21.5648, 14.1194}},
  {"anymal_momentum", 0.0001, 10,
   {3.85431e-07, 2.64129e-06, 5.82386e-26, 8.81273e-06, 1.66381e-16, 182.305},
   {0.671425, 3.15209, 18.6813, 3.64587, 7.84747, 5.90664}},
  {"anymal_momentum", 0.0004, 10,
   {6.1995e-06, 4.23208e-05, 2.02516e-26, 0.00013984, 7.31706e-13, 180.239},
   {0.168615, 0.801933, 4.56588, 0.903744, 1.96079, 1.47797}},
  {"anymal_momentum", 0.001, 10,
   {4.67537e-05, 0.000265836, 1.33335e-27, 0.0011404, 4.66112e-13, 168.986},
   {0.058022, 0.43904, 1.77907, 0.379829, 0.790538, 0.526448}},
  {"anymal_momentum", 0.004, 10,
   {0.00091496, 0.00426832, 5.44184e-28, 0.0133445, 3.51561e-07, 150.287},
   {0.016257, 0.0868042, 0.449475, 0.094028, 0.199953, 0.135765}},
  {"anymal_momentum", 0.01, 10,
   {0.00538685, 0.022708, 4.03941e-28, 0.0156349, 2.39848e-05, 104.792},
   {0.00609994, 0.035419, 0.179843, 0.038142, 0.0783849, 0.0524459}},
};
// clang-format on

// Figures of data/kapla/sample.csv (ERP = 0, and 1000 iterations or the last tolerance) and of
// data/anymal-stand/sample.csv (one robot, the shortest time). ODE has its solver Dantzig there,
// and MuJoCo its additional iterations against slip.
struct FiguresOfRun {
  const char* task;
  double dt;
  const char* engine;
  long long steps;
  double seconds, simulated;
};
constexpr FiguresOfRun figures_of_runs[] = {
    {"kapla", 1e-2, "RaiSim", 60000, 2884.89, 600},
    {"kapla", 1e-2, "Bullet", 147, 33.302, 1.47},
    {"kapla", 1e-2, "ODE", 122, 21.2848, 1.22},
    {"kapla", 1e-2, "MuJoCo", 2645, 51.7884, 26.45},
    {"kapla", 1e-2, "DART", 19, 5.92624, 0.19},
    {"anymal_stand", 5e-3, "RaiSim", 0, 0.402532, 250},
    {"anymal_stand", 5e-3, "Bullet", 0, 3.55389, 250},
    {"anymal_stand", 5e-3, "ODE", 0, 22.4247, 250},
    {"anymal_stand", 5e-3, "MuJoCo", 0, 1.81069, 250},
    {"anymal_stand", 5e-3, "DART", 0, 5.67983, 250},
};

}  // namespace

// The suite stops after 60000 steps of a structure that stands.
std::string Published::remark() const {
  if (steps == 0) return "";
  return fmt::format("{} after {} steps", steps < 60000 ? "collapsed" : "stands", steps);
}

std::vector<Published> published(std::string_view task, double dt) {
  std::vector<Published> out;
  for (const FiguresOfStep& row : figures_of_steps)
    for (size_t k = 0; row.task == task && row.dt == dt && k < engines.size(); ++k)
      if (!std::isnan(row.errors[k]))
        out.push_back({engines[k], row.errors[k], row.seconds[k], row.simulated});
  for (const FiguresOfRun& row : figures_of_runs)
    if (row.task == task && row.dt == dt)
      out.push_back({row.engine, none, row.seconds, row.simulated, row.steps});
  return out;
}

}  // namespace torsor::bench::simbenchmark
