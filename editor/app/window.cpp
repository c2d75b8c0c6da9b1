#include "editor/app/window.hpp"

#include <epoxy/gl.h>
// The header of GLFW must follow the OpenGL loader.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "editor/app/editor.hpp"
#include "editor/app/fonts.hpp"
#include "editor/app/key_queue.hpp"
#include "editor/app/layout.hpp"
#include "editor/opengl/renderer.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/session/session_state.hpp"
#include "editor/video/picture.hpp"
#include "editor/video/video.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/loading/fault_report.hpp"

namespace torsor::editor {

namespace {

// Minimum size to which a user can resize the window. A smaller window does not draw all panels.
constexpr int least_window_width = 320, least_window_height = 240;

std::string glfw_error;

// The GLFW library and its window.
class Display {
 public:
  explicit Display(const WindowOptions& options) {
    glfwSetErrorCallback([](int, const char* text) { glfw_error = text; });
    if (!glfwInit())
      throw Error(fmt::format(
          "the editor needs a display, and there is none ({}): start it in a desktop session or "
          "with xvfb-run",
          glfw_error));
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    window = glfwCreateWindow(options.width, options.height, "Torsor", nullptr, nullptr);
    if (!window) {
      glfwTerminate();
      throw Error(
          fmt::format("the editor needs OpenGL 3.3, and the display does not offer it ({}): "
                      "install libgl1-mesa-dri",
                      glfw_error));
    }
    glfwSetWindowSizeLimits(window, least_window_width, least_window_height, GLFW_DONT_CARE,
                            GLFW_DONT_CARE);
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
  }
  ~Display() {
    glfwDestroyWindow(window);
    glfwTerminate();
  }
  Display(const Display&) = delete;

  GLFWwindow* window = nullptr;
};

class Gui {
 public:
  // Registers callbacks that pass pressed keys and dropped files to the editor.
  Gui(GLFWwindow* window, Editor& editor) {
    ImGui::CreateContext();
    glfwSetWindowUserPointer(window, &editor);
    glfwSetDropCallback(window, [](GLFWwindow* to, int count, const char** files) {
      static_cast<Editor*>(glfwGetWindowUserPointer(to))->dropped.assign(files, files + count);
    });
    glfwSetKeyCallback(window, [](GLFWwindow* from, int key, int, int action, int mods) {
      if (action == GLFW_RELEASE || (mods & GLFW_MOD_SUPER)) return;
      static_cast<Editor*>(glfwGetWindowUserPointer(from))
          ->keys.push_back({key, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0,
                            (mods & GLFW_MOD_ALT) != 0});
    });
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    // Replace the callbacks of the backend by a queue. give_keys() passes the events to the
    // backend, which then calls the callbacks above.
    events_ = &keys_;
    glfwSetKeyCallback(window, [](GLFWwindow*, int key, int scancode, int action, int mods) {
      events_->push({action == GLFW_RELEASE  ? KeyEvent::What::release
                     : action == GLFW_REPEAT ? KeyEvent::What::repeat
                                             : KeyEvent::What::press,
                     key, scancode, mods});
    });
    glfwSetCharCallback(window, [](GLFWwindow*, unsigned character) {
      events_->push({.what = KeyEvent::What::character, .character = character});
    });
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~Gui() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  Gui(const Gui&) = delete;

  bool keys_wait() const { return !keys_.empty(); }
  // Passes the key events of one frame to ImGui.
  void give_keys(GLFWwindow* window) {
    keys_.begin_frame();
    while (const auto event = keys_.next()) {
      const auto [what, key, scancode, mods, character] = *event;
      if (what == KeyEvent::What::character)
        ImGui_ImplGlfw_CharCallback(window, character);
      else
        ImGui_ImplGlfw_KeyCallback(window, key, scancode,
                                   what == KeyEvent::What::release  ? GLFW_RELEASE
                                   : what == KeyEvent::What::repeat ? GLFW_REPEAT
                                                                    : GLFW_PRESS,
                                   mods);
    }
  }

 private:
  KeyQueue keys_;
  // Static, because the window's user pointer is the editor.
  static inline KeyQueue* events_ = nullptr;
};

class Window {
 public:
  Window(Registry plugins, const SessionOptions& session, WindowOptions options,
         const Settings& settings)
      : options_(std::move(options)),
        kept_(settings),
        display_(options_),
        editor_(std::move(plugins), session, settings),
        gui_(display_.window, editor_) {}

  Editor& editor() { return editor_; }

  void run() {
    while (!editor_.quit) {
      if (editor_.reopen) reopen();
      wait();
      glfwPollEvents();
      if (glfwWindowShouldClose(display_.window)) ask_to_leave();
      frame();
      note_load();
      if (Clock::now() >= next_keeping_) keep_settings();
    }
    keep_settings();
    if (!editor_.hanging_call.empty()) end_now(editor_.hanging_call + " did not return");
    end_video();
    // The destructors join all threads. This takes long if a thread does not react, and forever if
    // a plugin call hangs. This thread then ends the process. It does not know which one it is.
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      end_now("a background thread was still running; it did not end within 3 s");
    }).detach();
    if (options_.for_others && !load_failure_.empty()) throw Error(load_failure_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Ends the process without running destructors. The journal file remains. reason: a clause that
  // completes the message.
  [[noreturn]] static void end_now(const std::string& reason) {
    print_message(fmt::format("the window was closed while {}", reason));
    std::fflush(nullptr);
    _exit(plugin_fault_status);
  }

  // Starts this program again in place of this process. The new window restores the run from the
  // journal.
  void reopen() {
    editor_.reopen = false;
    keep_settings();
    std::vector<std::string> words = options_.command;
    if (editor_.has_scene()) {
      words.resize(std::max(words.size(), options_.file_word + 1));
      words[options_.file_word] = editor_.scene().file.string();
      set_sample(words, editor_.scene().sample);
    }
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    // Close all other files at execv(), which releases the lock of the journal.
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    execv("/proc/self/exe", argv.data());
    editor_.session.post(
        command::Report{{Problem::Kind::error, fmt::format("the window cannot be started again: {}",
                                                           std::strerror(errno))}});
  }

  // Replaces the option --sample of a command line. sample: null removes it.
  static void set_sample(std::vector<std::string>& words,
                         const std::shared_ptr<const cli::StudySample>& sample) {
    const auto old = std::ranges::find(words, "--sample");
    if (old != words.end()) words.erase(old, std::min(old + 2, words.end()));
    std::erase_if(words, [](const std::string& word) { return word.starts_with("--sample="); });
    if (sample) words.insert(words.end(), {"--sample", sample->name});
  }

  // Handles a click on the window's close button.
  void ask_to_leave() {
    glfwSetWindowShouldClose(display_.window, GLFW_FALSE);
    if (!editor_.leave_dialog.shown) leave(editor_, std::nullopt);
  }

  // Finishes a video and prints the result, because the window can no longer show it. Throws Error
  // if the video failed.
  void end_video() {
    const std::optional<Problem> said = editor_.video.end(editor_.session);
    if (!said) return;
    if (said->kind == Problem::Kind::error) throw Error(said->text);
    print_message(said->text);
  }

  // Limits the window to 60 frames per second, or about 10 if nothing changes.
  void wait() {
    const bool still = !editor_.now->playing && !gui_.keys_wait() && editor_.idle() &&
                       options_.actions.finished(editor_) && !options_.screenshot;
    constexpr std::chrono::duration<double> period(1.0 / 60);
    if (still) glfwWaitEventsTimeout(0.1);
    const auto rest = period - (Clock::now() - last_frame_);
    if (rest.count() > 0) std::this_thread::sleep_for(rest);
    last_frame_ = Clock::now();
  }

  // Stores the error of the first file after its load, or "".
  void note_load() {
    if (loaded_ || !editor_.idle()) return;
    const std::shared_ptr<const SessionState> now = editor_.session.now();
    loaded_ = !now->needed;  // the user may still grant a missing permission
    load_failure_ = now->scene ? "" : last_error(*now);
  }

  // Writes changed settings, at most once per second. They are not written at the end only, because
  // the window may be killed.
  void keep_settings() {
    if (!options_.keep_settings || settings_file().empty() || editor_.settings == kept_) return;
    kept_ = editor_.settings;
    next_keeping_ = Clock::now() + std::chrono::seconds(1);
    try {
      write_settings(settings_file(), kept_);
    } catch (const Error& error) {
      options_.keep_settings = false;
      editor_.session.post(command::Report{{Problem::Kind::warning, error.what()}});
    }
  }

  void follow_settings() {
    float scale = editor_.settings.scale, unused = 1;
    if (scale == 0) glfwGetWindowContentScale(display_.window, &scale, &unused);
    if (scale == scale_ && editor_.settings.dark == theme_is_dark() && fonts_loaded_) return;
    if (scale != scale_ || !fonts_loaded_) {
      if (const std::string missing = load_fonts(scale); !missing.empty() && !fonts_loaded_)
        editor_.session.post(command::Report{{Problem::Kind::warning, missing}});
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    fonts_loaded_ = true;
    scale_ = scale;
    apply_theme(editor_.settings.dark, scale);
  }

  void frame() {
    follow_settings();
    ImGui_ImplOpenGL3_NewFrame();
    gui_.give_keys(display_.window);
    ImGui_ImplGlfw_NewFrame();
    const auto start = Clock::now();
    ImGui::NewFrame();
    editor_.begin_frame();
    options_.actions.advance(editor_);
    draw_window(editor_);
    ImGui::Render();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    editor_.frame_ms += 0.1 * (ms - editor_.frame_ms);
    paint();
    if (editor_.video.is_due() && !options_.actions.waits())
      editor_.video.take(editor_.session, *editor_.now, picture({}));
    paint_video_mark();
    take_screenshot();
    paint_windows(is_toast);  // toasts are not part of screenshots and videos
    glfwSwapBuffers(display_.window);
  }

  void paint() {
    ViewState& view = editor_.panel<ViewPanel>().state;
    view.texture = renderer_.render(view, editor_.settings.dark);
    int width = 0, height = 0;
    glfwGetFramebufferSize(display_.window, &width, &height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    const ImVec4 ground = ImGui::GetStyle().Colors[ImGuiCol_MenuBarBg];
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    paint_windows([](std::string_view name) { return !is_toast(name); });
  }

  // Paints the ImGui windows whose names satisfy has_name.
  template <class F>
  static void paint_windows(const F& has_name) {
    ImDrawData data = *ImGui::GetDrawData();
    std::vector<ImDrawList*> lists;
    for (int k = 0; k < data.CmdListsCount; ++k)
      if (has_name(data.CmdLists[k]->_OwnerName ? data.CmdLists[k]->_OwnerName : ""))
        lists.push_back(data.CmdLists[k]);
    data.CmdLists = lists.data();
    data.CmdListsCount = int(lists.size());
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  }

  // Saves a requested picture. The picture of --screenshot waits until all data is drawn.
  void take_screenshot() {
    if (options_.screenshot && options_.actions.finished(editor_) && !editor_.screenshot) {
      const bool settled = (editor_.now->playing || editor_.sampler.up_to_date()) &&
                           !editor_.panel<ViewPanel>().state.meshes.busy();
      if (settled && ++still_frames_ >= 20) {
        write_screenshot({*options_.screenshot});
        editor_.quit = true;
      }
    }
    if (!editor_.screenshot) return;
    if (++request_age_ < 3) return;  // the third frame shows the result of earlier actions
    request_age_ = 0;
    const ScreenshotRequest request = *std::exchange(editor_.screenshot, std::nullopt);
    try {
      write_screenshot(request);
      editor_.session.post(command::Report{
          {Problem::Kind::note, fmt::format("{}: picture saved", request.file.string())}});
    } catch (const Error& error) {
      editor_.session.post(command::Report{{Problem::Kind::error, error.what()}});
    }
  }

  void write_screenshot(const ScreenshotRequest& request) {
    write_png(request.file, picture(request));
  }

  Picture picture(const ScreenshotRequest& part) const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(display_.window, &width, &height);
    if (width < 1 || height < 1) throw Error("no picture can be taken: the window has no size");
    int x = 0, y = 0, w = width, h = height;
    if (part.width > 0) {
      x = std::clamp(int(part.x), 0, width - 1);
      y = std::clamp(int(part.y), 0, height - 1);
      w = std::clamp(int(part.width), 1, width - x);
      h = std::clamp(int(part.height), 1, height - y);
    }
    std::vector<uint8_t> up(size_t(3) * w * h), down(up.size());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(x, height - y - h, w, h, GL_RGB, GL_UNSIGNED_BYTE, up.data());
    const size_t row = size_t(3) * size_t(w);
    for (int k = 0; k < h; ++k)
      std::copy_n(up.begin() + long(row * size_t(k)), row,
                  down.begin() + long(row * size_t(h - 1 - k)));
    return {w, h, std::move(down)};
  }

  void paint_video_mark() const {
    ImDrawList list(ImGui::GetDrawListSharedData());
    list._ResetForNewFrame();
    list.PushClipRectFullScreen();
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    draw_video_mark(editor_, list);
    ImDrawData data = *ImGui::GetDrawData();
    ImDrawList* lists[] = {&list};
    data.CmdLists = lists;
    data.CmdListsCount = 1;
    data.TotalIdxCount = list.IdxBuffer.Size;
    data.TotalVtxCount = list.VtxBuffer.Size;
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  }

  WindowOptions options_;
  Settings kept_;  // settings as they were last read or written
  Display display_;
  Editor editor_;
  Gui gui_;
  Renderer renderer_;
  float scale_ = 0;
  bool fonts_loaded_ = false, loaded_ = false;
  std::string load_failure_;
  int still_frames_ = 0, request_age_ = 0;
  Clock::time_point last_frame_ = Clock::now(), next_keeping_{};
};

}  // namespace

void show_window(Registry plugins, const SessionOptions& session, WindowOptions options) {
  Settings settings;
  std::optional<Problem> unreadable;
  if (options.keep_settings) try {
      settings = read_settings(settings_file());
    } catch (const Error& error) {
      unreadable = {Problem::Kind::warning, error.what()};
    }
  if (options.scale) settings.scale = *options.scale;
  if (options.theme) settings.dark = *options.theme == "dark";
  const bool attended = !options.for_others;
  const std::string fault = options.fault;
  const std::filesystem::path study = options.study;
  Window window(std::move(plugins), session, std::move(options), settings);
  window.editor().attended = attended;
  if (!study.empty())
    window.editor().open(study, false);
  else if (session.file.empty())
    show_open_dialog(window.editor());
  if (unreadable) window.editor().session.post(command::Report{*unreadable});
  if (!fault.empty())
    window.editor().session.post(
        command::Report{{Problem::Kind::error, "a fault ended the last window: " + fault}});
  window.run();
}

}  // namespace torsor::editor
