#include "conformance/raw_solver.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "support/allocation_counter.hpp"

namespace torsor::test {

namespace {
void ignore_report(const torsor_host*, torsor_status, const char*) {}
const void* no_service(const torsor_host*, const char*) {
  return nullptr;
}
}  // namespace

RawSolver::RawSolver(const PluginInfo& info, const torsor_model& model)
    : host_{sizeof(torsor_host), nullptr, ignore_report, no_service},
      model_(model),
      min_pivot_(model.n_body, 0.0) {
  file_ = dlopen(info.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!file_) throw std::runtime_error(dlerror());
  const auto entry =
      reinterpret_cast<decltype(&torsor_plugin_entry)>(dlsym(file_, "torsor_plugin_entry"));
  if (!entry) throw std::runtime_error(dlerror());
  const long before = allocations();
  for (uint32_t k = 0; k < entry()->n_descriptor; ++k)
    if (entry()->descriptor[k]->id == info.id) plugin_ = entry()->descriptor[k]->create(&host_);
  if (!plugin_ || plugin_->prepare(plugin_, &model_, &sizes_) != TORSOR_OK)
    throw std::runtime_error(info.id + " does not take the model");
  table_ = static_cast<const torsor_solver*>(plugin_->get_interface(plugin_, TORSOR_SOLVER));
  partials_ = static_cast<const torsor_solver_partials*>(
      plugin_->get_interface(plugin_, TORSOR_SOLVER_PARTIALS));
  rates_ =
      static_cast<const torsor_solver_rates*>(plugin_->get_interface(plugin_, TORSOR_SOLVER_RATES));
  allocations_of_setup_ = allocations() - before;
}

RawSolver::~RawSolver() {
  if (plugin_) plugin_->destroy(plugin_);
  if (file_) dlclose(file_);
}

bool RawSolver::offers(Quantity quantity) const {
  return row_of(quantity).member.is_offered(*table_);
}

torsor_status RawSolver::call(Quantity quantity, const torsor_state& given, const double* in,
                              double* work, double* out) const {
  torsor_state state = given;
  state.min_pivot = min_pivot_.data();
  return row_of(quantity).member.call(*table_, plugin_, &model_, &state, in, work, out);
}

size_t RawSolver::out_size(Quantity quantity) const {
  return entries(quantity, size_t(model_.n_v));
}

Matrix ask_plugin(const PluginInfo& info, const torsor_model& model, const torsor_state& state,
                  Quantity quantity, const Vector& in) {
  const RawSolver solver(info, model);
  if (!solver.offers(quantity)) return {};
  Matrix out = Matrix::Zero(model.n_v, Eigen::Index(solver.out_size(quantity)) / model.n_v);
  WorkArea work(solver.work_doubles());
  EXPECT_EQ(solver.call(quantity, state, in.data(), work.data(), out.data()), TORSOR_OK)
      << name(quantity);
  return out;
}

}  // namespace torsor::test
