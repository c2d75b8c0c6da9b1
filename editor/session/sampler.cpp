#include "editor/session/sampler.hpp"

namespace torsor::editor {

class Sampler::Worker {};

Sampler::Sampler(const Registry&) {}
Sampler::~Sampler() = default;
void Sampler::want(std::shared_ptr<const Moment>, const std::vector<std::string>&) {}
void Sampler::read(const std::string&, const std::function<void(const Samples&)>&) const {}
bool Sampler::up_to_date() const {
  return true;
}

}  // namespace torsor::editor
