#pragma once
// The numbers of one view of the Dynamics panel. They are computed once per state of the run.

#include <memory>
#include <optional>

#include "editor/panels/dynamics/table.hpp"
#include "editor/probe/frame_dynamics.hpp"
#include "editor/probe/probe.hpp"
#include "editor/support/background_job.hpp"

namespace torsor::editor {

struct DynamicsData {
  NumberTable table{};
  double time = 0;                       // time of the state in s
  std::vector<double> v{};               // [n_v] of the state
  std::optional<Spectrum> spectrum{};    // for M
  std::string singular{};                // reason why M is singular, or ""
  std::optional<SkewResidual> skew{};    // for C
  std::optional<FrameDynamics> frame{};  // for Lambda
};
// Computes a view at the current state of the probe.
DynamicsData dynamics_data(Probe& probe, DynamicsView view, const DynamicsChoice& choice);

// Provides the data of the displayed view. For a small model, it is computed at once. For a model
// with many dof, it is computed on a thread, and the data of the last completed state is shown
// until then.
class DynamicsSource {
 public:
  // Returns the data of a view. Returns nullptr while no data of this view, scene and choice is
  // complete. The pointer is valid until the next call. The probe must be at the state of `now`.
  const DynamicsData* data(const std::shared_ptr<const SessionState>& now, Probe& probe,
                           DynamicsView view, const DynamicsChoice& choice);
  // Returns how many times new data has been shown.
  int computed() const { return computed_; }

 private:
  struct Request {
    std::shared_ptr<const SessionState> now;
    DynamicsView view = DynamicsView::M;
    DynamicsChoice choice{};
    bool same_view(const Request& other) const;
    bool operator==(const Request&) const = default;
  };
  const DynamicsData* in_background(const Request& wanted);

  Request shown_request_;
  std::optional<DynamicsData> shown_;
  int computed_ = 0;

  // Members that the thread uses while it runs.
  Request request_;
  std::optional<DynamicsData> result_;
  std::optional<Probe> probe_;
  // Declared last, so that its thread ends before the members above are destroyed.
  BackgroundJob job_;
};

}  // namespace torsor::editor
