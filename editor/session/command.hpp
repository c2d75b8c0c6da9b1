#pragma once
// The commands of a session. The window posts them, and the thread of the run executes them.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "editor/session/problem.hpp"
#include "torsor/plugin/parameter.hpp"
#include "torsor/spatial/vec3.hpp"

namespace torsor::editor {
struct Scene;
}  // namespace torsor::editor

namespace torsor::editor::command {

struct Play {};  // up to the limit; at the limit, extends it by the scene's duration
struct Pause {};
struct PlayOrPause {};
// Pauses and moves by this many steps, forwards or backwards. In a recording, moves by rows.
struct Step {
  long long steps;
};
// Goes to a step. If the run has not reached the step yet, simulates up to it. Playback continues.
struct Go {
  long long step;
};
struct SetSpeed {
  double speed;  // simulated seconds per second, 1/64 to 64
};
struct ChangeSpeed {
  int octaves;  // multiplies the speed by 2^octaves, rounded to a power of two
};
// Holds playback at this step until another step or none is set. A video uses this to capture all
// of its frames.
struct HoldAt {
  std::optional<long long> step;
};

// The next seven types are edits of the run at its current step. Each one is a difference to the
// state at that step, and Session::Worker::make() turns it into a Change::What, which is a value.
// The window cannot do this, because the run may have made steps and other edits since the state
// that the window shows.
// In a mechanism with loops, SetPosition, SetVelocity and MoveFrame move the other joints such that
// the loops stay closed.
struct SetPosition {
  int column;  // of positions(model)
  double value;
};
struct SetVelocity {
  int column;  // of v
  double value;
};
struct SetTorque {
  int column;  // of v
  double value;
};
// Moves the joints such that a point of a frame's body is as near as possible to a point of the
// world.
struct MoveFrame {
  std::string frame;
  Vec3<double> point_F, target_W;  // m
};
// Pulls a point of a frame's body to a point of the world. The spring is the result of make_pull()
// at the start of the drag.
struct PullFrame {
  std::string frame;
  Vec3<double> point_F, target_W;  // m
};
struct ReleaseFrame {};  // removes the spring
// Sets a parameter of a control, ROBOT.CONTROL, or of the trajectory that it follows.
struct SetParameter {
  std::string control;
  enum class Of { law, reference } of;
  Parameter parameter;
};
struct Edit {
  // The scene that was shown to the user. The edit is rejected if the scene was reloaded since
  // then.
  std::shared_ptr<const Scene> scene;
  std::variant<SetPosition, SetVelocity, SetTorque, MoveFrame, PullFrame, ReleaseFrame,
               SetParameter>
      what;
  bool continued = false;  // continued edits of one drag are undone as one edit
};
struct SetSolver {
  std::string id;
};
// Selects a constraint solver with its default parameters, or with those of the scene if it is the
// constraint solver of the scene.
struct SetConstraintSolver {
  std::string id;
};

// Keeps this run and continues with a copy that ends at the current step. "": a default name.
struct Fork {
  std::string name = "";
};
// Continues a fork at its last step.
struct ChooseFork {
  std::string name;
};
struct DropFork {  // the fork must not be active
  std::string name;
};
// KeepSnapshot saves the current state with its run up to now. ShowSnapshot returns to the state.
// If the current run no longer contains it, ShowSnapshot replaces the run by the saved run; Undo
// restores the current run.
struct KeepSnapshot {
  std::string name = "";
};
struct ShowSnapshot {
  std::string name;
};
struct DropSnapshot {
  std::string name;
};
struct Undo {};
struct Redo {};
struct ClearEdits {};  // removes all edits of this run; can be undone

// Reloads the file and simulates to the current time with the edits that still fit. The other edits
// are reported. A failed load changes nothing and is reported.
struct Reload {};
// Writes FOLDER/SCENE.h5 as `torsor run` does: the run with its edits, up to the end of the scene
// or the last computed step. If this file exists and replace is false, adds a number to the name.
struct SaveRecording {
  std::filesystem::path folder;
  bool replace = false;
};
struct KeepWork {};  // saves edits, forks and snapshots for the next session of this scene
// Adds a message to Problems.
struct Report {
  Problem problem;
};
struct ClearProblems {};

}  // namespace torsor::editor::command

namespace torsor::editor {

using Command =
    std::variant<command::Play, command::Pause, command::PlayOrPause, command::Step, command::Go,
                 command::SetSpeed, command::ChangeSpeed, command::HoldAt, command::Edit,
                 command::SetSolver, command::SetConstraintSolver, command::Fork,
                 command::ChooseFork, command::DropFork, command::KeepSnapshot,
                 command::ShowSnapshot, command::DropSnapshot, command::Undo, command::Redo,
                 command::ClearEdits, command::Reload, command::SaveRecording, command::KeepWork,
                 command::Report, command::ClearProblems>;

}  // namespace torsor::editor
