#pragma once
// The numbers of one view of the Dynamics panel, computed once for each state of the run.

#include <memory>
#include <optional>

#include "editor/panels/dynamics/table.hpp"
#include "editor/session/background_job.hpp"

namespace torsor::editor {

struct DynamicsData {
  NumberTable table{};
  double time = 0;                       // s, of the state that the numbers belong to
  std::vector<double> v{};               // [n_v] of that state
  std::optional<Spectrum> spectrum{};    // of M
  std::string singular{};                // why M is singular, or ""
  std::optional<SkewResidual> skew{};    // of C
  std::optional<FrameDynamics> frame{};  // of Lambda
};
// Computes a view at the state that the probe looks at.
DynamicsData dynamics_data(Probe& probe, DynamicsView view, const DynamicsChoice& choice);

// Provides the data of the view that is shown. Small models are computed at once. Models of many
// degrees of freedom are computed on a thread, and the data of the last state that was finished are
// shown until then.
class DynamicsSource {
 public:
  // Returns the data of a view, or nullptr while the first are computed. The pointer holds until
  // the next call. probe looks at now.
  const DynamicsData* data(const std::shared_ptr<const Moment>& now, Probe& probe,
                           DynamicsView view, const DynamicsChoice& choice);
  // How many states were computed so far.
  int computed() const { return computed_; }

 private:
  struct Request {
    std::shared_ptr<const Moment> moment;
    DynamicsView view = DynamicsView::M;
    DynamicsChoice choice{};
    bool same_view(const Request& other) const;
    bool operator==(const Request&) const = default;
  };
  const DynamicsData* in_background(const Request& wanted);

  Request shown_request_;
  std::optional<DynamicsData> shown_;
  int computed_ = 0;

  // Of the thread while it works.
  Request request_;
  std::optional<DynamicsData> result_;
  std::optional<Probe> probe_;
  BackgroundJob job_;  // last: it ends before what it works on goes
};

}  // namespace torsor::editor
