#pragma once
// The settings of <compiler>, and orientations, which depend on them.

#include "torsor/formats/mjcf/defaults.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor::mjcf {

enum class InertiaFromGeom : unsigned char { never, always, if_missing };

struct Compiler {
  bool degrees = true;     // unit of angles
  bool autolimits = true;  // a range limits a joint even if `limited` is not given
  bool balance_inertia = false;
  bool strip_path = false;  // of the files of meshes
  bool global = false;      // poses are in the world instead of in the parent
  bool fit_box = false;     // fitaabb: geoms are fitted to bounding boxes of meshes
  bool exact_mesh_inertia = false;
  double bound_mass = 0, bound_inertia = 0;  // minimum of each body, kg and kg m^2
  double total_mass = 0;                     // kg; 0: as in the file
  double groups[2] = {0, 5};                 // groups of geoms that have inertia
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::if_missing;
  std::string euler_axes = "xyz";
  std::string mesh_folder = "";

  // Returns an angle of the file in rad.
  double angle(double value) const;
};

// The settings of each model. A later <compiler> of a model replaces values of an earlier one.
class Compilers {
 public:
  explicit Compilers(Files& files);
  // Returns the settings of the main file.
  const Compiler& main() const { return compilers_.front(); }
  // Returns the settings of the model that contains an element.
  const Compiler& of(const XMLElement& xml) const { return compilers_[files_.model_of(xml)]; }

 private:
  const Files& files_;
  std::vector<Compiler> compilers_;
};

// Returns the rotation by three angles of the file about the axes of eulerseq.
Mat3<double> euler_rotation(const Vec3<double>& angles, const Compiler& compiler);
// Returns the rotation of an element: its euler, zaxis, xyaxes or axisangle, or that of its class;
// otherwise its quat, or that of its class. In MuJoCo, an euler of the class therefore replaces a
// quat of the element. Returns the identity if there is none.
Mat3<double> read_rotation(const Values& values, const Compiler& compiler);
// Returns the pose of pos and the rotation.
Pose<double> read_pose(const Values& values, const Compiler& compiler);
// Returns the smallest rotation that takes z to a direction.
Mat3<double> smallest_rotation_z_to(const Vec3<double>& direction);

}  // namespace torsor::mjcf
