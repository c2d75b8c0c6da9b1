// The values of a trace, with names and units for display.

#include <fmt/format.h>

#include "torsor/handles/tracer.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor {

namespace {

// Units of the kinds that belong to bodies, indexed by kind. column_unit() returns the units of the
// kinds that belong to dof.
constexpr const char* body_units[] = {"rad/s",          "rad/s^2", "m/s^2",           "rad/s, m/s",
                                      "rad/s^2, m/s^2", "N m, N",  "kg m^2, kg m, kg"};

std::string column_unit(int kind, const JointDof& column) {
  switch (kind) {
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
  return table_.quantities[size_t(step.quantity)].in_parent ? model_->parent[size_t(step.body)]
                                                            : step.body;
}

void Tracer::add_traced(std::vector<TracedValue>& out, int quantity, char index, int body) const {
  const TracedQuantity& of = table_.quantities[size_t(quantity)];
  const std::string symbol = fmt::format("{}_{}", of.symbol, index);
  const size_t count = sdk::trace_numbers(of.kind);
  const int rows = count == 36 ? 6 : 1, columns = int(count) / rows;
  const std::string frame = count == 1 ? "" : link_name(frame_body({body, quantity}));
  const auto add = [&](int row, const std::string& who, std::string unit) {
    const std::span<const double> x = at(quantity, row);
    out.push_back({symbol, who, frame, std::move(unit), rows, columns, {x.begin(), x.end()}});
  };
  if (!sdk::traced_by_column(of.kind)) return add(body, link_name(body), body_units[of.kind]);
  for (int k = model_->v_index[size_t(body)];
       k < model_->v_index[size_t(body)] + model_->v_count[size_t(body)]; ++k)
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
        out.push_back({name, who, link, column.turns() ? "1, m/rad" : "rad/m, 1", 1, 6,
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
    if (index != 'c') continue;
    for (int c = step.body + 1; c < model_->n_body; ++c)
      if (model_->parent[size_t(c)] == step.body) add(out, symbol, index, c);
  }
  return out;
}

}  // namespace torsor
