#pragma once
// The parts of torsor trajectory that print and draw the limits of the joints.

#include <filesystem>
#include <vector>

#include "torsor/motions/actuator_limits.hpp"
#include "torsor/motions/time_optimal.hpp"
#include "torsor/motions/torque_check.hpp"

namespace torsor::cli {

// Prints the torques of a motion, and the change of its duration that meets the limits.
void print_torques(const DesiredMotion& trajectory, const TorqueCheck& check,
                   const Vec3<double>& gravity_W);

// Prints the duration of the fastest motion along a path, and how long each joint limits it.
// path_duration: s, of the given motion.
void print_time_optimal(const TimeOptimal& fastest, double path_duration);

// Draws the phase plane (s, ds/dt) with the maximum velocity curve, up to twice the highest rate.
// Throws Error in the cases of draw().
void draw_phase_plane(const std::vector<PhasePoint>& phase, const std::filesystem::path& out);

// Prints the limits from actuator data.
void print_actuator_limits(const Model& model, const ActuatorLimits& limits);

}  // namespace torsor::cli
