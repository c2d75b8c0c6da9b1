#include "torsor/formats/mjcf/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "torsor/spatial/so3.hpp"

namespace torsor::mjcf {

namespace {

void read_folders(const Values& values, Compiler& out) {
  out.mesh_folder = values.text("assetdir", out.mesh_folder);
  out.mesh_folder = values.text("meshdir", out.mesh_folder);
  out.strip_path = values.flag("strippath", out.strip_path);
}

void read_inertia_settings(const Values& values, Compiler& out) {
  constexpr std::string_view from_geom[] = {"false", "true", "auto"};
  out.balance_inertia = values.flag("balanceinertia", out.balance_inertia);
  out.exact_mesh_inertia = values.flag("exactmeshinertia", out.exact_mesh_inertia);
  out.bound_mass = values.not_negative("boundmass", out.bound_mass);
  out.bound_inertia = values.not_negative("boundinertia", out.bound_inertia);
  out.total_mass = std::max(0.0, values.number("settotalmass", out.total_mass));
  if (const auto range = values.numbers<2>("inertiagrouprange"))
    std::ranges::copy(*range, out.groups);
  out.inertia_from_geom =
      InertiaFromGeom(values.word("inertiafromgeom", from_geom, size_t(out.inertia_from_geom)));
}

void read_euler_axes(const Values& values, Compiler& out) {
  const xml::Element* element = values.with("eulerseq");
  if (!element) return;
  out.euler_axes = element->needed_text("eulerseq");
  const bool valid =
      out.euler_axes.size() == 3 && out.euler_axes.find_first_not_of("xyzXYZ") == std::string::npos;
  if (!valid)
    element->fail(fmt::format("eulerseq of <compiler> is '{}'; it must be three of the letters x, "
                              "y, z (axes that turn) and X, Y, Z (axes that are fixed)",
                              xml::readable(out.euler_axes)),
                  "eulerseq");
}

Vec3<double> unit(const Vec3<double>& a, const xml::Element& element, const char* attribute) {
  const double length = norm(a);
  if (!(length > 0) || !std::isfinite(length))
    element.fail(fmt::format("{} of <{}> has no direction", attribute, element.xml().Name()),
                 attribute);
  return (1 / length) * a;
}

Mat3<double> from_columns(const Vec3<double>& x, const Vec3<double>& y, const Vec3<double>& z) {
  return {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

Mat3<double> axes_rotation(const xml::Element& element) {
  const auto v = *element.numbers<6>("xyaxes");
  const Vec3<double> x = unit({v[0], v[1], v[2]}, element, "xyaxes");
  const Vec3<double> given{v[3], v[4], v[5]};
  const Vec3<double> y = unit(given - dot(x, given) * x, element, "xyaxes");
  return from_columns(x, y, cross(x, y));
}

// Returns the rotation of euler, zaxis, xyaxes or axisangle; nullopt if the element has none.
std::optional<Mat3<double>> alternative(const xml::Element& element, const Compiler& compiler) {
  if (element.has("euler")) return euler_rotation(*element.vector("euler"), compiler);
  if (element.has("zaxis"))
    return smallest_rotation_z_to(unit(*element.vector("zaxis"), element, "zaxis"));
  if (element.has("xyaxes")) return axes_rotation(element);
  if (!element.has("axisangle")) return std::nullopt;
  const auto v = *element.numbers<4>("axisangle");
  return exp_so3(compiler.angle(v[3]) * unit({v[0], v[1], v[2]}, element, "axisangle"));
}

Mat3<double> quat_rotation(const xml::Element& element) {
  const auto q = *element.numbers<4>("quat");
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (length < 1e-14) return Mat3<double>::identity();
  return rotation(q[0] / length, q[1] / length, q[2] / length, q[3] / length);
}

}  // namespace

// A lower case letter turns about an axis of the moving frame, a capital about one of the fixed
// frame: R = R_1 R_2 R_3, or R_3 R_2 R_1.
Mat3<double> euler_rotation(const Vec3<double>& angles, const Compiler& compiler) {
  const double given[] = {angles.x, angles.y, angles.z};
  auto R = Mat3<double>::identity();
  for (size_t k = 0; k < 3; ++k) {
    const char letter = compiler.euler_axes[k];
    const auto axis = std::tolower(static_cast<unsigned char>(letter));
    const double angle = compiler.angle(given[k]);
    const Mat3<double> step = (axis == 'x'   ? rotation_x(angle)
                               : axis == 'y' ? rotation_y(angle)
                                             : rotation_z(angle))
                                  .R;
    R = letter >= 'a' ? R * step : step * R;
  }
  return R;
}

double Compiler::angle(double value) const {
  return degrees ? value * (std::numbers::pi / 180) : value;
}

namespace {

// Notes or rejects settings that only the main file can have.
void check_attached(Files& files, const XMLElement& xml, const Compiler& compiler) {
  const xml::Element element = files.element(xml, "<compiler>");
  if (compiler.global)
    element.fail(
        "an attached model cannot have coordinate=\"global\"; convert it to local "
        "coordinates",
        "coordinate");
  if (element.has("settotalmass"))
    files.note(UnusedWord::Kind::ignored, xml, "settotalmass of an attached model");
}

Compiler read_compiler(Files& files, size_t model) {
  constexpr std::string_view units[] = {"radian", "degree"}, coordinates[] = {"local", "global"};
  Compiler out;
  for (const XMLElement* xml : files.children(files.root(model), "compiler")) {
    const Values values(files.element(*xml, "<compiler>"));
    out.degrees = values.word("angle", units, out.degrees) == 1;
    out.global = values.word("coordinate", coordinates, out.global) == 1;
    out.autolimits = values.flag("autolimits", out.autolimits);
    out.fit_box = values.flag("fitaabb", out.fit_box);
    if (values.flag("fusestatic", false))
      files.note(UnusedWord::Kind::ignored, *xml, "fusestatic of <compiler>");
    read_inertia_settings(values, out);
    read_euler_axes(values, out);
    read_folders(values, out);
    if (model > 0) check_attached(files, *xml, out);
  }
  return out;
}

}  // namespace

Compilers::Compilers(Files& files) : files_(files) {
  for (size_t model = 0; model < files.n_models(); ++model)
    compilers_.push_back(read_compiler(files, model));
}

// For z = -direction, the axis of the rotation by pi is x.
Mat3<double> smallest_rotation_z_to(const Vec3<double>& direction) {
  const Vec3<double> e = (1 / norm(direction)) * direction;
  const Vec3<double> axis{-e.y, e.x, 0};
  const double sine = std::hypot(e.x, e.y);
  if (sine < 1e-14) return e.z > 0 ? Mat3<double>::identity() : rotation_x(std::numbers::pi).R;
  return exp_so3((std::atan2(sine, e.z) / sine) * axis);
}

Mat3<double> read_rotation(const Values& values, const Compiler& compiler) {
  for (const xml::Element& element : values.sources())
    if (const auto R = alternative(element, compiler)) return *R;
  const xml::Element* element = values.with("quat");
  return element ? quat_rotation(*element) : Mat3<double>::identity();
}

Pose<double> read_pose(const Values& values, const Compiler& compiler) {
  return {read_rotation(values, compiler), values.vector("pos", {0, 0, 0})};
}

}  // namespace torsor::mjcf
