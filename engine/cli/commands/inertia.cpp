// torsor inertia MESH: prints the inertia of the solid inside a mesh.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>

#include "torsor/base/error.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/shapes/shape_inertia.hpp"

namespace torsor::cli {

namespace {

struct InertiaOptions {
  std::string file;
  std::optional<double> density, mass;
  double scale = 1;
};

void require_positive(const char* option, double value) {
  if (!(value > 0) || std::isinf(value))
    throw Error(fmt::format("{} {}: it must be a positive number", option, value));
}

// Throws Error if the mass or a moment is too large or too small for a number.
void require_representable(const InertiaOptions& options, const SpatialInertia<double>& M) {
  for (const double x : {M.m, M.I.xx, M.I.yy, M.I.zz})
    if (!std::isnormal(x))
      throw Error(fmt::format("{}: the inertia has the number {}; give another {}", options.file, x,
                              options.density ? "--density" : "--mass"));
}

// Returns x, or 0 if x is a rounding error of numbers of this size.
double cleaned(double x, double size) {
  return std::abs(x) < 1e-12 * size ? 0 : x;
}

void run(const InertiaOptions& options) {
  if (options.density.has_value() == options.mass.has_value())
    throw Error("give either --density or --mass");
  if (options.density) require_positive("--density", *options.density);
  if (options.mass) require_positive("--mass", *options.mass);
  require_positive("--scale", options.scale);
  Triangles mesh;
  SpatialInertia<double> unit{};  // with the density 1
  try {
    mesh = triangles_of(read_mesh(options.file), {options.scale, options.scale, options.scale});
    unit = inertia_of(mesh, 1);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", options.file, error.what()));
  }
  const double volume = unit.m;
  const SpatialInertia<double> M =
      (options.density ? *options.density : *options.mass / volume) * unit;
  require_representable(options, M);
  Vec3<double> c = (1 / M.m) * M.h;
  Sym3<double> I = inertia_about_com(-M.m, c, M.I).I;
  const auto [a, b, largest] = principal_inertia(M).moments;
  for (double* x : {&c.x, &c.y, &c.z}) *x = cleaned(*x, std::sqrt(largest / M.m));
  for (double* x : {&I.xy, &I.xz, &I.yz}) *x = cleaned(*x, largest);
  fmt::print("triangles  {}, closed\n", mesh.corners.size());
  fmt::print("volume     {:.6g} m^3\n", volume);
  fmt::print("moments    {:.6g}, {:.6g}, {:.6g} kg m^2 about the principal axes\n", a, b, largest);
  fmt::print(
      "Lua        inertia = {{ mass = {:.8g}, com = {{{:.8g}, {:.8g}, {:.8g}}},\n"
      "             about_com = {{ Ixx = {:.8g}, Iyy = {:.8g}, Izz = {:.8g}, Ixy = {:.8g}, "
      "Ixz = {:.8g}, Iyz = {:.8g} }} }}\n",
      M.m, c.x, c.y, c.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz);
  fmt::print(
      "URDF       <inertial><origin xyz=\"{:.8g} {:.8g} {:.8g}\"/><mass value=\"{:.8g}\"/>\n"
      "             <inertia ixx=\"{:.8g}\" ixy=\"{:.8g}\" ixz=\"{:.8g}\" iyy=\"{:.8g}\" "
      "iyz=\"{:.8g}\" izz=\"{:.8g}\"/></inertial>\n",
      c.x, c.y, c.z, M.m, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz);
}

}  // namespace

void add_inertia_command(CLI::App& app) {
  const auto options = std::make_shared<InertiaOptions>();
  CLI::App* command =
      app.add_subcommand("inertia", "Compute the inertia of the solid inside a mesh");
  command->add_option("MESH", options->file, "closed mesh: a .stl, .obj or .dae file")->required();
  command->add_option("--density", options->density, "density of the solid, kg/m^3")
      ->type_name("X");
  command->add_option("--mass", options->mass, "mass of the solid, kg")->type_name("X");
  command
      ->add_option("--scale", options->scale,
                   "length of the unit of the file, m; 0.001 for millimetres")
      ->type_name("X");
  command->footer(
      "Prints the inertia about the centre of mass, in the axes of the file, as text for a Lua and "
      "for a URDF file. The result is exact for the triangles, whose vertices have single "
      "precision, up to rounding of the inertia about the origin of the file. In Lua, inertia = { "
      "density = X } does the same for the visuals of a link.\n"
      "Example: torsor inertia scenes/t_handle.stl --density 7800 --scale 0.001");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
