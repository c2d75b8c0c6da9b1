#include "torsor/scripting/sandbox/sandbox.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "torsor/base/text.hpp"
#include "torsor/scripting/cache/script_cache.hpp"

namespace torsor::lua {

namespace {

// Number of bytes of source text that are compiled between two checks of the budget.
constexpr size_t compiled_piece = 512;
// Maximum size in bytes of the C stack for nested calls that Lua does not count (closing
// coroutines). The 200 levels of nested C calls that Lua allows need less. Common platforms have a
// C stack of at least 8 MiB.
constexpr uintptr_t max_c_stack = uintptr_t(2) << 20;
// charge_work() reports a computation by name if it needs at least 1 / a_little of the step limit.
// A smaller computation exceeds the budget only because of earlier work, so charge() reports the
// error.
constexpr double a_little = 16;
constexpr const char* number_table = "torsor.numbers";

// The locale of this thread. Scripts run in the locale "C": Lua writes numbers by that of the
// program, which may have a decimal comma.
class ThreadLocale {
 public:
  explicit ThreadLocale(locale_t next) : before_(uselocale(next)) {}
  ~ThreadLocale() { uselocale(before_); }
  ThreadLocale(const ThreadLocale&) = delete;
  locale_t before() const { return before_; }

 private:
  locale_t before_;
};

locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", locale_t());
  return locale;
}

uintptr_t frame_address() {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
}

}  // namespace

std::string message_line(std::string_view text) {
  constexpr size_t longest = 2000;
  std::string out(text.substr(0, longest));
  for (size_t at = 0; (at = out.find('\0', at)) != out.npos;) out.replace(at, 1, "\\x00");
  return one_line(text.size() > longest ? out + "..." : out);
}

Sandbox::Sandbox(const ScriptOptions& options, const std::atomic<bool>& stop)
    : options_(options),
      arena_(options.cache ? options.cache->take_arena() : nullptr),
      stop_(&stop) {
  L_ = lua_newstate(allocate, this);
  if (!L_)
    throw Error(fmt::format(
        "the script needs more than the memory limit of {} bytes to start; raise the limit",
        options.limits.memory));
  *static_cast<Sandbox**>(lua_getextraspace(L_)) = this;
  running_.push_back(L_);
  // A script that is loaded many times uses little memory, so that collecting it is seldom useful.
  constexpr int long_pause = 400;
  if (options_.cache) lua_gc(L_, LUA_GCINC, long_pause, 0, 0);
  renew_budget();
  lua_sethook(L_, count, LUA_MASKCOUNT, count_period);
}

Sandbox::~Sandbox() {
  lua_close(L_);
  if (arena_) options_.cache->give_back(std::move(arena_));
}

void Sandbox::renew_budget() {
  steps_left_ = options_.limits.steps;
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(options_.limits.seconds));
}

void Sandbox::require_loading(const char* what) const {
  if (!stop_)
    throw Error(fmt::format(
        "{} works only while the script is loaded; functions called later must depend on their "
        "arguments only",
        what));
}

void Sandbox::print(std::string_view line) const {
  require_loading("print");
  const ThreadLocale of_host(host_locale_);
  if (options_.print)
    options_.print(line);
  else
    fmt::print(stderr, "{}\n", without_controls(line));
}

void Sandbox::make_room(lua_State* L, size_t bytes) {
  const size_t limit = options_.limits.memory;
  if (bytes <= limit && used_ <= limit - bytes) return;
  charge(L, (long long)(used_ / 256));
  lua_gc(L, LUA_GCCOLLECT, 0);
}

void Sandbox::count(lua_State* L, lua_Debug*) {
  of(L).check_time(L, lua_gethookcount(L));
}

void Sandbox::check_time(lua_State* L, long long steps) {
  charge(L, steps);
  if (std::chrono::steady_clock::now() <= deadline_) return;
  trip(L, fmt::format("the script ran for more than {} s; make it shorter or faster",
                      options_.limits.seconds));
  raise(L);
}

void Sandbox::copy_hook(lua_State* from, lua_State* to) {
  if (lua_gethookcount(to) != lua_gethookcount(from))
    lua_sethook(to, count, LUA_MASKCOUNT, lua_gethookcount(from));
}

bool Sandbox::is_stop_asked() const {
  return (stop_ && stop_->load(std::memory_order_relaxed)) ||
         (options_.stop && options_.stop->load(std::memory_order_relaxed));
}

void Sandbox::charge(lua_State* L, long long steps) {
  if (tripped_.empty()) {
    if (is_stop_asked()) {
      trip(L, "the script was stopped");
    } else if (steps > steps_left_) {
      trip(L, fmt::format(
                  "the script took more than {} million steps; look for a loop that never ends",
                  double(options_.limits.steps) / 1e6));
    } else {
      steps_left_ -= steps;
      return;
    }
  }
  raise(L);
}

void Sandbox::charge_memory(lua_State* L, size_t bytes) {
  make_room(L, bytes);
  if (bytes > options_.limits.memory || used_ > options_.limits.memory - bytes) {
    trip(L, memory_message());
    raise(L);
  }
  used_ += bytes;
  reserved_ += bytes;
}

void Sandbox::charge_work(lua_State* L, std::string_view what, double steps) {
  constexpr double million = 1e6;
  if (steps <= double(steps_left_) || steps < double(options_.limits.steps) / a_little)
    return charge(L, (long long)(steps));
  charge(L, 0);  // raises the error if the sandbox has tripped
  throw Error(
      fmt::format("{}: about {:.0f} million steps are needed, and {:.0f} of the script's {:.0f} "
                  "million are left; use a smaller robot, or request less",
                  what, std::ceil(steps / million), std::floor(double(steps_left_) / million),
                  double(options_.limits.steps) / million));
}

void Sandbox::reserve(std::string_view what, double bytes) {
  constexpr double MB = 1e6, for_message = 1 << 16;  // bytes that Lua needs for the error message
  const size_t limit = options_.limits.memory;
  if (bytes <= double(limit)) make_room(running_.back(), size_t(bytes + for_message));
  const double left = std::max(0.0, double(limit) - double(used_) - for_message);
  if (!(bytes <= left))
    throw Error(
        fmt::format("{}: {:.0f} MB of memory are needed, and {:.0f} of the script's {:.0f} MB are "
                    "left; use a smaller robot, or request less",
                    what, std::ceil(bytes / MB), std::floor(left / MB), double(limit) / MB));
  used_ += size_t(bytes);
  reserved_ += size_t(bytes);
}

void Sandbox::release(size_t bytes) {
  used_ -= bytes;
  reserved_ -= bytes;
}

void Sandbox::trip(lua_State* L, std::string what) {
  if (tripped_.empty()) tripped_ = where(L) + ": " + std::move(what);
}

void Sandbox::raise(lua_State* L) {
  lua_sethook(L, count, LUA_MASKCOUNT, 1);
  push(L, tripped_);
  lua_error(L);
  std::abort();  // lua_error throws
}

void Sandbox::check(lua_State* L, int status) {
  if (status == LUA_ERRMEM || rejected_bytes_ > 0) trip(L, memory_message());
  if (!tripped_.empty()) raise(L);
}

void Sandbox::reset_trip() {
  lua_sethook(L_, count, LUA_MASKCOUNT, checks_often_ ? short_count_period : count_period);
  if (tripped()) lua_gc(L_, LUA_GCCOLLECT, 0);
  tripped_.clear();
  denied_.reset();
  rejected_bytes_ = 0;
  renew_budget();
}

void Sandbox::check_depth(lua_State* L) const {
  const uintptr_t here = frame_address();
  if (std::max(here, stack_base_) - std::min(here, stack_base_) > max_c_stack)
    luaL_error(L, "stack overflow (calls nested too deeply)");
}

std::string Sandbox::where(lua_State* L, int level) const {
  lua_Debug info;
  auto thread = std::find(running_.rbegin(), running_.rend(), L);
  for (; thread != running_.rend(); ++thread, level = 0)
    for (; lua_getstack(*thread, level, &info); ++level) {
      lua_getinfo(*thread, "Sl", &info);
      if (info.currentline > 0) return fmt::format("{}:{}", info.source + 1, info.currentline);
    }
  return main_file;
}

bool Sandbox::has_place(std::string_view message) const {
  const auto starts = [&](const std::string& name) {
    return message.size() > name.size() + 1 && message.starts_with(name) &&
           message[name.size()] == ':' && message[name.size() + 1] >= '0' &&
           message[name.size() + 1] <= '9';
  };
  return message.starts_with(main_file + ":") ||
         std::any_of(chunks_.begin(), chunks_.end(),
                     [&](const Chunk& chunk) { return starts(chunk.name) || starts(chunk.shown); });
}

std::string Sandbox::located(lua_State* L, std::string_view message, int level) const {
  if (has_place(message)) return std::string(message);
  return where(L, level) + ": " + std::string(message);
}

// Returns an error message in the form shown to the user. If Lua has shortened the file name in the
// message, restores the name that the user gave.
std::string Sandbox::polish(std::string message) const {
  for (const Chunk& chunk : chunks_)
    if (message.starts_with(chunk.shown + ":")) {
      message.replace(0, chunk.shown.size(), chunk.name);
      break;
    }
  return message_line(message);
}

lua_Integer Sandbox::number_of(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, number_table) == 0) {
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, index);
    lua_pushinteger(L, ++numbered_);
    lua_rawset(L, -4);
    lua_pushinteger(L, numbered_);
    lua_replace(L, -2);
  }
  const lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return number;
}

std::string Sandbox::callers(lua_State* L, std::string_view message) const {
  constexpr size_t most = 5;
  constexpr int deepest = 100;  // do not scan the thousands of levels of an endless recursion
  std::vector<std::string> places;
  lua_Debug info;
  for (int level = 1; level < deepest && lua_getstack(L, level, &info); ++level) {
    lua_getinfo(L, "Sl", &info);
    if (info.currentline <= 0) continue;
    places.push_back(fmt::format("{}:{}", info.source + 1, info.currentline));
    // Discard the levels inside the place named in the message (see error(message, 2)): they are
    // not callers.
    if (message.starts_with(places.back() + ":")) places.assign(1, places.back());
    if (places.size() > most + 1) break;
  }
  std::string out;
  for (size_t i = 1; i < places.size(); ++i)
    out += (i == 1 ? "; called at " : ", ") + (i > most ? "..." : places[i]);
  return out;
}

int Sandbox::handle_message(lua_State* L) {
  const Sandbox& box = of(L);
  std::string message =
      fmt::format("{}: an error was raised with a {} as its value; pass a string to error()",
                  box.where(L, 1), luaL_typename(L, 1));
  if (lua_isstring(L, 1)) message = box.located(L, message_line(text(L, 1)), 1);
  push(L, message + box.callers(L, message));
  return 1;
}

int Sandbox::call(lua_State* L) {
  const auto& f = *static_cast<const std::function<void(lua_State*)>*>(lua_touserdata(L, 1));
  lua_settop(L, 0);
  f(L);
  return 0;
}

void Sandbox::run(const std::function<void(lua_State*)>& f) {
  lua_State* L = running_.back();
  const bool outermost = !is_running();
  const int top = outermost ? 0 : lua_gettop(L);
  if (outermost) stack_base_ = frame_address();
  const PaidBy pays(this);
  const ThreadLocale plain(c_locale());
  if (outermost) host_locale_ = plain.before();
  if (!lua_checkstack(L, 10))
    throw Error(main_file + ": the Lua stack is full; nest calls less deeply");
  lua_settop(L, top);
  lua_pushcfunction(L, handle_message);
  lua_pushcfunction(L, guarded<call>);
  lua_pushlightuserdata(L, const_cast<std::function<void(lua_State*)>*>(&f));
  ++depth_;
  const int status = lua_pcall(L, 1, 0, top + 1);
  --depth_;
  if (status == LUA_ERRMEM || (status != LUA_OK && rejected_bytes_ > 0)) trip(L, memory_message());
  const std::string message =
      status != LUA_OK && lua_isstring(L, -1) ? std::string(text(L, -1)) : "";
  lua_settop(L, top);
  if (denied_) throw PermissionNeeded(polish(tripped_), *denied_);
  if (!tripped_.empty()) throw Error(polish(tripped_));
  if (status == LUA_OK) return;
  throw Error(polish(message.empty() ? main_file + ": error without a message" : message));
}

void Sandbox::note_file(lua_State* L, const std::filesystem::path& file) {
  charge(L, (long long)files_.size());
  if (std::find(files_.begin(), files_.end(), file) != files_.end()) return;
  charge_memory(L, sizeof(file) + file.native().size());
  files_.push_back(file);
}

// Compiles source text in pieces and checks the budget before each piece. Lua calls no hooks during
// compilation. A long chain of elseif takes quadratic time.
int Sandbox::compile(lua_State* L, std::string_view text, const std::string& name) {
  const auto next_piece = [](lua_State* state, void* data, size_t* size) {
    auto& rest = *static_cast<std::string_view*>(data);
    of(state).check_time(state, 0);
    const char* piece = rest.data();
    *size = std::min(rest.size(), compiled_piece);
    rest.remove_prefix(*size);
    return piece;
  };
  return lua_load(L, next_piece, &text, name.c_str(), "t");
}

bool Sandbox::permitted(const AccessRequest& request) {
  if (!options_.permission) return false;
  const ThreadLocale of_host(host_locale_);
  return untimed([&] { return options_.permission(request); });
}

void Sandbox::deny(lua_State* L, const AccessRequest& request, std::string what) {
  if (tripped_.empty()) denied_ = request;
  trip(L, std::move(what));
  raise(L);
}

bool Sandbox::load_text(lua_State* L, const std::string& text, const char* name) {
  charge(L, (long long)text.size());
  if (std::ranges::find(chunks_, name, &Chunk::name) == chunks_.end())
    chunks_.push_back({name, name});
  const int status = compile(L, text, std::string("=") + name);
  check(L, status);
  return status == LUA_OK;
}

}  // namespace torsor::lua
