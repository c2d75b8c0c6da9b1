#pragma once
// The thread of a session. Only the members marked as shared are used by other threads.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <utility>

#include "editor/edits/posture.hpp"
#include "editor/edits/undo_history.hpp"
#include "editor/session/fit_edits.hpp"
#include "editor/session/journal.hpp"
#include "editor/session/loader.hpp"
#include "editor/session/recording_job.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "torsor/host/outgoing_files.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/scripting/scene/scene_watch.hpp"

namespace torsor::editor {

class Session::Worker {
 public:
  // before: last state of the session's previous worker. Its numbers of problems are continued.
  Worker(Registry plugins, SessionOptions options, const SessionState& before);
  ~Worker();

  // Shared: other threads may call the functions below.
  void post(Command command);
  void request_stop();
  std::shared_ptr<const SessionState> now() const;
  bool idle() const;
  // Returns the time since the thread last reached a step or a request.
  std::chrono::duration<double> silence() const;
  std::string call_under_way();  // the plugin call in progress on the thread, or ""

 private:
  using Clock = std::chrono::steady_clock;

  struct Kept {
    StoredRun run;
    std::vector<Change> changes = {};  // its edits if it is not yet computed
    bool is_made = true;
    long long limit = 0;
    UndoHistory history = UndoHistory();
  };
  struct KeptWork {
    std::vector<Kept> forks, snapshots;
    size_t fork = 0;
  };

  // execute() executes a command. It may throw Error, which is reported in the list of problems.
  void execute(const command::Play&);
  void execute(const command::Pause&);
  void execute(const command::PlayOrPause&);
  void execute(const command::Step& command);
  void execute(const command::Go& command);
  void execute(const command::SetSpeed& command);
  void execute(const command::ChangeSpeed& command);
  void execute(const command::HoldAt& command);
  void execute(const command::SetSolver& command);
  void execute(const command::SetConstraintSolver& command);
  void execute(const command::Fork& command);
  void execute(const command::ChooseFork& command);
  void execute(const command::DropFork& command);
  void execute(const command::KeepSnapshot& command);
  void execute(const command::ShowSnapshot& command);
  void execute(const command::DropSnapshot& command);
  void execute(const command::Undo&);
  void execute(const command::Redo&);
  void execute(const command::ClearEdits&);
  void execute(const command::Reload&);
  void execute(const command::SaveRecording& command);
  void execute(const command::KeepWork&);
  void execute(const command::ClearProblems&);
  void execute(const command::Edit& command);
  void execute(const command::Report& command) { report(command.problem); }
  // make() applies an edit at the current step.
  void make(const command::SetPosition& edit, bool continued);
  void make(const command::SetVelocity& edit, bool continued);
  void make(const command::SetTorque& edit, bool continued);
  void make(const command::MoveFrame& edit, bool continued);
  void make(const command::PullFrame& edit, bool continued);
  void make(const command::ReleaseFrame&, bool);
  void make(const command::SetParameter& edit, bool continued);

  void loop();
  void run_commands();
  bool guard(const std::function<void()>& f);
  void halt();
  Clock::duration patience() const;
  bool busy() const;

  void stop();
  void report(Problem problem);

  // Functions for the run.
  void play();
  void pause();
  void go(long long step);
  void set_speed(double speed);
  void one_step();
  void make_scenes_changes();
  void advance_until(long long target, Clock::time_point deadline);
  void advance_playing();
  void advance_going();
  void start_clock();
  double due() const;
  bool held() const;
  void measure();
  void need_scene() const;
  void require_idle() const;
  void need_run() const;
  void show_row(long long step);
  long long present() const { return player_->simulation().steps(); }
  void make(const Change::What& what, const std::string& key, bool continued);
  PostureSolver& postures();
  void adopt(Version version);
  void remake(std::deque<Change> changes, long long step, long long end);
  void restore_next_edit();
  long scenes_changes() const;
  // Functions for forks and snapshots.
  Kept& kept(std::vector<Kept>& all, const std::string& name, const char* what);
  std::string free_name(const std::vector<Kept>& all, const std::string& wish,
                        const std::string& proposal);
  void put_fork_aside();
  void take(Kept run);
  void reset_kept();
  void publish_kept();
  std::vector<JournalRun> journal_of(const std::vector<Kept>& all) const;
  void restore_kept(const Journal& journal);

  // Functions for loads, recordings and the journal.
  void check_files();
  void collect_load();
  void erase_problems(Problem::Of of);
  void begin_with(Loader::Result result);
  KeptWork detach_work();
  void carry_over(const Scene& before, KeptWork work);
  void report_reload(const Scene& before, const EditFit& fit, long long step);
  void continue_with(const Loader::Result& result);
  void install_scene(std::shared_ptr<const Scene> scene, std::unique_ptr<Player> player);
  void check_outgoing();
  void collect_recording();
  void open_journal();
  void restore();
  void begin_at(std::vector<std::byte> state);
  void keep_journal();
  void write_journal();
  UnsavedWork unsaved() const;
  void publish();

  const SessionOptions options_;
  std::shared_ptr<const Registry> plugins_;  // the plugins at the last load

  mutable std::mutex mutex_;  // protects the shared members below
  std::condition_variable wake_;
  std::deque<Command> queue_;
  std::shared_ptr<const SessionState> now_;
  bool busy_ = true;
  // Written under mutex_. Steps read them without a lock.
  std::atomic<bool> quit_ = false, stop_ = false;

  std::atomic<std::chrono::steady_clock::time_point> last_sign_ = std::chrono::steady_clock::now();

  std::deque<Command> commands_;  // taken from the queue, not yet executed

  Loader loader_;
  RecordingJob recording_;
  SceneWatch watch_;
  // True if the current load was started only because plugins have changed.
  bool plugins_alone_ = false;
  // Files of the scene, and hash_of() them when they were loaded, or "" if they changed meanwhile.
  std::vector<std::filesystem::path> files_;
  std::string loaded_;
  std::shared_ptr<const AccessRequest> needed_;  // as in SessionState
  OutgoingFiles outgoing_;
  Clock::time_point next_outgoing_{};

  std::shared_ptr<const Scene> scene_;
  std::unique_ptr<Player> player_;
  // Created when it is first used, for the active model and solver.
  std::optional<PostureSolver> postures_;
  std::string postures_solver_;
  Snapshot start_;  // initial state of the run, before any change
  std::optional<Timeline> timeline_;
  long long limit_ = 0;
  std::optional<long long> goal_;
  long long limit_before_goal_ = 0;
  std::deque<Change> to_restore_;  // edits to apply again before the run reaches goal_
  long long restored_step_ = 0;
  UndoHistory history_;
  std::vector<Kept> forks_, snapshots_;
  size_t fork_ = 0;  // index of the active fork; its entry is not up to date
  std::shared_ptr<const std::vector<StoredRun>> shown_forks_ =
                                                    std::make_shared<std::vector<StoredRun>>(),
                                                shown_snapshots_ = shown_forks_;
  std::vector<Change> saving_;                // edits in the recording that is being written
  std::optional<std::vector<Change>> saved_;  // edits in the last recording that was written
  // Key of the last edit if the next edit may continue it, else "". See make().
  std::string last_edit_;
  std::shared_ptr<const std::vector<Problem>> problems_ = std::make_shared<std::vector<Problem>>();
  long errors_, reported_;  // as in SessionState

  bool playing_ = false;
  std::optional<long long> hold_;
  // The requested step in a recording. The row that is shown is at this step or before it.
  long long shown_step_ = 0;
  double speed_ = 1, real_time_factor_ = 0;
  Clock::time_point clock_start_{}, measured_at_{};
  long long clock_step_ = 0, measured_step_ = 0;

  std::optional<JournalKeeper> journal_;
  bool journal_due_ = false;
  Clock::time_point next_journal_{};

  std::jthread thread_;  // last: starts when all other members exist
};

}  // namespace torsor::editor
