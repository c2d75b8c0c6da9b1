// Tests of torsor eval with HDF5 files of states: results against the closed form of a pendulum on
// a rail, and against those of a JSON file.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <cmath>
#include <limits>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A cart of 2 kg on a rail along x with a point mass of 1 kg at the end of a rod of 1 m, which
// hangs down at q2 = 0 and turns about -y:
//   M = [3, c; c, 1],  c v = (-s v2^2, 0),  g = (0, 9.81 s),   c = cos q2, s = sin q2
constexpr const char* cart_urdf = R"(<robot name="cart">
  <link name="base"/>
  <link name="cart"><inertial><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="rod"/><axis xyz="0 -1 0"/></joint>
</robot>)";

class EvalBatch : public Program {
 protected:
  void write(const std::string& name, const char* dataset, const std::vector<double>& rows,
             hsize_t columns) {
    const std::string path = (folder_ / name).string();
    const hid_t file = std::filesystem::exists(path)
                           ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                           : H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t dims[] = {rows.size() / columns, columns};
    const hid_t space = H5Screate_simple(2, dims, nullptr),
                set = H5Dcreate2(file, dataset, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                                 H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), 0);
    H5Dclose(set), H5Sclose(space), H5Fclose(file);
  }
  std::vector<double> read(const std::string& name, const char* dataset) {
    const hid_t file = H5Fopen((folder_ / name).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                set = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<double> out(size_t(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data());
    H5Sclose(space), H5Dclose(set), H5Fclose(file);
    return out;
  }
  Output eval(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"eval", file("cart.urdf", cart_urdf)});
    return torsor(arguments);
  }
};

constexpr size_t n = 20'011;  // several parts, and a last block that is not full

TEST_F(EvalBatch, EqualsTheClosedForm) {
  std::vector<double> q, v, vdot, tau;
  for (size_t k = 0; k < n; ++k) {
    const double t = 0.01 * double(k);
    q.insert(q.end(), {std::cos(t), t});
    v.insert(v.end(), {std::sin(3 * t), std::cos(2 * t)});
    vdot.insert(vdot.end(), {std::sin(t), 2 * std::cos(5 * t)});
    tau.insert(tau.end(), {std::cos(t), std::sin(7 * t)});
  }
  write("states.h5", "q", q, 2);
  write("states.h5", "v", v, 2);
  write("states.h5", "vdot", vdot, 2);
  write("states.h5", "tau", tau, 2);
  for (const char* solver : {"newton_euler", "articulated_body", "lie_group"}) {
    const Output output =
        eval({"--solver", solver, "--states", "states.h5", "--out", "results.h5", "--jobs", "2",
              "--quantity", "inverse_dynamics,forward_dynamics,mass_matrix"});
    ASSERT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr("inverse_dynamics: 20011 states"));
    const auto inverse = read("results.h5", "inverse_dynamics"),
               forward = read("results.h5", "forward_dynamics"),
               M = read("results.h5", "mass_matrix");
    ASSERT_EQ(inverse.size(), 2 * n);
    ASSERT_EQ(M.size(), 4 * n);
    double worst = 0;
    for (size_t k = 0; k < n; ++k) {
      const double c = std::cos(q[2 * k + 1]), s = std::sin(q[2 * k + 1]), v2 = v[2 * k + 1],
                   b1 = -s * v2 * v2, b2 = 9.81 * s, det = 3 - c * c, a1 = vdot[2 * k],
                   a2 = vdot[2 * k + 1], f1 = tau[2 * k] - b1, f2 = tau[2 * k + 1] - b2;
      const double errors[] = {inverse[2 * k] - (3 * a1 + c * a2 + b1),
                               inverse[2 * k + 1] - (c * a1 + a2 + b2),
                               forward[2 * k] - (f1 - c * f2) / det,
                               forward[2 * k + 1] - (3 * f2 - c * f1) / det,
                               M[4 * k] - 3,
                               M[4 * k + 1] - c,
                               M[4 * k + 2] - c,
                               M[4 * k + 3] - 1};
      for (const double error : errors) worst = std::max(worst, std::abs(error));
    }
    EXPECT_LT(worst, 1e-12) << solver;
  }
}

TEST_F(EvalBatch, HasTheSameBytesForAnyNumberOfThreads) {
  std::vector<double> q;
  for (size_t k = 0; k < 2 * n; ++k) q.push_back(std::sin(double(k)));
  write("states.h5", "q", q, 2);
  for (const char* jobs : {"1", "3"})
    ASSERT_EQ(eval({"--states", "states.h5", "--out", std::string(jobs) + ".h5", "--jobs", jobs,
                    "--quantity", "mass_matrix,inverse_dynamics_partials"})
                  .exit_code,
              0);
  for (const char* dataset : {"mass_matrix", "dtau_dq", "dtau_dv"})
    EXPECT_EQ(read("1.h5", dataset), read("3.h5", dataset));
}

TEST_F(EvalBatch, RejectsBadInput) {
  write("good.h5", "q", {1, 2, 3, 4}, 2);
  write("narrow.h5", "q", {1, 2, 3}, 1);
  write("short.h5", "q", {1, 2, 3, 4}, 2);
  write("short.h5", "v", {1, 2}, 2);
  write("infinite.h5", "q", {1, 2, 3, std::numeric_limits<double>::infinity()}, 2);
  write("empty.h5", "v", {1, 2}, 2);
  write("typo.h5", "q", {1, 2}, 2);
  write("typo.h5", "V", {1, 2}, 2);
  file("cut.h5", std::string("\x89HDF\r\n\x1a\n", 8) + "nothing");
  file("states.json", R"({"states": [{"q": [0, 1]}]})");
  const auto says = [&](std::vector<std::string> arguments, const char* message) {
    const Output output = eval(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r.h5"));
  };
  const auto from = [&](const char* states, const char* message) {
    says({"--states", states, "--out", "r.h5", "--quantity", "gravity"}, message);
  };
  from("narrow.h5", "narrow.h5: its dataset 'q' has 1 columns; the robot has 2 positions");
  from("short.h5", "short.h5: its dataset 'v' has 1 rows, and 'q' has 2");
  from("infinite.h5", "infinite.h5: q[1][1] is not a finite number");
  from("empty.h5", "empty.h5: there is no dataset 'q'");
  from("typo.h5", "typo.h5: there is an unknown dataset 'V'; did you mean 'v'?");
  from("cut.h5", "cut.h5': it is cut off, or a part of it is overwritten");
  from("states.json", "--out and --jobs are for an HDF5 file of states");
  from("missing.h5", "missing.h5");
  says({"--states", "good.h5", "--out", "good.h5", "--quantity", "gravity"},
       "--out good.h5: this is the file of the states");
  says({"--states", "good.h5", "--out", "r.h5", "--quantity", "gravity,gravity"},
       "'gravity' is listed twice");
  says({"--states", "good.h5", "--out", "r.h5", "--quantity", "gravity", "--independent", "rail"},
       "are for a JSON file of states");
  says({"--states", "good.h5", "--quantity", "gravity"}, "give an HDF5 file for the results");
  says({"--states", "good.h5", "--out", "r.h5"}, "--quantity: choose quantities: inverse_dynamics");
  says({"--states", "good.h5", "--out", "r.h5", "--quantity", "gravty"},
       "'gravty' is not a quantity of many states; did you mean 'gravity'?");
  says({"--states", "good.h5", "--out", "r.h5", "--quantity", "inverse_dynamics_partials",
        "--solver", "articulated_body"},
       "offers no partial derivatives");
}

TEST_F(EvalBatch, AFileWithoutStatesHasEmptyResults) {
  write("none.h5", "q", {}, 2);
  const Output output = eval({"--states", "none.h5", "--out", "r.h5", "--quantity", "mass_matrix"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(read("r.h5", "mass_matrix").empty());
}

TEST_F(EvalBatch, CountsStatesThatCannotBeComputed) {
  std::vector<double> q(40, 0.5), v(40, 0.0);
  v[2 * 13 + 1] = 1e200;
  write("states.h5", "q", q, 2);
  write("states.h5", "v", v, 2);
  const Output output = eval({"--states", "states.h5", "--out", "r.h5", "--quantity", "bias"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, AllOf(HasSubstr("bias: 1 of 20 states cannot be computed and are NaN"),
                                HasSubstr("the first is states[13]")));
  const std::vector<double> bias = read("r.h5", "bias");
  EXPECT_TRUE(std::isnan(bias[26]));
  EXPECT_TRUE(std::isfinite(bias[24]) && std::isfinite(bias[28]));
}

}  // namespace
}  // namespace torsor::test
