#pragma once
// A Lua state with limits on memory, steps and time. The host can stop a script at any time.
//
// A sandbox that exceeds a limit *trips*. It then stays tripped. A count hook with period 1 raises
// the error again at every instruction. Every library function that catches errors (pcall, xpcall,
// resume, wrap, close) also raises the error again. Therefore a script cannot handle the error.
// Only the protected call of the host catches it.
//
// Coroutines inherit the count hook. Lua does not call the hook in three cases:
// - In C functions. Each C function with a loop calls charge() first.
// - In __gc. Scripts cannot define __gc.
// - In a message handler for an error that the hook itself raises. xpcall does not call the
//   script's handler for such an error.
//
// Lua is compiled as C++. Its errors are C++ exceptions, so destructors run. While an exception
// propagates, the error value is on top of the Lua stack, so a destructor must not pop the Lua
// stack. The classes in this folder therefore leave their values on the stack until the C function
// returns.

#include <fmt/format.h>

#include <locale.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <lua.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/random.hpp"
#include "torsor/scripting/sandbox/lua_stacks.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

namespace torsor {
class BlockArena;
}

namespace torsor::lua {

struct SceneContext;

// Number of instructions between two checks of the budget. The short period is used when a single
// instruction may take milliseconds.
constexpr int count_period = 100, short_count_period = 10;

class Sandbox : public MemoryAccount {
 public:
  // The sandbox polls `stop` until end_loading() is called.
  Sandbox(const ScriptOptions& options, const std::atomic<bool>& stop);
  ~Sandbox() override;
  Sandbox(const Sandbox&) = delete;

  static Sandbox& of(lua_State* L) { return **static_cast<Sandbox**>(lua_getextraspace(L)); }

  // Calls f(L) in a protected call with a new stack frame. Throws each Lua error as an Error with a
  // one-line message that contains file and line. In a nested call (the script calls the engine,
  // which calls a script function), L is the Lua state that is running.
  void run(const std::function<void(lua_State*)>& f);
  bool is_running() const { return depth_ > 0; }
  lua_State* state() const { return L_; }  // use only for API calls that raise no errors

  // Ends the loading phase. After loading, the host only calls functions that the script has
  // defined. Functions that are available only during loading then throw Error.
  void end_loading() { stop_ = nullptr; }
  // Throws Error if loading has ended. `what` is the name of the called function in the message.
  void require_loading(const char* what) const;
  // Returns a flag that ends the script when it becomes true, for work that does not run in Lua.
  // Null after loading if ScriptOptions has none.
  const std::atomic<bool>* stop_flag() const { return options_.stop ? options_.stop : stop_; }
  // Resets the remaining steps and the remaining time to the limits of one call.
  void renew_budget();

  // Takes steps from the budget for work that the count hook does not see. Raises an error if the
  // budget is used up or if a stop was requested.
  void charge(lua_State* L, long long steps);
  // Takes the steps of a long computation from the budget before it starts. Throws Error "WHAT:
  // about ... steps are needed, ..." if fewer steps are left. The script may catch this error and
  // continue.
  void charge_work(lua_State* L, std::string_view what, double steps);
  // Calls charge() and also raises an error if the time limit has passed.
  void check_time(lua_State* L, long long steps);
  // Copies the count hook of one coroutine to another when execution switches from `from` to `to`.
  static void copy_hook(lua_State* from, lua_State* to);
  // Charges memory that is allocated outside Lua on behalf of the script, until release() is
  // called. Raises an error if the memory limit is exceeded.
  void charge_memory(lua_State* L, size_t bytes);
  // These four functions implement MemoryAccount (base/memory.hpp). They charge the script for
  // memory that the engine allocates while the script runs.
  void reserve(std::string_view what, double bytes) override;
  void release(size_t bytes) override;
  size_t reserved() const override { return reserved_; }
  size_t left() const override {
    return options_.limits.memory - std::min(used_, options_.limits.memory);
  }
  // Collects garbage if a block of this size would otherwise exceed the memory limit. Call it
  // before functions of Lua's standard libraries. These allocate large buffers and fail at the
  // first rejected request, without collecting garbage.
  void make_room(lua_State* L, size_t bytes);
  // Raises the error of a tripped sandbox. Must be called wherever an error has been caught.
  void check(lua_State* L, int status = LUA_OK);
  bool tripped() const { return !tripped_.empty(); }
  // Raises an error if C calls are nested too deeply. Needed for nested calls that Lua does not
  // count.
  void check_depth(lua_State* L) const;

  // Clears the tripped state before the next chunk of a prompt. Variables are kept.
  void reset_trip();

  // Compiles a string and pushes the resulting function. On a syntax error, pushes the message and
  // returns false. name: the name of the string in messages.
  bool load_text(lua_State* L, const std::string& text, const char* name);
  // Compiles a file and pushes the resulting function. Throws Error if the file cannot be read or
  // compiled.
  void load_file(lua_State* L, const std::filesystem::path& file);

  // Adds a file to files() before the file is read. Each file is listed once.
  void note_file(lua_State* L, const std::filesystem::path& file);

  // Calls f. The elapsed time does not count towards the time limit.
  template <class Function>
  auto untimed(const Function& f) {
    const Untimed until_the_end(deadline_);
    return f();
  }

  // Asks the user for permission. The waiting time does not count towards the time limit.
  bool permitted(const AccessRequest& request);
  // Trips the sandbox after an access that is not permitted. Loading then ends with
  // PermissionNeeded for this request, unless the sandbox had already tripped.
  [[noreturn]] void deny(lua_State* L, const AccessRequest& request, std::string what);

  // Returns the place "file:line" of the innermost Lua function at stack level `level` or above.
  // Returns the name of the main file if there is no such function.
  std::string where(lua_State* L, int level = 0) const;
  // Returns the message preceded by where(L, level) and ": ". Returns the message unchanged if it
  // already begins with a place.
  std::string located(lua_State* L, std::string_view message, int level = 0) const;

  // Returns a number that identifies a table, function or userdata. Numbers are assigned at the
  // first call for each object, so they do not depend on addresses.
  lua_Integer number_of(lua_State* L, int index);

  // Makes L the running Lua state as long as this object exists.
  class Running {
   public:
    Running(Sandbox& box, lua_State* L) : box_(box) { box_.running_.push_back(L); }
    ~Running() { box_.running_.pop_back(); }
    Running(const Running&) = delete;

   private:
    Sandbox& box_;
  };

  const ScriptOptions& options() const { return options_; }
  // The state of math.random. It begins with the same value in every script.
  Random& random() { return random_; }
  // Files that the script has read, in order of first use.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  void print(std::string_view line) const;

  // Path of the main file as the user wrote it.
  std::string main_file;
  SceneContext* context = nullptr;   // objects that the scene bindings have created
  std::vector<std::string> loading;  // names of the modules being loaded, outermost first

 private:
  // Moves the deadline by the time for which this object exists.
  struct Untimed {
    explicit Untimed(std::chrono::steady_clock::time_point& of) : deadline(of) {}
    ~Untimed() { deadline += std::chrono::steady_clock::now() - start; }
    Untimed(const Untimed&) = delete;
    std::chrono::steady_clock::time_point& deadline;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  };
  static void* allocate(void* self, void* block, size_t old_size, size_t size);
  static void count(lua_State* L, lua_Debug*);
  void check_often();
  void follow_stack(void* block, size_t old_size, size_t size, void* out);
  bool is_stop_asked() const;
  int compile(lua_State* L, std::string_view text, const std::string& name);
  bool load_cached(lua_State* L, const std::filesystem::path& file);
  void cache_chunk(lua_State* L, const std::filesystem::path& file, size_t text_size) const;
  static int handle_message(lua_State* L);
  static int call(lua_State* L);
  void trip(lua_State* L, std::string what);
  [[noreturn]] void raise(lua_State* L);
  void reject_allocation(size_t size);
  void reject_stack();
  std::string memory_message() const;
  bool has_place(std::string_view message) const;
  // Returns the callers of the function that failed with this message, as "; called at file:line,
  // file:line". Returns "" if no callers are known.
  std::string callers(lua_State* L, std::string_view message) const;
  std::string polish(std::string message) const;

  const ScriptOptions options_;
  std::unique_ptr<BlockArena> arena_;  // small blocks of the Lua state; null: malloc()
  const std::atomic<bool>* stop_;
  Random random_;
  std::vector<std::filesystem::path> files_;
  lua_State* L_ = nullptr;
  std::vector<lua_State*> running_;
  int depth_ = 0;        // nesting depth of run()
  size_t used_ = 0;      // bytes currently allocated by Lua and by the engine
  size_t reserved_ = 0;  // bytes currently allocated by the engine, included in used_
  // Size in bytes of the last rejected request. 0 after a request of at least this size has
  // succeeded.
  size_t rejected_bytes_ = 0;
  LuaStacks stacks_;
  bool checks_often_ = false;
  long long steps_left_;
  std::chrono::steady_clock::time_point deadline_;
  std::string tripped_;                  // reason of the trip, or "" if not tripped
  std::optional<AccessRequest> denied_;  // the denied access, if it tripped the sandbox
  uintptr_t stack_base_ = 0;
  locale_t host_locale_{};  // of the caller of the outermost run()
  lua_Integer numbered_ = 0;
  struct Chunk {
    // Chunk name as given to Lua, and as Lua shortens it in messages.
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

// Converts a message to one line of at most 2000 characters.
std::string message_line(std::string_view text);

// Calls a binding and converts its C++ exceptions to Lua errors that begin with a place.
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
  // Creating an error message takes longer than a few instructions, so charge extra steps.
  Sandbox::of(L).charge(L, 500);
  return lua_error(L);
}

// Builds a string outside Lua. The length is checked against the memory limit.
class TextBuilder {
 public:
  explicit TextBuilder(lua_State* L) : L_(L) {}
  void add(std::string_view more) {
    Sandbox& box = Sandbox::of(L_);
    if (more.size() > box.options().limits.memory - text_.size()) box.check(L_, LUA_ERRMEM);
    text_ += more;
  }
  void add(char more) { add(std::string_view(&more, 1)); }
  // Pops a string or number from the Lua stack and appends it.
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
