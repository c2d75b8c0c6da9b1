#include "editor/session/session.hpp"

#include "editor/session/worker.hpp"

namespace torsor::editor {

Session::Session(Registry plugins, SessionOptions options)
    : options_(options),
      worker_(std::make_unique<Worker>(std::move(plugins), std::move(options), Moment())) {}
Session::~Session() = default;

std::shared_ptr<const Moment> Session::now() const {
  const std::shared_lock lock(opening_);
  return worker_->now();
}
bool Session::idle() const {
  const std::shared_lock lock(opening_);
  return worker_->idle();
}

std::string Session::hanging_call() {
  using namespace std::chrono_literals;
  const std::shared_lock lock(opening_);
  if (worker_->silence() < 5s) return hanging_call_ = "";
  if (const auto now = std::chrono::steady_clock::now(); now >= next_question_) {
    next_question_ = now + 1s;
    hanging_call_ = worker_->call_under_way();
  }
  return hanging_call_;
}

void Session::play() {
  worker_->post([](Worker& w) { w.play(); });
}
void Session::play_or_pause() {
  worker_->post([](Worker& w) { w.play_or_pause(); });
}
void Session::change_speed(int octaves) {
  worker_->post([=](Worker& w) { w.change_speed(octaves); }, Worker::When::at_once);
}
void Session::pause() {
  worker_->post([](Worker& w) { w.pause(); }, Worker::When::at_once);
}
void Session::step(long long steps) {
  worker_->post([=](Worker& w) { w.step(steps); }, Worker::When::at_once);
}
void Session::go(long long step) {
  worker_->post([=](Worker& w) { w.go(step); }, Worker::When::at_once);
}
void Session::set_speed(double speed) {
  worker_->post([=](Worker& w) { w.set_speed(speed); }, Worker::When::at_once);
}
void Session::hold_at(std::optional<long long> step) {
  worker_->post([=](Worker& w) { w.hold_at(step); }, Worker::When::in_any_case);
}
void Session::set_position(std::shared_ptr<const Scene> scene, int column, double value,
                           bool continued) {
  worker_->post([=](Worker& w) { w.set_position(scene.get(), column, value, continued); });
}
void Session::set_velocity(std::shared_ptr<const Scene> scene, int column, double value,
                           bool continued) {
  worker_->post([=](Worker& w) { w.set_velocity(scene.get(), column, value, continued); });
}
void Session::set_torque(std::shared_ptr<const Scene> scene, int v_index, double value,
                         bool continued) {
  worker_->post([=](Worker& w) { w.set_torque(scene.get(), v_index, value, continued); });
}
void Session::set_solver(const std::string& id) {
  worker_->post([=](Worker& w) { w.set_solver(id); });
}
void Session::pull(std::shared_ptr<const Scene> scene, const std::string& frame,
                   const Vec3<double>& point_F, const Vec3<double>& target_W, bool continued) {
  worker_->post([=](Worker& w) { w.pull(scene.get(), frame, point_F, target_W, continued); });
}
void Session::release(std::shared_ptr<const Scene> scene) {
  worker_->post([=](Worker& w) { w.release(scene.get()); });
}
void Session::set_parameter(std::shared_ptr<const Scene> scene, const std::string& control, Of of,
                            const Parameter& parameter, bool continued) {
  worker_->post(
      [=](Worker& w) { w.set_parameter(scene.get(), control, of, parameter, continued); });
}
void Session::fork(const std::string& name) {
  worker_->post([=](Worker& w) { w.fork(name); });
}
void Session::choose_fork(const std::string& name) {
  worker_->post([=](Worker& w) { w.choose_fork(name); });
}
void Session::drop_fork(const std::string& name) {
  worker_->post([=](Worker& w) { w.drop_fork(name); });
}
void Session::keep_snapshot(const std::string& name) {
  worker_->post([=](Worker& w) { w.keep_snapshot(name); });
}
void Session::show_snapshot(const std::string& name) {
  worker_->post([=](Worker& w) { w.show_snapshot(name); });
}
void Session::drop_snapshot(const std::string& name) {
  worker_->post([=](Worker& w) { w.drop_snapshot(name); });
}
void Session::undo() {
  worker_->post([](Worker& w) { w.undo(); });
}
void Session::redo() {
  worker_->post([](Worker& w) { w.redo(); });
}
void Session::clear_edits() {
  worker_->post([](Worker& w) { w.clear_edits(); });
}
void Session::open(std::filesystem::path file, bool floating_base) {
  const std::shared_ptr<const Moment> last = now();
  const std::unique_lock lock(opening_);
  worker_.reset();  // first, because it may hold the journal of this file
  worker_ = std::make_unique<Worker>(*last->plugins,
                                     SessionOptions{.file = std::move(file),
                                                    .overrides = {},
                                                    .journal_folder = options_.journal_folder,
                                                    .model = {},
                                                    .floating_base = floating_base,
                                                    .allow_plugins = options_.allow_plugins,
                                                    .trust = options_.trust},
                                     *last);
}
void Session::reload() {
  worker_->post([](Worker& w) { w.reload(); });
}
void Session::stop() {
  worker_->request_stop();
}
void Session::save_recording(const std::filesystem::path& folder, bool replace) {
  worker_->post([=](Worker& w) { w.save_recording(folder, replace); });
}
void Session::keep_work() {
  worker_->post([](Worker& w) { w.keep_work(); });
}
void Session::report(Problem problem) {
  worker_->post([=](Worker& w) { w.report(problem); }, Worker::When::in_any_case);
}
void Session::clear_problems() {
  worker_->post([](Worker& w) { w.clear_problems(); }, Worker::When::in_any_case);
}

}  // namespace torsor::editor
