#pragma once
// Motions that excite the parameters of a robot for identification: periodic Fourier series
// (Swevers, Ganseman, Tuekel, De Schutter and Van Brussel 1997, "Optimal robot excitation and
// identification")
//   y_j(t) = center_j + sum_k (sine_jk sin(k w t) + cosine_jk cos(k w t)),   w = 2 pi frequency
// whose coefficients minimise the condition number of the equations y = W x of identify(), with the
// columns of W scaled to norm 1. The motion begins and ends each period at rest: with K harmonics,
//   sum_k k sine_jk = 0,   sum_k k^2 cosine_jk = 0
//
// Every motion that the search considers uses as much of the limits of position, velocity and
// acceleration as its shape allows, because larger motions are less affected by noise. Between N
// samples of a period, the peaks of a sum of K harmonics exceed those of the samples at most by the
// factor 1 / cos(pi K / N) (Ehlich and Zeller 1964), which the limits include.

#include <functional>
#include <optional>

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

struct ExcitationRequest {
  int harmonics = 5;
  double frequency = 0.1;  // Hz, of the first harmonic
  // Position limits of dof whose joints have none: the center plus and minus this, rad or m.
  double range = 1.5;
  // Limits in addition to those of the joints, for all dof, those of mimic joints included, rad/s
  // or m/s and rad/s^2 or m/s^2.
  std::optional<double> velocity, acceleration;
  int evaluations = 3000;  // of the condition number
  uint64_t seed = 1;       // of the random motions from which the search starts
};

struct Excitation {
  double frequency;              // Hz
  std::vector<double> center;    // [n_q]
  Eigen::MatrixXd sine, cosine;  // [n_v x harmonics], rad or m
  double condition;              // of the motion, with columns of norm 1
  double random_condition;       // median of the random motions from which the search started
  // The largest |torque| / limit with the parameters of the model, and its dof. 0 and -1 if no
  // joint has a limit of effort.
  double torque_use = 0;
  int torque_dof = -1;
};

// Positions, velocities and accelerations of a motion at N equally spaced times of a period.
struct ExcitationSamples {
  std::vector<double> q, v, vdot;  // [N n_q], [N n_v], [N n_v]
};
ExcitationSamples sample(const Model& model, const Excitation& motion, int N);

// Searches for an exciting motion. Limits of effort are observed with the parameters of the model.
// `check` is called before each evaluation, and may throw.
//
// Throws Error in these cases:
// - A joint has no motor, or a limit of a joint leaves no motion.
// - No motion was found that determines all base parameters, that is within the limits of effort,
//   or whose torques are finite numbers.
Excitation find_excitation(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                           const ParameterChoice& choice, const ExcitationRequest& request,
                           const std::function<void()>& check = {});

}  // namespace torsor
