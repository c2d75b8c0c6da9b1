// The signals of Recorder that belong to a control.

#include <fmt/format.h>

#include <algorithm>

#include "torsor/signals/control_signals.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/signals/signal_words.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

bool Recorder::add_control_signal(const SignalNames& names, const Robot& robot,
                                  const std::string& signal, std::string_view rest) {
  for (const size_t k : names.controls_of(robot)) {
    const Control& control = names.controls()[k];
    if (!rest.starts_with(control.name) || rest.size() <= control.name.size() ||
        rest[control.name.size()] != '.')
      continue;
    const std::string_view own = rest.substr(control.name.size() + 1);
    if (add_law_signal(robot, control, k, signal, own)) return true;
    const auto is_own = [&](const std::string& name) { return name == own; };
    const bool measured = std::ranges::any_of(measured_signals(control), is_own);
    if (!measured && !std::ranges::any_of(reference_signals(control), is_own)) continue;
    ControlColumns of_control = measured ? measured_signal(names, k, std::string(own), signal)
                                         : reference_signal(names, k, std::string(own), signal);
    std::ranges::move(of_control.columns, std::back_inserter(columns_));
    writers_.push_back([write = std::move(of_control.write)](const Source& s, double*& out) {
      write(s.simulation, out);
    });
    return true;
  }
  return false;
}

// own: the rest of the signal's name after "ROBOT.CONTROL.".
// Equations: KHALIL 9.28.
bool Recorder::add_law_signal(const Robot& robot, const Control& control, size_t k,
                              const std::string& signal, std::string_view own) {
  size_t first = 0;
  for (const LawSignal& of_law : control.law->signals()) {
    const size_t count = of_law.entries.size(), at = first;
    first += count;
    const bool lacks = of_law.is_acceleration && own == fmt::format("{}{}", of_law.name, residual);
    if (own != of_law.name && !lacks) continue;
    for (const auto& [entry, unit] : of_law.entries)
      columns_.push_back({entry.empty() ? signal : signal + "." + entry, unit, ""});
    writers_.push_back([=, first_v = robot.first_v](const Source& s, double*& out) {
      const double* values = s.simulation.control_signals(k).data() + at;
      out = std::copy_n(values, count, out);
      if (!lacks) return;
      const std::vector<double>& vdot = s.recorder.acceleration(s.simulation);
      for (size_t i = 0; i < count; ++i)
        out[std::ptrdiff_t(i) - std::ptrdiff_t(count)] -= vdot[size_t(first_v) + i];
    });
    return true;
  }
  return false;
}

}  // namespace torsor
