// The values of a trace, with names and units for display.

#include <fmt/format.h>

#include "torsor/handles/quantity.hpp"
#include "torsor/handles/tracer.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor {

namespace {

// Units of the kinds that belong to bodies, indexed by kind. column_unit() returns the units of the
// kinds that belong to dof.
constexpr const char* body_units[] = {
    "rad/s", "rad/s^2", "m/s^2", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N", "kg m^2, kg m, kg", "m"};

std::string column_unit(int kind, const JointDof& column) {
  switch (kind) {
    case TORSOR_TRACE_JOINT_VELOCITY:
      return std::string(column.v_unit());
    case TORSOR_TRACE_JOINT_ACCELERATION:
      return std::string(column.vdot_unit());
    case TORSOR_TRACE_JOINT_FORCE:
      return std::string(column.tau_unit());
    case TORSOR_TRACE_JOINT_INERTIA:
      return std::string(column.armature_unit());
    default:  // TORSOR_TRACE_JOINT_WRENCH
      return column.turns() ? "kg m^2, kg m" : "kg m, kg";
  }
}

const char* screw_unit(bool turns) {
  return turns ? "1, m/rad" : "rad/m, 1";
}

// Returns true if body b is body a or a descendant of it.
bool carries(const Model& model, int a, int b) {
  while (b > a) b = model.parent[size_t(b)];
  return b == a;
}

template <class Numbers>
std::vector<double> six(const Numbers& a, const Numbers& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

}  // namespace

const std::string& Tracer::link_name(int body) const {
  static const std::string world = "world";
  return body == 0 ? world : model_->links[size_t(link(body))].name;
}

int Tracer::frame_body(const TraceStep& step) const {
  const int axes = table_.quantities[size_t(step.quantity)].axes;
  if (axes == TORSOR_TRACE_IN_PARENT) return model_->parent[size_t(step.body)];
  int body = step.body;
  while (axes == TORSOR_TRACE_IN_FIRST && model_->parent[size_t(body)] > 0)
    body = model_->parent[size_t(body)];
  return body;
}

void Tracer::add_columns(std::vector<TracedValue>& out, TracedValue form, int quantity,
                         int body) const {
  const std::span<const double> x = at(quantity, body);
  const bool rate = table_.quantities[size_t(quantity)].kind == TORSOR_TRACE_JACOBIAN_RATE;
  form.columns = 6;
  for (int k = 0; k < model_->n_v; ++k) {
    if (!carries(*model_, model_->joint_of_dof(k).body, body)) continue;
    const bool turns = model_->dof(k).turns();
    form.of = fmt::format("{}, {}", link_name(body), column_names_[size_t(k)]);
    form.unit = rate ? (turns ? "1/s, m/(rad s)" : "rad/(m s), 1/s") : screw_unit(turns);
    form.x.assign(x.begin() + 6 * k, x.begin() + 6 * k + 6);
    out.push_back(form);
  }
}

void Tracer::add_row(std::vector<TracedValue>& out, TracedValue form, int quantity, int k) const {
  const bool inertia = table_.quantities[size_t(quantity)].kind == TORSOR_TRACE_JOINT_INERTIA_ROW;
  const int body = model_->joint_of_dof(k).body;
  for (int l = 0; l < model_->n_v; ++l) {
    const int other = model_->joint_of_dof(l).body;
    if (!carries(*model_, other, body) && !carries(*model_, body, other)) continue;
    const bool turns[] = {model_->dof(k).turns(), model_->dof(l).turns()};
    form.of = fmt::format("{}, {}", column_names_[size_t(k)], column_names_[size_t(l)]);
    form.unit = inertia ? unit_of_inertia(turns) : unit_of_coriolis(turns);
    form.x = {at(quantity, k)[size_t(l)]};
    out.push_back(form);
  }
}

void Tracer::add_symbols(std::vector<TracedValue>& out, TracedValue form, int quantity,
                         int k) const {
  const std::span<const double> x = at(quantity, k);
  for (size_t entry = 0; entry < x.size(); ++entry) {
    if (x[entry] == 0) continue;
    const int l = int(entry) / model_->n_v, m = int(entry) % model_->n_v;
    const bool turns[] = {model_->dof(k).turns(), model_->dof(l).turns(), model_->dof(m).turns()};
    form.of = fmt::format("{}, {}, {}", column_names_[size_t(k)], column_names_[size_t(l)],
                          column_names_[size_t(m)]);
    form.unit = unit_of_christoffel(turns);
    form.x = {x[entry]};
    out.push_back(form);
  }
}

void Tracer::add_traced(std::vector<TracedValue>& out, int quantity, char index, int body) const {
  const TracedQuantity& of = table_.quantities[size_t(quantity)];
  const std::string symbol = fmt::format("{}_{}", of.symbol, index);
  const bool framed = !sdk::traced_by_column(of.kind) || of.kind == TORSOR_TRACE_JOINT_WRENCH;
  const std::string frame = framed ? link_name(frame_body({body, quantity})) : "";
  const TracedValue form{symbol, "", frame, "", 1, 1, {}};
  if (of.kind == TORSOR_TRACE_JACOBIAN || of.kind == TORSOR_TRACE_JACOBIAN_RATE)
    return add_columns(out, form, quantity, body);
  const size_t count = sdk::trace_numbers(of.kind, model_->n_v);
  const int rows = of.kind == TORSOR_TRACE_INERTIA ? 6 : 1, columns = int(count) / rows;
  const auto add = [&](int row, const std::string& who, std::string unit) {
    const std::span<const double> x = at(quantity, row);
    out.push_back({symbol, who, frame, std::move(unit), rows, columns, {x.begin(), x.end()}});
  };
  if (!sdk::traced_by_column(of.kind)) return add(body, link_name(body), body_units[of.kind]);
  for (int k = model_->v_index[size_t(body)];
       k < model_->v_index[size_t(body)] + model_->v_count[size_t(body)]; ++k)
    if (of.kind == TORSOR_TRACE_JOINT_INERTIA_ROW || of.kind == TORSOR_TRACE_JOINT_CORIOLIS_ROW)
      add_row(out, form, quantity, k);
    else if (of.kind == TORSOR_TRACE_JOINT_SYMBOLS)
      add_symbols(out, form, quantity, k);
    else
      add(k, column_names_[size_t(k)], column_unit(of.kind, model_->dof(k)));
}

void Tracer::add_given(std::vector<TracedValue>& out, const std::string& symbol, char index,
                       int body) const {
  const size_t b = size_t(body);
  const std::string name = fmt::format("{}_{}", symbol, index), &link = link_name(body);
  if (symbol == "X") {
    const Pose<double>& X = X_PL_[b];
    const double* R = X.R.m;
    out.push_back({name,
                   link,
                   link_name(model_->parent[b]),
                   "1, m",
                   3,
                   4,
                   {R[0], R[1], R[2], X.p.x, R[3], R[4], R[5], X.p.y, R[6], R[7], R[8], X.p.z}});
  } else if (symbol == "M") {
    const SpatialInertia<double>& M = inertia_L_[b];
    out.push_back({name,
                   link,
                   link,
                   "kg, kg m, kg m^2 (m, h, Ixx Iyy Izz Ixy Ixz Iyz)",
                   1,
                   10,
                   {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz}});
  } else if (symbol == "Fe") {
    out.push_back({name, link, link, "N m, N", 1, 6, six(F_L_[b].n, F_L_[b].f)});
  } else {
    for (int k = model_->v_index[b]; k < model_->v_index[b] + model_->v_count[b]; ++k) {
      const JointDof& column = model_->dof(k);
      const std::string& who = column_names_[size_t(k)];
      if (symbol == "S")
        out.push_back({name, who, link, screw_unit(column.turns()), 1, 6,
                       six(S_L_[size_t(k)].w, S_L_[size_t(k)].v)});
      else if (symbol == "v")
        out.push_back({name, who, "", std::string(column.v_unit()), 1, 1, {v_[size_t(k)]}});
      else if (symbol == "J")
        out.push_back({name,
                       who,
                       "",
                       std::string(column.armature_unit()),
                       1,
                       1,
                       {model_->armature[size_t(k)]}});
      else  // vdot or tau
        out.push_back({name,
                       who,
                       "",
                       std::string(of_forward() ? column.tau_unit() : column.vdot_unit()),
                       1,
                       1,
                       {given_[size_t(k)]}});
    }
  }
}

void Tracer::add(std::vector<TracedValue>& out, const std::string& symbol, char index,
                 int body) const {
  if (const auto quantity = table_.find(symbol))
    add_traced(out, *quantity, index, body);
  else if (body > 0)
    add_given(out, symbol, index, body);
}

std::vector<TracedValue> Tracer::outputs(const TraceStep& step) const {
  std::vector<TracedValue> out;
  add_traced(out, step.quantity, 'i', step.body);
  return out;
}

std::vector<TracedValue> Tracer::inputs(const TraceStep& step) const {
  std::vector<TracedValue> out;
  for (const auto& [symbol, index] : table_.quantities[size_t(step.quantity)].inputs) {
    if (index == 'i') add(out, symbol, index, step.body);
    if (index == 'p') add(out, symbol, index, model_->parent[size_t(step.body)]);
    for (int c = 1; c < model_->n_body; ++c)
      if (index == 'a' || (index == 's' && carries(*model_, step.body, c)) ||
          (index == 'c' && model_->parent[size_t(c)] == step.body))
        add(out, symbol, index, c);
  }
  return out;
}

}  // namespace torsor
