#pragma once
// A Lua state with bounded memory, steps and time. The host can stop a script at any time.
//
// A sandbox that reaches a limit has *tripped*, and remains tripped. From then on, every
// instruction raises an error (count hook of 1). Each of our functions with which a script can
// catch an error (pcall, xpcall, resume, wrap, close) raises it again. Only the host's own
// protected call therefore ends the unwinding.
//
// Coroutines inherit the hook. The hook does not run in three cases:
// - In C functions. Each C function that loops calls charge() first.
// - In __gc. Scripts cannot define __gc.
// - In a message handler for an error that the hook itself raises. xpcall does not call the
//   script's handler for these errors.
//
// Lua is compiled as C++: its errors are exceptions, and destructors run. A destructor must not pop
// Lua's stack during an exception, because the value of the error is on it. The classes here
// therefore leave what they push until the C function returns.

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

// Number of instructions between two checks of the budget. The short period applies when single
// instructions may take milliseconds.
constexpr int count_period = 100, short_count_period = 10;

class Sandbox : public MemoryAccount {
 public:
  // The constructor's stop flag is checked until end_loading().
  Sandbox(const ScriptOptions& options, const std::atomic<bool>& stop, const Random& random);
  ~Sandbox() override;
  Sandbox(const Sandbox&) = delete;

  static Sandbox& of(lua_State* L) { return **static_cast<Sandbox**>(lua_getextraspace(L)); }

  // Runs f on its own stack. Converts Lua errors to an Error of one line with a file and line. A
  // nested run (a script function called the engine, which calls the script again) uses the Lua
  // state that is running.
  void run(const std::function<void(lua_State*)>& f);
  bool is_running() const { return depth_ > 0; }
  lua_State* state() const { return L_; }  // only for calls that raise no errors

  // Ends the loading phase. From now on, only functions that the script has defined are called.
  // Functions that are available only during loading throw Error.
  void end_loading() { stop_ = nullptr; }
  // Throws Error if loading has ended. The argument `what` names the function in the message.
  void require_loading(const char* what) const;
  // Resets the steps and the time to the limits of one call.
  void renew_budget();

  // Takes steps from the budget for work that the hook does not count. Raises an error if the
  // budget is used up or a stop was requested.
  void charge(lua_State* L, long long steps);
  // Takes the steps of one long computation from the budget. Throws Error "WHAT: about ... steps
  // are needed, ..." if fewer are left. The script may catch this error, because nothing has been
  // computed yet.
  void charge_work(lua_State* L, std::string_view what, double steps);
  // Calls charge(), and raises an error if the time limit has passed.
  void look(lua_State* L, long long steps);
  // Copies the hook of the coroutine that ran before to the coroutine that runs next.
  static void copy_hook(lua_State* from, lua_State* to);
  // Accounts for memory that is allocated outside Lua on behalf of the script. It stays counted
  // until give_back().
  void charge_memory(lua_State* L, size_t bytes);
  // These four functions account for memory that the engine allocates while the script runs
  // (base/memory.hpp).
  void take(std::string_view what, double bytes) override;
  void give_back(size_t bytes) override;
  size_t taken() const override { return taken_; }
  size_t left() const override {
    return options_.limits.memory - std::min(used_, options_.limits.memory);
  }
  // Collects garbage if a block of this size would not fit otherwise. Functions of Lua's own
  // libraries allocate their buffers without the collector, and fail if the first attempt fails.
  void make_room(lua_State* L, size_t bytes);
  // Raises the error of a tripped sandbox. Call this function wherever an error has been caught.
  void check(lua_State* L, int status = LUA_OK);
  bool tripped() const { return !tripped_.empty(); }
  // Raises an error if C calls are nested too deeply. It covers calls that Lua does not count
  // itself.
  void check_depth(lua_State* L) const;

  // Clears a trip between two runs of a prompt. The script's variables stay.
  void reset_trip();

  // Compiles a string and pushes its function. On a syntax error, pushes the message and returns
  // false. name is the name of the string in messages.
  bool load_text(lua_State* L, const std::string& text, const char* name);
  // Compiles a file and pushes its function. Throws Error if the file cannot be read or compiled.
  void load_file(lua_State* L, const std::filesystem::path& file);

  // Records a file that is about to be read. Each file is recorded once.
  void note_file(lua_State* L, const std::filesystem::path& file);

  // Asks the user for permission. The time until the answer does not count.
  bool permitted(const AccessRequest& request);
  // Trips the sandbox because the script named a file that it may not use. The load ends with
  // PermissionNeeded.
  [[noreturn]] void deny(lua_State* L, const AccessRequest& request, std::string what);

  // Returns "file:line" of the innermost Lua function at this level or above, or the name of the
  // main file.
  std::string where(lua_State* L, int level = 0) const;
  // Returns the message with "file:line: " before it, unless it already begins with a place.
  std::string located(lua_State* L, std::string_view message, int level = 0) const;

  // Returns a stable number for a table, function or userdata. Numbers follow the order of the
  // first requests.
  lua_Integer number_of(lua_State* L, int index);

  // Makes L the running Lua state during its lifetime.
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
  // Files read by the script, in order of first use.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  void print(std::string_view line) const;

  // Path of the main file as the user wrote it.
  std::string main_file;
  SceneContext* context = nullptr;   // data of the scene bindings
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
  // Returns "; called at file:line, file:line": the callers of the function that failed with this
  // message. Returns "" if they are unknown.
  std::string callers(lua_State* L, std::string_view message) const;
  std::string polish(std::string message) const;

  const ScriptOptions options_;
  const std::atomic<bool>* stop_;
  Random random_;
  std::vector<std::filesystem::path> files_;
  lua_State* L_ = nullptr;
  std::vector<lua_State*> running_;
  int depth_ = 0;       // number of nested runs
  size_t used_ = 0;     // bytes allocated by Lua and the engine
  size_t taken_ = 0;    // bytes allocated by the engine (part of used_)
  size_t refused_ = 0;  // bytes of a request that failed and has not succeeded since, or 0
  LuaStacks stacks_;
  bool looks_often_ = false;
  long long steps_left_;
  std::chrono::steady_clock::time_point deadline_;
  std::string tripped_;                  // "" or the reason of the trip
  std::optional<AccessRequest> denied_;  // the request that tripped the sandbox, if any
  uintptr_t stack_base_ = 0;
  lua_Integer numbered_ = 0;
  struct Chunk {
    // The name as given, and the name as Lua shortens it.
    std::string name, shown;
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

// Returns a message as one line, limited to 2000 characters.
std::string message_line(std::string_view text);

// The boundary between Lua and C++: converts the C++ exceptions of a binding to Lua errors with a
// place.
template <int (*function)(lua_State*)>
int guarded(lua_State* L) {
  try {
    return function(L);
  } catch (const std::bad_alloc&) {
    push(L, Sandbox::of(L).located(
                L, "not enough memory for this call; use a smaller robot, or request less", 1));
  } catch (const std::exception& error) {
    push(L, Sandbox::of(L).located(L, message_line(error.what()), 1));
  }
  // Charge extra steps: an error message takes longer to create than a few instructions.
  Sandbox::of(L).charge(L, 500);
  return lua_error(L);
}

// A string builder outside Lua. Its length is checked against the memory limit.
class TextBuilder {
 public:
  explicit TextBuilder(lua_State* L) : L_(L) {}
  void add(std::string_view more) {
    Sandbox& box = Sandbox::of(L_);
    if (more.size() > box.options().limits.memory - text_.size()) box.check(L_, LUA_ERRMEM);
    text_ += more;
  }
  void add(char more) { add(std::string_view(&more, 1)); }
  // Pops a string or number from the stack and appends it.
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
