#include <algorithm>

#include "torsor/base/input_file.hpp"
#include "torsor/scripting/cache/script_cache.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace fs = std::filesystem;

namespace {

constexpr const char* module_table = "torsor.modules";
constexpr size_t longest_name = 200;
constexpr size_t most_names = 1000;  // maximum number of module names searched for "did you mean"
constexpr long long listing_steps = 100'000;  // steps charged for listing the module names

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Converts a module name to a relative path: robots.iiwa becomes robots/iiwa.lua. Throws Error for
// any other form of name, so a module name cannot refer to a file outside the folder.
fs::path relative_file(const std::string& name) {
  fs::path file;
  std::string part;
  const auto reject = [&] {
    throw Error(fmt::format(
        "'{}' is not a module name; require takes names joined by dots, such as 'robots.iiwa'",
        name.substr(0, longest_name)));
  };
  if (name.size() > longest_name) reject();
  for (const char c : name + ".") {
    if (c == '.') {
      if (part.empty()) reject();
      file /= part;
      part.clear();
    } else if (is_name_character(c)) {
      part += c;
    } else {
      reject();
    }
  }
  return file.string() + ".lua";
}

// Appends the names of all modules below a folder. Does not follow symbolic links, so the list does
// not reveal whether their targets exist.
void list_modules(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end;
       !failed && at != end && names.size() < most_names; at.increment(failed)) {
    std::error_code unknown;
    const fs::file_type type = at->symlink_status(unknown).type();
    if (!is_script(at->path()) ||
        (type != fs::file_type::regular && type != fs::file_type::symlink))
      continue;
    std::string name = at->path().lexically_relative(folder).replace_extension().generic_string();
    std::replace(name.begin(), name.end(), '/', '.');
    names.push_back(name);
  }
}

fs::path find_module(lua_State* L, const std::string& name) {
  Sandbox& box = Sandbox::of(L);
  ScriptCache* cache = box.options().cache.get();
  if (fs::path known = cache ? cache->module(name) : fs::path(); !known.empty()) return known;
  const fs::path file = relative_file(name), beside = fs::path(box.main_file).parent_path();
  std::error_code failed;
  bool asks = false;
  for (const fs::path& folder : {beside, box.options().scripts}) {
    // The file may be a symbolic link to a file in another folder.
    if (!is_readable_without_permission(L, folder / file)) {
      asks = true;
      require_readable_by_script(L, folder / file, "require");
    }
    if (!fs::is_regular_file(folder / file, failed)) continue;
    if (cache && !asks) cache->add_module(name, folder / file);
    return folder / file;
  }
  for (const fs::path& folder : {beside, box.options().scripts})
    if (fs::exists(folder / file, failed))
      throw Error(
          fmt::format("module '{}' cannot be loaded: {}: {}; replace it by a file of Lua code",
                      name, (folder / file).string(), why_no_file(folder / file)));
  box.charge(L, listing_steps);
  std::vector<std::string> names{"torsor"};
  for (const fs::path& folder : {beside, box.options().scripts})
    list_modules(folder.empty() ? "." : folder, names);
  throw Error(fmt::format("module '{}' not found, neither as {} nor as {}{}", name,
                          (beside / file).string(), (box.options().scripts / file).string(),
                          did_you_mean(name, names)));
}

std::string chain(const std::vector<std::string>& loading, const std::string& name) {
  std::string out;
  for (auto at = std::find(loading.begin(), loading.end(), name); at != loading.end(); ++at)
    out += *at + " -> ";
  return out + name;
}

// Returns true if the character does not occur in text files.
bool is_binary(char c) {
  return (c >= 0 && c < '\t') || (c > '\r' && c < ' ' && c != '\x1b');
}

// Reads a script file. Charges the memory of the text until it is compiled.
std::string read_script(const std::filesystem::path& file) {
  InputFile input(file, InputKind::script, "give the path of a Lua file");
  reserve_memory(fmt::format("the text of {}", file.string()), double(input.size()));
  return input.read_all();
}

}  // namespace

// Pushes the function of a file that the cache has compiled. Returns false if it has not. The
// charges are those of compile().
bool Sandbox::load_cached(lua_State* L, const std::filesystem::path& file) {
  const auto chunk = options_.cache ? options_.cache->chunk(file) : nullptr;
  if (!chunk) return false;
  charge(L, (long long)chunk->text_size);
  const std::string& code = chunk->bytecode;
  check(L, luaL_loadbufferx(L, code.data(), code.size(), ("@" + file.string()).c_str(), "b"));
  chunks_.push_back({file.string(), chunk->shown});
  return true;
}

// Adds the function on top of the stack to the cache.
void Sandbox::cache_chunk(lua_State* L, const std::filesystem::path& file, size_t text_size) const {
  if (!options_.cache) return;
  const auto append = [](lua_State*, const void* data, size_t size, void* out) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
    return 0;
  };
  std::string bytecode;
  if (lua_dump(L, append, &bytecode, 0) == 0)
    options_.cache->add_chunk(file, {std::move(bytecode), text_size, chunks_.back().shown});
}

void Sandbox::load_file(lua_State* L, const std::filesystem::path& file) {
  note_file(L, file);
  if (load_cached(L, file)) return;
  const std::string name = file.string();
  const TemporaryMemory memory;
  const std::string code = read_script(file);
  charge(L, (long long)code.size());
  // Skip the UTF-8 byte order mark that some editors write at the beginning of a file.
  const size_t mark = code.starts_with("\xef\xbb\xbf") ? 3 : 0;
  if (code.starts_with(LUA_SIGNATURE))
    throw Error(fmt::format("{}: the file is compiled Lua; load its source instead", name));
  if (std::ranges::any_of(code, is_binary))
    throw Error(fmt::format("{}: this is not a text file; give a Lua file", name));
  const int status = compile(L, std::string_view(code).substr(mark), "@" + name);
  check(L, status);
  lua_Debug info;
  if (status == LUA_OK) {
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &info);
    chunks_.push_back({name, info.short_src});
    cache_chunk(L, file, code.size());
    return;
  }
  // The message contains the file name as Lua has shortened it. Compile an empty chunk to get this
  // shortened name.
  const std::string message(text(L, -1));
  check(L, compile(L, "", "@" + name));
  lua_getinfo(L, ">S", &info);
  chunks_.push_back({name, info.short_src});
  throw Error(message);
}

void provide_module(lua_State* L, const char* name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, module_table);
  lua_insert(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

bool is_loaded_module(lua_State* L, const std::string& name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, module_table);
  push(L, name);
  const bool loaded = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return loaded;
}

int require(lua_State* L) {
  Sandbox& box = Sandbox::of(L);
  box.require_loading("require");
  if (lua_type(L, 1) != LUA_TSTRING)
    throw Error(fmt::format("require takes the name of a module, not a {}", luaL_typename(L, 1)));
  const std::string name(text(L, 1));
  luaL_getsubtable(L, LUA_REGISTRYINDEX, module_table);
  push(L, name);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (std::find(box.loading.begin(), box.loading.end(), name) != box.loading.end())
    throw Error(
        fmt::format("modules require each other in a cycle: {}; remove one of these require calls",
                    chain(box.loading, name)));
  box.load_file(L, find_module(L, name));
  set_environment(L);
  struct Loading {
    std::vector<std::string>& names;
    ~Loading() { names.pop_back(); }
  };
  box.loading.push_back(name);
  {
    const Loading loading{box.loading};
    lua_call(L, 0, 1);
  }
  if (lua_isnil(L, -1))
    throw Error(fmt::format("module '{}' returns nothing; end it with 'return' and a table", name));
  lua_pushvalue(L, -1);
  provide_module(L, name.c_str());
  return 1;
}

}  // namespace torsor::lua
