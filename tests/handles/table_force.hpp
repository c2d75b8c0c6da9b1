#pragma once
// A force plugin inside the test program, behind the C tables.

#include <functional>
#include <memory>

#include "torsor/handles/force.hpp"

namespace torsor::test {

class TableForce : public Plugin {
 public:
  using Law = std::function<torsor_status(const torsor_state&, const torsor_kinematics&,
                                          const double* x, torsor_force_out&)>;

  explicit TableForce(Law law, size_t n_x = 0, const char* version = "1.0")
      : law_(std::move(law)), n_x_(n_x) {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "force.table";
    descriptor_.version = version;
    descriptor_.summary = descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return reason; }

  std::string reason;

 private:
  static TableForce& of(const torsor_plugin* p) { return *static_cast<TableForce*>(p->self); }
  static torsor_status prepare(torsor_plugin* p, const torsor_model*, torsor_sizes* out) {
    out->n_x = of(p).n_x_;
    return TORSOR_OK;
  }
  static torsor_status evaluate(const torsor_plugin* p, const torsor_model*,
                                const torsor_state* state, const torsor_kinematics* kinematics,
                                const double* x, double*, torsor_force_out* out) {
    return of(p).law_(*state, *kinematics, x, *out);
  }
  static const void* get_interface(const torsor_plugin*, const char*) {
    static constexpr torsor_force table{sizeof(torsor_force), 0, evaluate};
    return &table;
  }

  Law law_;
  size_t n_x_;
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_{};
};

inline std::shared_ptr<const Force> table_force(std::shared_ptr<const Model> model,
                                                TableForce::Law law, size_t n_x = 0,
                                                const char* version = "1.0") {
  return std::make_shared<const Force>(
      ConfiguredPlugin{std::make_unique<TableForce>(std::move(law), n_x, version)},
      std::move(model));
}

}  // namespace torsor::test
