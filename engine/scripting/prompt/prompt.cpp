#include "torsor/scripting/prompt/prompt.hpp"

#include <algorithm>

#include "torsor/base/prefix.hpp"
#include "torsor/scripting/prompt/bind_live.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/value_text.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"

namespace torsor {

namespace {

using lua::Sandbox;

constexpr const char* chunk_name = "console";
// Lua registry key of the table of predefined names.
constexpr const char* base_key = "torsor.prompt.base";
// Lua registry key of the table of user-defined names.
constexpr const char* environment_key = "torsor.prompt.environment";

std::vector<std::string> text_keys(lua_State* L, int table) {
  std::vector<std::string> out;
  for (const lua::Key& key : lua::sorted_keys(L, table))
    if (const auto* name = std::get_if<std::string_view>(&key)) out.emplace_back(*name);
  return out;
}

std::vector<std::string> all_names(lua_State* L) {
  std::vector<std::string> out = lua::live_names(L);
  for (const char* table : {base_key, environment_key}) {
    lua_getfield(L, LUA_REGISTRYINDEX, table);
    const auto names = text_keys(L, lua_gettop(L));
    out.insert(out.end(), names.begin(), names.end());
    lua_pop(L, 1);
  }
  return out;
}

// Looks up a name that the user has not defined. Searches the globals of the prompt first, then the
// objects of the run. Throws Error if the name is unknown.
int find_name(lua_State* L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  lua_getfield(L, LUA_REGISTRYINDEX, base_key);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL || lua::push_live(L, lua::text(L, 2))) return 1;
  const std::string name(lua::text(L, 2));
  throw Error(fmt::format("'{}' is not defined{}", name, did_you_mean(name, all_names(L))));
}

void open_prompt(lua_State* L) {
  lua::push_globals(L);
  lua::add_live_functions(L);
  lua_setfield(L, LUA_REGISTRYINDEX, base_key);
  lua_newtable(L);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, lua::guarded<find_name>);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, environment_key);
}

// Compiles a chunk as an expression that returns its values. If that fails, compiles the chunk as
// statements. Throws Error if both fail.
void load_chunk(lua_State* L, const std::string& chunk) {
  Sandbox& box = Sandbox::of(L);
  if (!box.load_text(L, "return " + chunk, chunk_name)) {
    lua_pop(L, 1);
    if (!box.load_text(L, chunk, chunk_name)) throw Error(std::string(lua::text(L, -1)));
  }
  lua_getfield(L, LUA_REGISTRYINDEX, environment_key);
  lua_setupvalue(L, -2, 1);
}

// A chain of names joined by dots or colons at the end of a string. `before` contains the complete
// names. `last` is the beginning of the last name, as far as the user has typed it.
struct Chain {
  std::vector<std::string> before;
  std::string last;
};
Chain chain_at_end(const std::string& text) {
  const auto part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  size_t begin = text.size();
  while (begin > 0 &&
         (part_of_name(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == ':'))
    --begin;
  Chain out;
  for (const char c : text.substr(begin))
    if (part_of_name(c))
      out.last += c;
    else
      out.before.push_back(std::exchange(out.last, ""));
  return out;
}

// Returns true if reading a field of the value calls no Lua functions. Used by completion, which
// must not run user code.
bool reads_by_host(lua_State* L, int index) {
  const int type = luaL_getmetafield(L, index, "__index");
  if (type == LUA_TNIL) return true;
  const bool own = lua_iscfunction(L, -1);
  lua_pop(L, 1);
  return own;
}

void push_field(lua_State* L, int index, const std::string& name) {
  index = lua_absindex(L, index);
  if (lua_istable(L, index) && !reads_by_host(L, index)) {
    lua_pushlstring(L, name.data(), name.size());
    lua_rawget(L, index);
  } else {
    lua_getfield(L, index, name.c_str());
  }
}

std::vector<std::string> listed_fields(lua_State* L, int index) {
  std::vector<std::string> out = lua::live_fields(L, index);
  if (!out.empty()) return out;
  index = lua_absindex(L, index);
  if (lua_type(L, index) == LUA_TUSERDATA && luaL_getmetafield(L, index, "__index") == LUA_TTABLE)
    index = lua_gettop(L);
  if (!lua_istable(L, index)) return {};
  if (luaL_getmetafield(L, index, "__pairs") == LUA_TNIL) return text_keys(L, index);
  if (!lua_iscfunction(L, -1)) return {};
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  for (const int iterator = lua_gettop(L);; lua_settop(L, iterator)) {
    lua_pushvalue(L, iterator);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) return out;
    if (lua_type(L, -1) == LUA_TSTRING) out.emplace_back(lua::text(L, -1));
  }
}

}  // namespace

struct Prompt::Impl {
  Impl(const ScriptOptions& options, LiveRun& run, const std::atomic<bool>& stop)
      : live(run), script(options, stop) {}

  lua::LiveContext live;
  lua::LoadedScript script;
};

Prompt::Prompt(ScriptOptions options, const std::filesystem::path& file, LiveRun& run,
               const std::atomic<bool>& stop) {
  if (options.scripts.empty()) options.scripts = default_script_folder();
  options.print = [&run](std::string_view line) { run.print(line); };
  impl_ = std::make_unique<Impl>(options, run, stop);
  impl_->script.box.main_file = file.string();
  impl_->script.box.run([&](lua_State* L) {
    lua::open_environment(L);
    lua::open_torsor(L);
    lua::open_live(L, impl_->live);
    open_prompt(L);
  });
}

Prompt::~Prompt() = default;

void Prompt::run(const std::string& chunk) {
  Sandbox& box = impl_->script.box;
  box.reset_trip();
  box.run([&](lua_State* L) {
    load_chunk(L, chunk);
    lua_call(L, 0, LUA_MULTRET);
    const int n = lua_gettop(L);
    if (n == 0) return;
    std::string text;
    for (int k = 1; k <= n; ++k) text += (k > 1 ? "\t" : "") + lua::text_of_value(L, k);
    impl_->live.run.print(text);
    lua_getfield(L, LUA_REGISTRYINDEX, environment_key);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "_");
  });
}

std::vector<std::string> Prompt::completions(const std::string& text) {
  const Chain chain = chain_at_end(text);
  std::vector<std::string> out;
  try {
    impl_->script.box.reset_trip();
    impl_->script.box.run([&](lua_State* L) {
      lua_getfield(L, LUA_REGISTRYINDEX, environment_key);
      for (const std::string& name : chain.before) push_field(L, -1, name);
      out = chain.before.empty() ? all_names(L) : listed_fields(L, -1);
    });
  } catch (const Error&) {  // one of the names before the last does not exist
    return {};
  }
  std::erase_if(out, [&](const std::string& name) { return !name.starts_with(chain.last); });
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool is_incomplete(const std::string& chunk) {
  const std::unique_ptr<lua_State, void (*)(lua_State*)> L(luaL_newstate(), lua_close);
  bool compiles = chunk.find_first_not_of(" \t\r\n") == std::string::npos, breaks_off = false;
  for (const std::string& text : {"return " + chunk, chunk}) {
    const int status = luaL_loadbufferx(L.get(), text.data(), text.size(), "=", "t");
    compiles |= status == LUA_OK;
    breaks_off |= status == LUA_ERRSYNTAX && lua::text(L.get(), -1).ends_with("near <eof>");
  }
  return breaks_off && !compiles;
}

}  // namespace torsor
