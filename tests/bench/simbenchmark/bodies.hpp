#pragma once
// Free bodies of uniform density, for the scenes of the tasks.

#include "torsor/model/builder.hpp"

namespace torsor::bench::simbenchmark {

// Add a ball or a box with a collider, whose origin is its centre, as the next link of a robot.
//   size: lengths of the edges, m
void add_ball(RobotDescription& robot, const std::string& name, double mass, double radius,
              const ContactMaterial& material);
void add_block(RobotDescription& robot, const std::string& name, double mass,
               const Vec3<double>& size, const ContactMaterial& material);

// Appends the position p of a free body without rotation to q.
void place(std::vector<double>& q, const Vec3<double>& p);

// Returns the centre of the k-th free body of a model that has only free bodies, and its velocity
// in the axes of the world.
Vec3<double> centre(std::span<const double> q, int k);
Vec3<double> centre_velocity(std::span<const double> q, std::span<const double> v, int k);

// Returns the plane z = 0.
CollisionDescription ground(const ContactMaterial& material);

}  // namespace torsor::bench::simbenchmark
