#include "torsor/scripting/values/joint_values.hpp"

#include <cmath>
#include <limits>

namespace torsor::lua {

void mark_missing(const Model& model, std::vector<double>& q, std::vector<double>& v) {
  const auto mark = [&](int column) {
    q[size_t(model.coordinate[size_t(column)])] = v[size_t(column)] =
        std::numeric_limits<double>::quiet_NaN();
  };
  for (const Mimicry& mimic : model.mimics) mark(mimic.dof);
  for (const ElasticRotor& rotor : model.elastic_rotors) mark(rotor.rotor_dof);
}

void fill_missing(const Model& model, std::vector<double>& q, std::vector<double>& v) {
  std::vector<double> all_q = q, all_v = v;
  follow_mimics(model, all_q, all_v);
  for (const ElasticRotor& rotor : model.elastic_rotors) {
    all_q[size_t(model.coordinate[size_t(rotor.rotor_dof)])] =
        rotor.ratio * all_q[size_t(model.coordinate[size_t(rotor.dof)])];
    all_v[size_t(rotor.rotor_dof)] = rotor.ratio * all_v[size_t(rotor.dof)];
  }
  for (size_t k = 0; k < q.size(); ++k)
    if (std::isnan(q[k])) q[k] = all_q[k];
  for (size_t k = 0; k < v.size(); ++k)
    if (std::isnan(v[k])) v[k] = all_v[k];
}

}  // namespace torsor::lua
