#include "torsor/control/controller_law.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor {

namespace {

const char* kind_of_reference(int reference) {
  constexpr const char* kinds[] = {"none", "a motion of the joints", "a motion of a frame"};
  return kinds[reference];
}

const char* name_of_derivative(int order) {
  constexpr const char* names[] = {"position", "velocity", "acceleration", "jerk", "snap"};
  return names[std::clamp(order, 0, 4)];
}

// Returns the end of a message about a jump of the derivative of this order. It describes the
// effect on the torques of elastic joints, whose springs transmit only continuous torques.
const char* consequence(int order) {
  constexpr const char* texts[] = {
      "", "", ", and so does tau: at the start it is not the torque at rest",
      ", and so does tau': at the start it is not 0", ", and so does tau''"};
  return texts[std::clamp(order, 0, 4)];
}

// Returns the signals of a controller. If the reference is a motion of joints, adds q_d and error.
std::vector<LawSignal> signals_of(const Controller& controller) {
  const Model& model = controller.model();
  const std::vector<std::string> columns = model.dof_names(),
                                 coordinates = model.coordinate_names();
  std::vector<LawSignal> out;
  for (const ControlSignal& signal : controller.signals()) {
    LawSignal& made = out.emplace_back(LawSignal{signal.name, {}, signal.is_acceleration});
    for (size_t k = 0; k < signal.count; ++k) {
      const bool of_torque = signal.unit.empty() || signal.unit[0] == '/';
      const std::string unit = signal.is_acceleration ? std::string(model.dof(int(k)).vdot_unit())
                               : of_torque && signal.per_dof
                                   ? std::string(model.dof(int(k)).tau_unit()) + signal.unit
                                   : signal.unit;
      const std::string name = signal.per_dof      ? columns[k]
                               : signal.count == 1 ? ""
                                                   : std::to_string(k + 1);
      made.entries.emplace_back(name, unit);
    }
  }
  if (controller.reference() != TORSOR_REFERENCE_JOINTS) return out;
  LawSignal q_d{"q_d", {}}, e{"error", {}};
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < kind.n_q; ++k)
      q_d.entries.emplace_back(coordinates[size_t(joint.q_index + k)],
                               kind.coordinates[size_t(k)].unit);
  }
  for (int k = 0; k < model.n_v; ++k)
    e.entries.emplace_back(columns[size_t(k)], model.dof(k).turns() ? "rad" : "m");
  out.push_back(std::move(q_d));
  out.push_back(std::move(e));
  return out;
}

}  // namespace

ControllerLaw::ControllerLaw(std::shared_ptr<const Controller> controller,
                             std::optional<ReferenceLaw> reference)
    : controller_(std::move(controller)),
      reference_(std::move(reference)),
      signals_(signals_of(*controller_)),
      at_(controller_->dynamics().model_ptr()),
      desired_(at_),
      rest_(at_.v.size(), 0.0),
      result_(controller_->make_result()) {
  const int given = !reference_            ? TORSOR_REFERENCE_NONE
                    : reference_->of_frame ? TORSOR_REFERENCE_FRAME
                                           : TORSOR_REFERENCE_JOINTS;
  if (given != controller_->reference())
    throw Error(
        controller_->reference() == TORSOR_REFERENCE_NONE
            ? fmt::format("controller '{}' has no reference; remove 'reference'", controller_->id())
            : fmt::format("controller '{}' needs {} as its reference; {} is given",
                          controller_->id(), kind_of_reference(controller_->reference()),
                          kind_of_reference(given)));
  if (reference_ && reference_->smoothness < controller_->smoothness())
    throw Error(fmt::format(
        "controller '{}' needs a reference whose first {} derivatives are continuous; the {} of "
        "this reference jumps{}",
        controller_->id(), controller_->smoothness(),
        name_of_derivative(reference_->smoothness + 1), consequence(reference_->smoothness + 1)));
  if (reference_) now_ = reference_->make();
  for (const LawSignal& signal : signals_) n_signal_ += signal.entries.size();
}

uint64_t ControllerLaw::fingerprint() const {
  Hash hash;
  hash.add(controller_->fingerprint());
  hash.add(reference_ ? reference_->fingerprint : 0);
  return hash.value();
}

void ControllerLaw::follow(double t, torsor_control_input& input) {
  if (!reference_) return;
  reference_->evaluate(t, now_);
  if (reference_->of_frame) {
    input.X_d = reinterpret_cast<const double*>(&now_.X_WF);
    input.V_d = reinterpret_cast<const double*>(&now_.V[0]);
    input.Vdot_d = reinterpret_cast<const double*>(&now_.V[1]);
    return;
  }
  const auto or_rest = [&](const std::vector<double>& given) {
    return given.empty() ? rest_.data() : given.data();
  };
  if (controller_->smoothness() >= 3 && !now_.v.empty() &&
      (now_.vddot.empty() || now_.vdddot.empty()))
    throw Error(
        fmt::format("controller '{}' also needs {} of its reference, a derivative of its vdot",
                    controller_->id(), now_.vddot.empty() ? "vddot" : "vdddot"));
  desired_.set_q(now_.q);
  std::copy_n(or_rest(now_.v), rest_.size(), desired_.v.data());
  track(at_, desired_, or_rest(now_.vdot), tracking_);
  input.q_d = now_.q.data();
  input.v_d = desired_.v.data();
  input.vdot_d = or_rest(now_.vdot);
  input.vddot_d = or_rest(now_.vddot);
  input.vdddot_d = or_rest(now_.vdddot);
  input.e = tracking_.e.data();
  input.v_r = tracking_.v_r.data();
  input.a_r = tracking_.a_r.data();
}

// Returns the explanation of a status. For a law that controls a frame in a singular configuration,
// the explanation states the direction in which the frame cannot be moved.
std::string ControllerLaw::explain(Status status) const {
  if (controller_->reference() != TORSOR_REFERENCE_FRAME) return controller_->explain(status);
  const int code = TORSOR_STATUS_CODE(status.value);
  if (code == Status::not_finite)
    return controller_->explain(status) +
           ": near a singular configuration, for example with a target out of reach, the joint "
           "rates have no bound";
  if (code != TORSOR_SINGULAR) return controller_->explain(status);
  Components components;
  components.fill(true);
  const FramePlace* place = nullptr;
  for (const Setting& setting : controller_->settings()) {
    if (const auto* frames = std::get_if<std::vector<FramePlace>>(&setting.value);
        frames && frames->size() == 1)
      place = &frames->front();
    const auto* chosen = std::get_if<std::vector<double>>(&setting.value);
    if (setting.name != "components" || !chosen || chosen->empty()) continue;
    components.fill(false);
    for (const double k : *chosen) components.at(size_t(k) - 1) = true;
  }
  if (!place) return controller_->explain(status);
  Frame frame = frame_at(controller_->model(), *place);
  frame.name = place->name;
  return describe_singularity(at_, frame, components) +
         "; name fewer components, or use another path (a target out of reach stretches the arm)";
}

void ControllerLaw::evaluate(const Measured& at, double period, std::span<const double> max_torque,
                             std::span<const double> x, const Answer& out) {
  at_.set_q(at.q);
  std::copy(at.v.begin(), at.v.end(), at_.v.begin());
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.time = at.t;
  input.period = period;
  input.q = at_.q().data();
  input.v = at_.v.data();
  input.motor_q = at.motor_q.empty() ? input.q : at.motor_q.data();
  input.motor_v = at.motor_v.empty() ? input.v : at.motor_v.data();
  input.max_torque = max_torque.data();
  input.tau_lower = at.lower.data();
  input.tau_upper = at.upper.data();
  input.n_sensor = uint32_t(at.sensors.size());
  input.sensor = at.sensors.empty() ? nullptr : at.sensors.data();
  input.x = x.data();
  input.memory = out.memory.data();
  follow(at.t, input);
  if (const Status status = controller_->evaluate(input, result_); !status)
    throw LawError(explain(status));
  std::copy(result_.tau.begin(), result_.tau.end(), out.tau.begin());
  std::copy(result_.xdot.begin(), result_.xdot.end(), out.xdot.begin());
  std::copy(result_.memory.begin(), result_.memory.end(), out.memory.begin());
  double* signal = std::copy(result_.signal.begin(), result_.signal.end(), out.signal.data());
  if (controller_->reference() != TORSOR_REFERENCE_JOINTS) return;
  signal = std::copy(now_.q.begin(), now_.q.end(), signal);
  std::copy(tracking_.e.begin(), tracking_.e.end(), signal);
}

}  // namespace torsor
