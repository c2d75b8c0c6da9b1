#include "bench/simbenchmark/bodies.hpp"

#include "torsor/spatial/so3.hpp"

namespace torsor::bench::simbenchmark {

namespace {

void add_free_body(RobotDescription& robot, const std::string& name, double mass,
                   const Sym3<double>& I, const CollisionShape& shape,
                   const ContactMaterial& material) {
  LinkDescription link;
  link.name = name;
  link.joint.name = name + "_free";
  link.joint.kind = JointKind::floating;
  link.inertia = inertia_about_com(mass, {0, 0, 0}, I);
  link.collisions = {{.shape = shape, .material = material}};
  robot.links.push_back(std::move(link));
}

}  // namespace

void add_ball(RobotDescription& robot, const std::string& name, double mass, double radius,
              const ContactMaterial& material) {
  const double I = 0.4 * mass * radius * radius;
  add_free_body(robot, name, mass, {I, I, I, 0, 0, 0}, {ShapeKind::sphere, {radius, 0, 0}},
                material);
}

void add_block(RobotDescription& robot, const std::string& name, double mass,
               const Vec3<double>& size, const ContactMaterial& material) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, k = mass / 12;
  add_free_body(robot, name, mass, {k * (y + z), k * (x + z), k * (x + y), 0, 0, 0},
                {ShapeKind::box, 0.5 * size}, material);
}

void place(std::vector<double>& q, const Vec3<double>& p) {
  q.insert(q.end(), {p.x, p.y, p.z, 1, 0, 0, 0});
}

Vec3<double> centre(std::span<const double> q, int k) {
  const double* at = q.data() + 7 * k;
  return {at[0], at[1], at[2]};
}

Vec3<double> centre_velocity(std::span<const double> q, std::span<const double> v, int k) {
  const double* at = q.data() + 7 * k;
  const double* rate = v.data() + 6 * k + 3;
  return rotation(at[3], at[4], at[5], at[6]) * Vec3<double>{rate[0], rate[1], rate[2]};
}

CollisionDescription ground(const ContactMaterial& material) {
  return {.name = "ground", .shape = {ShapeKind::half_space}, .material = material};
}

}  // namespace torsor::bench::simbenchmark
