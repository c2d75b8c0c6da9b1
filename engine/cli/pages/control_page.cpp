#include "torsor/cli/pages/control_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;
using Settings = std::map<std::string, std::vector<double>>;

constexpr double degrees = 180 / std::numbers::pi;
constexpr const char* setting_names[] = {"kp", "kd", "ki", "resonance", "pole", "double_pole"};
constexpr size_t n_gains = 3;  // the first of these are gains; each of the others determines them

// Returns one number for each dof.
std::vector<double> per_dof(const std::string& name, const std::string& text, int n_v) {
  std::vector<double> out;
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("--control {}={}: {}", name, text, why));
  };
  const char *at = text.data(), *const end = at + text.size();
  for (;; ++at) {
    const char* const comma = std::find(at, end, ',');
    double value = 0;
    const auto [stop, error] = std::from_chars(at, comma, value);
    if (error != std::errc() || stop != comma || at == comma || !std::isfinite(value))
      fail("it must be a number, or one number for each degree of freedom, separated by commas");
    out.push_back(value);
    at = comma;
    if (at == end) break;
  }
  if (out.size() == 1) out.resize(size_t(n_v), out[0]);
  if (out.size() != size_t(n_v))
    fail(fmt::format("{} numbers for {} degrees of freedom", out.size(), n_v));
  return out;
}

Settings parse(const std::vector<std::string>& settings, int n_v) {
  Settings out;
  for (const auto& [name, text] : read_settings(settings, "--control")) {
    const auto known = std::find(std::begin(setting_names), std::end(setting_names), name);
    if (known == std::end(setting_names))
      throw Error(fmt::format(
          "--control: there is no setting '{}'; there are kp, kd, ki, resonance, pole, double_pole",
          name));
    out[name] = per_dof(name, text, n_v);
    if (known - std::begin(setting_names) >= int(n_gains) && settings.size() > 1)
      throw Error(fmt::format("--control: {} determines the gains; leave the others out", name));
  }
  return out;
}

// Returns the settings of the controller pid of a control. The model has one robot.
Settings settings_of(const std::string& name, const std::vector<Control>& controls,
                     const Model& model) {
  const auto name_of = [&](const Control& control) { return full_name(model, control); };
  const auto found = std::ranges::find(controls, name, name_of);
  if (found == controls.end()) {
    std::vector<std::string> names;
    for (const Control& control : controls) names.push_back(name_of(control));
    throw Error(fmt::format(
        "--control {}: {}; give the gains, for example --control kp=100 --control kd=20", name,
        names.empty() ? "the robot has no controls"
                      : fmt::format("there is no control with this name; there are {}",
                                    fmt::join(names, ", "))));
  }
  const auto* law = dynamic_cast<const ControllerLaw*>(found->law.get());
  if (law == nullptr || law->controller().id() != "controller.pid")
    throw Error(fmt::format("--control {}: this control is not the controller pid", name));
  Settings out;
  for (const Setting& setting : law->controller().settings()) {
    if (!std::ranges::count(setting_names, setting.name)) continue;
    if (const auto* list = std::get_if<std::vector<double>>(&setting.value)) {
      if (list->empty()) continue;
      out[setting.name] = *list;
      if (list->size() == 1) out[setting.name].resize(size_t(model.n_v), list->front());
    } else if (const double value = std::get<double>(setting.value); value > 0) {
      out[setting.name] = std::vector<double>(size_t(model.n_v), value);
    }
  }
  return out;
}

JointLoop loop_of(const Settings& settings, size_t dof, double inertia, double viscous) {
  const auto at = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? 0 : found->second[dof];
  };
  if (settings.contains("resonance"))
    return JointLoop::with_pole(inertia, viscous, at("resonance") / 2, 3);
  if (settings.contains("pole")) return JointLoop::with_pole(inertia, viscous, at("pole"), 3);
  if (settings.contains("double_pole"))
    return JointLoop::with_pole(inertia, viscous, at("double_pole"), 2);
  return {inertia, viscous, at("kp"), at("kd"), at("ki")};
}

// Returns a polynomial such as "2 s^2 + 0.5 s + 1". The last coefficient is that of s^0.
std::string polynomial(const std::vector<double>& coefficients) {
  std::string out;
  for (size_t k = 0; k < coefficients.size(); ++k) {
    const size_t power = coefficients.size() - 1 - k;
    if (coefficients[k] == 0) continue;
    const std::string s = power == 0 ? "" : power == 1 ? "s" : fmt::format("s^{}", power);
    const bool one = power > 0 && coefficients[k] == 1;
    out += (out.empty() ? "" : " + ") +
           (one ? s : fmt::format("{:.4g}{}{}", coefficients[k], s.empty() ? "" : " ", s));
  }
  return out.empty() ? "0" : out;
}

std::string poles_text(const std::vector<std::complex<double>>& poles) {
  std::string out;
  for (const std::complex<double>& pole : poles) {
    if (pole.imag() < 0) continue;  // written with its conjugate
    const double x = pole.real() + 0.0;
    out += out.empty() ? "" : ", ";
    out += pole.imag() == 0 ? fmt::format("{:.4g}", x)
                            : fmt::format("{:.4g} +- {:.4g} j (damping {:.3g})", x, pole.imag(),
                                          -x / std::abs(pole));
  }
  return out + " rad/s";
}

std::string gain_margin_text(const LoopAnalysis& of) {
  if (std::isnan(of.gain_margin)) return "none: no factor on the gains changes the stability";
  return fmt::format("stable {}{} {:.4g} times the gains, where it oscillates at {:.4g} rad/s",
                     of.stability == Stability::stable ? "" : "only ",
                     of.stable_above_margin ? "above" : "below", of.gain_margin, of.gain_frequency);
}

std::string stability_text(const LoopAnalysis& of) {
  if (of.stability == Stability::stable) return "stable";
  return of.stability == Stability::marginal
             ? "NOT STABLE: a pole is on the imaginary axis; the joint does not reach its reference"
             : "UNSTABLE: a pole is right of the imaginary axis";
}

std::string dof_text(const ControlledDof& dof, const char* rad) {
  const auto& [a, F, kp, kd, ki] = dof.loop;
  const LoopAnalysis& of = dof.analysis;
  const std::string force = dof.turns ? "N m" : "N";
  const bool third = ki != 0;
  std::string out = fmt::format("{}: {}\n", dof.name, stability_text(of));
  const auto line = [&](const char* name, const std::string& text) {
    out += fmt::format("  {:<13} {}\n", name, text);
  };
  line("joint", fmt::format("a = {:.5g} {}, F_v = {:.5g} {} s/{}", a, dof.turns ? "kg m^2" : "kg",
                            F, force, rad));
  line("gains", fmt::format("K_p = {:.5g} {}/{}, K_d = {:.5g} {} s/{}, K_i = {:.5g} {}/({} s)", kp,
                            force, rad, kd, force, rad, ki, force, rad));
  line("q / q_d",
       third ? fmt::format("({}) / ({})", polynomial({kd, kp, ki}), polynomial({a, kd + F, kp, ki}))
             : fmt::format("({}) / ({})", polynomial({kd, kp}), polynomial({a, kd + F, kp})));
  line("poles", poles_text(of.poles));
  line("phase margin",
       std::isnan(of.phase_margin)
           ? "none: the gain of the open loop is never 1"
           : fmt::format("{:.4g} deg at {:.4g} rad/s", of.phase_margin * degrees, of.crossover));
  line("gain margin", gain_margin_text(of));
  line("bandwidth", std::isnan(of.bandwidth) ? "none" : fmt::format("{:.4g} rad/s", of.bandwidth));
  if (of.stability != Stability::stable) return out;
  const StepResponse step = measure_step(dof.loop, of);
  line("step", fmt::format("overshoot {:.3g} %, within 2 % after {:.4g} s", 100 * step.overshoot,
                           step.settling));
  return out;
}

// Returns 400 frequencies, equally spaced in their logarithm, around those of all loops.
std::vector<double> shown_frequencies(const std::vector<ControlledDof>& dofs) {
  double least = INFINITY, most = 0;
  const auto add = [&](double w) {
    if (w > 0 && std::isfinite(w)) least = std::min(least, w), most = std::max(most, w);
  };
  for (const ControlledDof& dof : dofs) {
    for (const std::complex<double>& pole : dof.analysis.poles) add(std::abs(pole));
    for (const double w :
         {dof.analysis.crossover, dof.analysis.gain_frequency, dof.analysis.bandwidth})
      add(w);
  }
  if (most == 0) least = most = 1;
  constexpr int count = 400;
  std::vector<double> out;
  for (int k = 0; k < count; ++k)
    out.push_back(least / 10 * std::pow(100 * most / least, double(k) / (count - 1)));
  return out;
}

// Returns the root locus: the poles of the closed loop if a factor from 0.01 to 100 multiplies all
// gains. Each pole is a branch of (real part, imaginary part). NaN separates the branches, and
// omits poles that are more than three times as far from 0 as those of factor 1.
std::vector<std::pair<double, double>> root_locus(const JointLoop& loop) {
  constexpr int count = 1200;
  std::vector<std::vector<std::complex<double>>> branches;
  double farthest = 0;
  for (const std::complex<double>& pole : poles(loop))
    farthest = std::max(farthest, 3 * std::abs(pole));
  for (int k = 0; k <= count; ++k) {
    const double factor = std::pow(10, 4.0 * k / count - 2);
    std::vector<std::complex<double>> left = poles(loop.with_gains_times(factor));
    if (k == 0) branches.resize(left.size());
    for (auto& branch : branches) {
      // Each branch continues with the nearest pole that is left.
      const auto nearest = std::ranges::min_element(left, {}, [&](std::complex<double> pole) {
        return branch.empty() ? 0 : std::abs(pole - branch.back());
      });
      branch.push_back(*nearest);
      left.erase(nearest);
    }
  }
  std::vector<std::pair<double, double>> out;
  for (const auto& branch : branches) {
    for (const std::complex<double>& pole : branch)
      if (std::abs(pole) <= farthest) out.emplace_back(pole.real(), pole.imag());
    if (!out.empty()) out.emplace_back(out.back().first, NAN);
  }
  return out;
}

Json or_null(double x) {
  if (std::isfinite(x)) return x;
  return nullptr;
}

}  // namespace

std::vector<ControlledDof> controlled_dofs(const Model& model, const std::vector<double>& inertia,
                                           const std::vector<std::string>& settings,
                                           const std::vector<Control>& controls) {
  const Settings given = settings.size() == 1 && settings[0].find('=') == std::string::npos
                             ? settings_of(settings[0], controls, model)
                             : parse(settings, model.n_v);
  const std::vector<std::string> names = model.dof_names();
  const std::vector<Mimicry> following = followers(model);
  std::vector<ControlledDof> out;
  for (int k = 0; k < model.n_v; ++k) {
    const std::string& name = names[size_t(k)];
    if (std::ranges::count(following, k, &Mimicry::dof) > 0) continue;
    double viscous = model.linear_friction(k).viscous;
    bool passive = model.drives[size_t(k)].passive;
    for (const Mimicry& each : following)
      if (each.of_dof == k) {
        viscous += each.ratio * each.ratio * model.linear_friction(each.dof).viscous;
        passive &= model.drives[size_t(each.dof)].passive;
      }
    if (passive) continue;
    try {
      const JointLoop loop = loop_of(given, size_t(k), inertia[size_t(k)], viscous);
      out.push_back({name, model.dof(k).turns(), loop, analyse(loop)});
    } catch (const Error& error) {
      throw Error(fmt::format("--control: {}: {}", name, error.what()));
    }
  }
  if (out.empty()) throw Error("--control: no joint of this robot has a motor");
  return out;
}

std::string control_text(const std::vector<ControlledDof>& dofs, const std::string& file) {
  std::string out = fmt::format(
      "{}: each joint alone under PID, with its largest inertia a (KHALIL 9.3)\n", file);
  for (const ControlledDof& dof : dofs) out += "\n" + dof_text(dof, dof.turns ? "rad" : "m");
  return out;
}

Json control_json(const std::vector<ControlledDof>& dofs, const std::string& file) {
  Json list = Json::array();
  for (const ControlledDof& dof : dofs) {
    const auto& [a, F, kp, kd, ki] = dof.loop;
    const LoopAnalysis& of = dof.analysis;
    Json poles = Json::array();
    for (const std::complex<double>& pole : of.poles) poles.push_back({pole.real(), pole.imag()});
    Json row{{"dof", dof.name},
             {"inertia", a},
             {"viscous", F},
             {"kp", kp},
             {"kd", kd},
             {"ki", ki},
             {"numerator", {kd, kp, ki}},
             {"denominator", dof.loop.characteristic()},
             {"poles", poles},
             {"stability", name(of.stability)},
             {"phase_margin", or_null(of.phase_margin)},
             {"crossover", or_null(of.crossover)},
             {"gain_margin", or_null(of.gain_margin)},
             {"gain_frequency", or_null(of.gain_frequency)},
             {"bandwidth", or_null(of.bandwidth)}};
    if (of.stability == Stability::stable) {
      const StepResponse step = measure_step(dof.loop, of);
      row["overshoot"] = step.overshoot;
      row["settling"] = step.settling;
    }
    list.push_back(row);
  }
  return {{"robot", file}, {"control", list}};
}

void draw_control(const std::vector<ControlledDof>& dofs, const std::filesystem::path& out) {
  const HorizontalAxis frequency{"frequency [rad/s]", true};
  DrawnPanel gain{"open loop [dB]", {}, frequency}, phase{"open loop [deg]", {}, frequency},
      closed{"q / q_d [dB]", {}, frequency}, step{"step response [1]", {}},
      locus{"poles, imaginary part [rad/s]",
            {},
            {"poles for 0.01 to 100 times the gains, real part [rad/s]"}};
  const std::vector<double> w = shown_frequencies(dofs);
  constexpr size_t count = 500;
  double until = 0;
  for (const ControlledDof& dof : dofs) until = std::max(until, shown_time(dof.analysis));
  for (const ControlledDof& dof : dofs) {
    for (DrawnPanel* panel : {&gain, &phase, &closed, &step})
      panel->curves.push_back({dof.name, {}});
    double angle = 0;
    for (const double x : w) {
      const std::complex<double> L = dof.loop.open({0, x});
      // The phase is continuous, from -pi/2 or below.
      angle += std::remainder(std::arg(L) - angle, 2 * std::numbers::pi);
      if (x == w.front() && angle > 0) angle -= 2 * std::numbers::pi;
      gain.curves.back().points.emplace_back(x, 20 * std::log10(std::abs(L)));
      phase.curves.back().points.emplace_back(x, angle * degrees);
      closed.curves.back().points.emplace_back(x,
                                               20 * std::log10(std::abs(dof.loop.closed({0, x}))));
    }
    locus.curves.push_back({dof.name, root_locus(dof.loop)});
    const double h = until / (count - 1);
    const std::vector<double> q = step_response(dof.loop, h, count);
    for (size_t k = 0; k < count; ++k)
      // An unstable response is cut where it leaves the picture.
      step.curves.back().points.emplace_back(h * double(k), std::abs(q[k]) < 3 ? q[k] : NAN);
  }
  draw({gain, phase, closed, step, locus}, out);
}

}  // namespace torsor::cli
