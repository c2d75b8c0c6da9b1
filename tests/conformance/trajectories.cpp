#include "conformance/trajectories.hpp"

namespace torsor::test {

namespace {

// Returns a path whose positions are close to each other. No joint rotates by more than half a
// turn.
Rows random_path(Random& random, const Model& model, const std::vector<double>& times) {
  const std::vector<double> base = random_position(random, model, 2);
  Rows rows;
  for (const double t : times) {
    const std::vector<double> d = random_values(random, model.n_v, 0.8);
    std::vector<double> q(base.size());
    integrate(model, base.data(), d.data(), 1, q.data());
    q.insert(q.begin(), t);
    rows.push_back(q);
  }
  return rows;
}

Rows random_table(Random& random, int rows, int columns) {
  Rows out;
  for (int i = 0; i < rows; ++i) out.push_back(random_values(random, columns, 0.2));
  return out;
}

}  // namespace

std::vector<double> numbers(const Pose<double>& X) {
  std::vector<double> out(X.R.m, X.R.m + 9);
  out.insert(out.end(), {X.p.x, X.p.y, X.p.z});
  return out;
}

std::vector<TrajectoryCase> trajectory_cases(const Model& model, uint64_t seed) {
  Random random(seed);
  std::vector<TrajectoryCase> out;
  const auto some = [&] { return random_position(random, model, 0.8); };
  for (const char* law : {"linear", "cubic", "quintic", "septic", "bang_bang", "trapeze",
                          "smooth_trapeze", "s_curve"}) {
    const std::string id = law;
    out.push_back({id, id, {{"from", some()}, {"to", some()}, {"duration", std::vector{1.7}}}});
    out.push_back(
        {id + "_least_time", id, {{"from", some()}, {"to", some()}, {"speed", std::vector{1.3}}}});
    if (id != "linear") out.back().parameters.push_back({"acceleration", std::vector{3.1}});
  }
  out.push_back({"s_curve_of_jerk",
                 "s_curve",
                 {{"from", some()},
                  {"to", some()},
                  {"speed", std::vector{1.3}},
                  {"acceleration", std::vector{3.1}},
                  {"jerk", std::vector{20.0}}}});
  const Rows path = random_path(random, model, {0, 0.4, 0.9, 1.5, 2});
  const std::vector<double> some_rates = random_values(random, model.n_v, 0.5);
  out.push_back({"cubic_spline", "cubic_spline", {{"path", path}}});
  out.push_back(
      {"quintic_spline", "quintic_spline", {{"path", path}, {"start_velocity", some_rates}}});
  out.push_back({"playback", "playback", {{"path", path}}});
  out.push_back({"playback_linear", "playback", {{"path", path}, {"interpolation", "linear"}}});
  out.push_back({"moving_target",
                 "moving_target",
                 {{"from", some()}, {"path", path}, {"duration", 1.3}, {"law", "trapeze"}}});
  out.push_back({"retarget", "retarget", {{"path", path}, {"duration", 1.1}}});
  out.push_back(
      {"retarget_septic", "retarget", {{"path", path}, {"duration", 0.3}, {"law", "septic"}}});
  out.push_back({"fourier",
                 "fourier",
                 {{"center", some()},
                  {"frequency", 0.3},
                  {"sine", random_table(random, model.n_v, 3)},
                  {"cosine", random_table(random, model.n_v, 2)}}});
  out.push_back({"sinusoid",
                 "sinusoid",
                 {{"center", some()},
                  {"amplitude", random_values(random, model.n_v, 0.5)},
                  {"frequency", std::vector{0.7}},
                  {"duration", std::vector{2.0}}}});
  Rows poses;
  for (int k = 0; k < 5; ++k) poses.push_back(numbers(random.pose(0.5)));
  for (const char* law : {"parabolic", "quartic", "sextic"})
    out.push_back({std::string("pose_lines_") + law,
                   "pose_lines",
                   {{"poses", poses},
                    {"speed", 0.4},
                    {"angular_speed", 1.1},
                    {"blend", 0.05},
                    {"blend_law", law}}});
  for (const char* law : {"linear", "septic", "smooth_trapeze"})
    out.push_back({std::string("pose_spline_") + law,
                   "pose_spline",
                   {{"poses", poses},
                    {"law", law},
                    {"speed", 2.0},
                    {"angular_speed", 4.0},
                    {"duration", 8.0}}});
  out.back().parameters.push_back({"acceleration", 9.0});
  for (const char* id : {"straight_line", "euler_line"}) {
    const std::vector<double> from = numbers(random.pose(0.5)), to = numbers(random.pose(0.5));
    out.push_back({id, id, {{"from", from}, {"to", to}, {"duration", std::vector{1.4}}}});
    out.push_back({std::string(id) + "_least_time",
                   id,
                   {{"from", from},
                    {"to", to},
                    {"law", "smooth_trapeze"},
                    {"speed", std::vector{0.4}},
                    {"acceleration", std::vector{1.1}},
                    {"angular_speed", std::vector{0.9}},
                    {"angular_acceleration", std::vector{2.2}}}});
  }
  return out;
}

std::vector<std::string> trajectory_case_names() {
  std::vector<std::string> names;
  for (const TrajectoryCase& each : trajectory_cases(*plain_chain(2), 1))
    names.push_back(each.name);
  return names;
}

std::shared_ptr<const Trajectory> make(const std::string& id,
                                       const std::shared_ptr<const Model>& model,
                                       const std::vector<Parameter>& parameters) {
  return build_registry().make<Trajectory>(id, model, parameters);
}

Reference at(const Trajectory& trajectory, double t) {
  Reference out = trajectory.make_reference();
  const Status status = trajectory.evaluate(t, out);
  EXPECT_TRUE(status) << trajectory.explain(status);
  return out;
}

std::shared_ptr<const Model> plain_chain(int n) {
  return build(random_robot(n, Shape::chain, uint64_t(n)));
}

}  // namespace torsor::test
