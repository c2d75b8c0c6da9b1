#pragma once
// A Lua state that cannot hurt its host: memory, steps and time are bounded, and a stop is obeyed.
//
// Once a limit is reached the sandbox has *tripped*, and stays so. Then every instruction raises an
// error (count hook of 1), and every function of ours that a script can catch an error with (pcall,
// xpcall, resume, wrap, close) raises it anew, so nothing but the host's own protected call ends
// the unwinding. The hook is inherited by coroutines. It does not run in C functions: each one that
// loops says so with charge() before it does. It does not run in __gc either, nor in a message
// handler of the error that it raises itself: scripts have no __gc, and xpcall keeps their handlers
// out of it.
//
// Lua is built as C++: its errors are exceptions, and destructors run. Exceptions must not pop
// Lua's stack on their way (the error's value is on it): the classes here leave what they push to
// the return of the C function.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/base/memory.hpp"
#include "torsor/scripting/sandbox/lua_stacks.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::lua {

struct SceneContext;

// Instructions between two looks at the budget, and where single instructions may take
// milliseconds.
constexpr int count_period = 100, short_count_period = 10;

class Sandbox : public MemoryAccount {
 public:
  // stop is looked at until end_loading().
  Sandbox(const ScriptOptions& options, const std::atomic<bool>& stop, const Random& random);
  ~Sandbox() override;
  Sandbox(const Sandbox&) = delete;

  static Sandbox& of(lua_State* L) { return **static_cast<Sandbox**>(lua_getextraspace(L)); }

  // Runs f on a stack of its own, its Lua errors made one Error of one line with a place. Within a
  // run, that is when a function of the script has called what asks the script again, it goes on in
  // the state that runs.
  void run(const std::function<void(lua_State*)>& f);
  bool is_running() const { return depth_ > 0; }
  lua_State* state() const { return L_; }  // for what raises no errors

  // From here on only functions that the script has left behind are called, without what was for
  // loading alone.
  void end_loading() { stop_ = nullptr; }
  // Throws Error where loading has ended.
  void require_loading(const char* what) const;
  // The steps and the time of one more call.
  void renew_budget();

  // Takes steps from the budget, where the hook does not; raises when it is spent or a stop is
  // asked.
  void charge(lua_State* L, long long steps);
  // Takes the steps of one long computation. Throws Error "WHAT: about ... steps are needed, .."
  // where fewer are left: the script may catch it, since nothing has been computed yet.
  void charge_work(lua_State* L, std::string_view what, double steps);
  // Does the same, and raises when the time is over.
  void look(lua_State* L, long long steps);
  // Sets the hook of a coroutine that is about to run to that of the one that ran before.
  static void copy_hook(lua_State* from, lua_State* to);
  // Takes memory that is not Lua's but the script's doing, for good or until it is given back.
  void charge_memory(lua_State* L, size_t bytes);
  // The account of what the engine allocates for the script while it runs (base/memory.hpp).
  void take(std::string_view what, double bytes) override;
  void give_back(size_t bytes) override;
  size_t taken() const override { return taken_; }
  size_t left() const override {
    return options_.limits.memory - std::min(used_, options_.limits.memory);
  }
  // Collects garbage where a block of this size would not fit else. Functions of Lua's own
  // libraries take their buffers past the collector, and give up at once.
  void make_room(lua_State* L, size_t bytes);
  // Raises what tripped, if anything did. Call it wherever an error has been caught.
  void check(lua_State* L, int status = LUA_OK);
  bool tripped() const { return !tripped_.empty(); }
  // Raises an error where C calls have gone too deep (those that Lua does not count itself).
  void check_depth(lua_State* L) const;

  // For a prompt, between two runs: what tripped is over, what the script has made stays.
  void begin_anew();

  // Compiles a text that messages call by this name, and pushes its function; or the message, and
  // returns false.
  bool load_text(lua_State* L, const std::string& text, const char* name);
  // Compiles a file and pushes its function. Throws Error.
  void load_file(lua_State* L, const std::filesystem::path& file);

  // Remembers a file that is about to be read, once.
  void note_file(lua_State* L, const std::filesystem::path& file);

  // Asks for permission; the time that a person needs for the answer does not count.
  bool permitted(const AccessRequest& request);
  // Trips: the script named a file that it may not use. Its load ends with PermissionNeeded.
  [[noreturn]] void deny(lua_State* L, const AccessRequest& request, std::string what);

  // "file:line" of the innermost Lua function at this level or above, or the main file's name.
  std::string where(lua_State* L, int level = 0) const;
  // The message with a place before it, unless it has one.
  std::string located(lua_State* L, std::string_view message, int level = 0) const;

  // A stable number for a table, function or userdata, in the order in which they were first asked
  // for.
  lua_Integer number_of(lua_State* L, int index);

  // While it lives, lua_State L runs instead of the one before.
  class Running {
   public:
    Running(Sandbox& box, lua_State* L) : box_(box) { box_.running_.push_back(L); }
    ~Running() { box_.running_.pop_back(); }
    Running(const Running&) = delete;

   private:
    Sandbox& box_;
  };

  const ScriptOptions& options() const { return options_; }
  Random& random() { return random_; }
  // What the script has had the sandbox read.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  void print(std::string_view line) const;

  std::string main_file;             // as the user gave it
  SceneContext* context = nullptr;   // of the bindings
  std::vector<std::string> loading;  // modules being loaded, outermost first

 private:
  static void* allocate(void* self, void* block, size_t old_size, size_t size);
  static void count(lua_State* L, lua_Debug*);
  void look_often();
  void follow_stack(void* block, size_t old_size, size_t size, void* out);
  bool is_stop_asked() const;
  int compile(lua_State* L, std::string_view text, const std::string& name);
  static int handle_message(lua_State* L);
  static int call(lua_State* L);
  void trip(lua_State* L, std::string what);
  [[noreturn]] void raise(lua_State* L);
  void refuse_memory(size_t size);
  void refuse_stack();
  std::string memory_message() const;
  bool has_place(std::string_view message) const;
  // "; called at file:line, file:line": from where the function was called that failed with this
  // message; "" where that is known.
  std::string callers(lua_State* L, std::string_view message) const;
  std::string polish(std::string message) const;

  const ScriptOptions options_;
  const std::atomic<bool>* stop_;
  Random random_;
  std::vector<std::filesystem::path> files_;
  lua_State* L_ = nullptr;
  std::vector<lua_State*> running_;
  int depth_ = 0;       // of runs within runs
  size_t used_ = 0;     // bytes, of Lua and of the engine
  size_t taken_ = 0;    // of these, the engine's
  size_t refused_ = 0;  // bytes of a request that was not granted, and has not been since
  LuaStacks stacks_;
  bool looks_often_ = false;
  long long steps_left_;
  std::chrono::steady_clock::time_point deadline_;
  std::string tripped_;                  // "" or why
  std::optional<AccessRequest> denied_;  // what tripped it, if that is it
  uintptr_t stack_base_ = 0;
  lua_Integer numbered_ = 0;
  struct Chunk {
    std::string name, shown;  // as given, and as Lua shortens it
  };
  std::vector<Chunk> chunks_;
};

inline std::string_view text(lua_State* L, int index) {
  size_t length = 0;
  const char* data = lua_tolstring(L, index, &length);
  return {data, length};
}
inline void push(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
}

// One line, of a length that can be read.
std::string message_line(std::string_view text);

// The boundary of Lua and C++: a binding's C++ exceptions become Lua errors with a place.
template <int (*function)(lua_State*)>
int guarded(lua_State* L) {
  try {
    return function(L);
  } catch (const std::bad_alloc&) {
    push(L, Sandbox::of(L).located(
                L, "not enough memory for this call; use a smaller robot, or ask for less", 1));
  } catch (const std::exception& error) {
    push(L, Sandbox::of(L).located(L, message_line(error.what()), 1));
  }
  Sandbox::of(L).charge(L, 500);  // a message takes longer to make than steps tell
  return lua_error(L);
}

// A text that grows, within the memory limit, outside Lua until it is pushed.
class TextBuilder {
 public:
  explicit TextBuilder(lua_State* L) : L_(L) {}
  void add(std::string_view more) {
    Sandbox& box = Sandbox::of(L_);
    if (more.size() > box.options().limits.memory - text_.size()) box.check(L_, LUA_ERRMEM);
    text_ += more;
  }
  void add(char more) { add(std::string_view(&more, 1)); }
  // Pops a text or number from the stack.
  void add_value() {
    add(text(L_, -1));
    lua_pop(L_, 1);
  }
  void push() const { lua::push(L_, text_); }

 private:
  lua_State* L_;
  std::string text_;
};

}  // namespace torsor::lua
