#include "torsor/formats/export/lua/lua_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "torsor/formats/export/numbers.hpp"

namespace torsor::exporting {

namespace {

LuaEntry round_shape(const char* key, double radius, double length) {
  return {key, "", {{"radius", lua_number(radius)}, {"length", lua_number(length)}}};
}

LuaEntry shape_entry(const Shape& shape, const Target& target) {
  if (const auto* box = std::get_if<Box>(&shape)) return {"box", lua_vector(box->size)};
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return {"sphere", "", {{"radius", lua_number(sphere->radius)}}};
  if (const auto* each = std::get_if<Cylinder>(&shape))
    return round_shape("cylinder", each->radius, each->length);
  if (const auto* each = std::get_if<Capsule>(&shape))
    return round_shape("capsule", each->radius, each->length);
  if (const auto* each = std::get_if<Cone>(&shape))
    return round_shape("cone", each->radius, each->length);
  if (const auto* each = std::get_if<Ellipsoid>(&shape))
    return {"ellipsoid", lua_vector(each->radii)};
  return {"mesh", lua_quoted(mesh_name(std::get<MeshFile>(shape), target.file.parent_path()))};
}

std::string rgb(const Color& c) {
  std::string out = number(c.r) + ", " + number(c.g) + ", " + number(c.b);
  if (c.a != 1) out += ", " + number(c.a);
  return "{" + out + "}";
}

// Returns the word for a colour: white, light, grey, dark or black if it has almost no hue.
const char* color_word(const Color& c) {
  const double high = std::max({c.r, c.g, c.b}), low = std::min({c.r, c.g, c.b});
  if (high - low < 0.12)
    return high > 0.9    ? "white"
           : high > 0.7  ? "light"
           : high > 0.35 ? "grey"
           : high > 0.12 ? "dark"
                         : "black";
  const double chroma = high - low;
  double hue = high == c.r   ? (c.g - c.b) / chroma
               : high == c.g ? 2 + (c.b - c.r) / chroma
                             : 4 + (c.r - c.g) / chroma;
  if (hue < 0) hue += 6;
  constexpr std::pair<double, const char*> words[] = {
      {0.3, "red"},  {0.75, "orange"}, {1.3, "yellow"}, {2.6, "green"},
      {3.4, "cyan"}, {4.6, "blue"},    {5.5, "purple"}, {6.1, "red"}};
  for (const auto& [limit, word] : words)
    if (hue < limit) return word;
  return "red";
}

std::string unused(std::set<std::string>& names, const std::string& word) {
  std::string out = word;
  for (int k = 2; !names.insert(out).second; ++k) out = fmt::format("{}_{}", word, k);
  return out;
}

// Returns whether a text has a name as a word of its own: between "= " or blanks, and a comma.
bool uses(const std::string& calls, const std::string& word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '"' || c == '.';
  };
  for (size_t at = calls.find(word); at != std::string::npos; at = calls.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_letter(calls[at - 1])) && (end >= calls.size() || !is_letter(calls[end])) &&
        calls.compare(end, 2, " =") != 0)
      return true;
  }
  return false;
}

}  // namespace

LuaEntry lua_collision_shape(const CollisionShape& shape) {
  const Vec3<double>& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::half_space:
      return {"half_space", "{0, 0, 1}"};
    case ShapeKind::sphere:
      return {"sphere", "", {{"radius", lua_number(s.x)}}};
    case ShapeKind::box:
      return {"box", lua_vector(2.0 * s)};
    case ShapeKind::capsule:
      return round_shape("capsule", s.x, 2 * s.z);
    case ShapeKind::cylinder:
      return round_shape("cylinder", s.x, 2 * s.z);
    case ShapeKind::cone:
      return round_shape("cone", s.x, 2 * s.z);
    case ShapeKind::ellipsoid:
      return {"ellipsoid", lua_vector(s)};
    case ShapeKind::convex: {
      LuaEntry out{"convex"};
      for (const Vec3<double>& v : shape.hull->vertices) out.table.push_back({"", lua_vector(v)});
      return out;
    }
    case ShapeKind::height_field:
      break;
  }
  const HeightField& field = *shape.field;
  LuaEntry heights{"heights"};
  for (int j = 0; j < field.n_y; ++j)
    heights.table.push_back(
        {"",
         lua_list(
             std::span(field.heights).subspan(size_t(field.n_x) * size_t(j), size_t(field.n_x)))});
  const double size[] = {field.spacing_x * (field.n_x - 1), field.spacing_y * (field.n_y - 1)};
  return {"height_field", "", {{"size", lua_list(size)}, std::move(heights)}};
}

LuaNames::LuaNames(const RobotDescription& robot, const Target& target) : target_(target) {
  name_colors(robot);
  name_visuals(robot);
  find_common(robot);
}

void LuaNames::name_colors(const RobotDescription& robot) {
  std::map<std::string, int> count;
  std::set<std::string> names;
  for (const LinkDescription& link : robot.links)
    for (const VisualDescription& visual : link.visuals)
      if (visual.color && ++count[rgb(*visual.color)] == 2) {
        const std::string text = rgb(*visual.color);
        const std::string name = "colors." + unused(names, color_word(*visual.color));
        colors_.emplace(text, name);
        color_list_.emplace_back(name, text);
      }
}

void LuaNames::name_visuals(const RobotDescription& robot) {
  std::map<std::string, int> count;
  std::map<std::string, int> of_kind;
  for (const LinkDescription& link : robot.links)
    for (const VisualDescription& visual : link.visuals) {
      const LuaEntry entry = full_visual(visual);
      const std::string text = lua_text(entry, 2, 2);
      if (++count[text] != 2) continue;
      const std::string& kind = entry.table.front().key;
      const std::string name = fmt::format("shapes.{}_{}", kind, ++of_kind[kind]);
      visuals_.emplace(text, name);
      visual_list_.emplace_back(name, text);
    }
}

// Looks for options that all joints with one dof have, with the same text.
void LuaNames::find_common(const RobotDescription& robot) {
  size_t n = 0;
  for (const LinkDescription& link : robot.links) {
    if (torsor::traits(link.joint.kind).n_v == 0) continue;
    std::vector<LuaEntry> own =
        lua_joint_options(link.joint, has_motors_by_default(link.joint.kind, link.parent.empty()));
    if (++n == 1) {
      common_ = std::move(own);
      continue;
    }
    std::erase_if(common_, [&](const LuaEntry& entry) {
      return std::ranges::none_of(
          own, [&](const LuaEntry& each) { return lua_text(each, 0, 0) == lua_text(entry, 0, 0); });
    });
  }
  if (n < 4) common_.clear();
}

std::string LuaNames::color(const Color& color) const {
  const std::string text = rgb(color);
  const auto found = colors_.find(text);
  return found == colors_.end() ? text : found->second;
}

LuaEntry LuaNames::full_visual(const VisualDescription& visual) const {
  std::vector<LuaEntry> out{shape_entry(visual.shape, target_)};
  if (const auto* mesh = std::get_if<MeshFile>(&visual.shape)) {
    const Vec3<double>& s = mesh->scale;
    if (s.x == s.y && s.y == s.z && s.x != 1)
      out.push_back({"scale", lua_number(s.x)});
    else if (s.x != 1 || s.y != 1 || s.z != 1)
      out.push_back({"scale", lua_vector(s)});
  }
  if (LuaEntry origin = lua_pose("origin", visual.X_LV); !origin.table.empty())
    out.push_back(std::move(origin));
  if (visual.color) out.push_back({"color", color(*visual.color)});
  return {"", "", std::move(out)};
}

LuaEntry LuaNames::visual(const VisualDescription& visual) const {
  LuaEntry entry = full_visual(visual);
  const auto found = visuals_.find(lua_text(entry, 2, 2));
  if (found == visuals_.end()) return entry;
  return {"", found->second};
}

LuaEntry LuaNames::joint(std::vector<LuaEntry> entries) const {
  if (common_.empty() || entries.front().text == "\"fixed\"")
    return {"joint", "", std::move(entries)};
  std::erase_if(entries, [&](const LuaEntry& each) {
    return std::ranges::any_of(common_, [&](const LuaEntry& entry) {
      return !each.key.empty() && lua_text(each, 0, 0) == lua_text(entry, 0, 0);
    });
  });
  return {"joint", "joint", std::move(entries)};
}

std::string LuaNames::definitions(const std::string& calls) const {
  std::string out;
  for (const auto& [name, axis] :
       {std::pair{"x", "{1, 0, 0}"}, {"y", "{0, 1, 0}"}, {"z", "{0, 0, 1}"}})
    if (uses(calls, name)) out += fmt::format("local {} = {}\n", name, axis);
  if (!out.empty()) out = "\n" + out;
  const auto list = [&](const char* comment, const char* table, const auto& entries) {
    if (entries.empty()) return;
    out += fmt::format("\n-- {}\nlocal {} = {{\n", comment, table);
    for (const auto& [name, text] : entries)
      out += fmt::format("  {} = {},\n", name.substr(name.find('.') + 1), text);
    out += "}\n";
  };
  list("Colors, {red, green, blue} from 0 to 1.", "colors", color_list_);
  list("Shapes that occur several times.", "shapes", visual_list_);
  if (common_.empty()) return out;
  out += "\n-- Returns the table of a moving joint, with what all of them have in common.\n";
  out += "local function joint(own)\n";
  for (const LuaEntry& entry : common_) {
    LuaEntry set = entry;
    set.key = "own." + entry.key;
    out += "  " + lua_text(set, 2, 2) + "\n";
  }
  return out + "  return own\nend\n";
}

}  // namespace torsor::exporting
