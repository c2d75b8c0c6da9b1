#include "torsor/scripting/sandbox/access.hpp"

#include "torsor/base/text.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace fs = std::filesystem;

namespace {

fs::path folder_of_script(lua_State* L) {
  return fs::path(Sandbox::of(L).main_file).parent_path();
}

bool is_inside(lua_State* L, const fs::path& file) {
  return is_below(file, "." / folder_of_script(L)) ||
         is_below(file, Sandbox::of(L).options().scripts);
}

// Ends the load with PermissionNeeded. `what` is a clause about the file for the message, such as
// "is machine code ...".
[[noreturn]] void deny(lua_State* L, const AccessRequest& request, const fs::path& file,
                       const char* call, const std::string& what) {
  Sandbox& box = Sandbox::of(L);
  const std::string remedy =
      box.options().permission
          ? "if you trust it, give --allow-plugins, or answer the question in a terminal or in the "
            "window, or allow it permanently: torsor trust PATH"
          : "permission cannot be given here: name plugins with "
            "--plugins, and copy other files into the folder";
  box.deny(L, request, fmt::format("{}: '{}' {}; {}", call, one_line(file.string()), what, remedy));
}

}  // namespace

fs::path named_file(lua_State* L, const std::string& name) {
  return folder_of_script(L) / name;
}

bool is_readable_without_permission(lua_State* L, const fs::path& file) {
  return is_inside(L, resolved(file));
}

void require_readable_by_script(lua_State* L, const fs::path& file, const char* call) {
  if (is_readable_without_permission(L, file)) return;
  Sandbox& box = Sandbox::of(L);
  const AccessRequest request = access_request(AccessRequest::Kind::file, file, box.where(L));
  if (!box.permitted(request))
    deny(L, request, file, call, "is outside the folder of this file and outside scripts/");
}

std::string require_loadable_by_script(lua_State* L, const fs::path& file, const char* call) {
  Sandbox& box = Sandbox::of(L);
  const AccessRequest request = access_request(AccessRequest::Kind::plugin, file, box.where(L));
  const bool unreadable = request.sha256.empty();
  if (!(unreadable && is_inside(L, request.file)) && !box.permitted(request))
    deny(L, request, file, call, "is machine code, which can do anything that you can do");
  if (!unreadable) return request.sha256;
  require_readable(file);
  throw Error("cannot be read");
}

}  // namespace torsor::lua
