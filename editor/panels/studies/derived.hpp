#pragma once
// A value that is computed from a key in the background.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "editor/support/background_job.hpp"

namespace torsor::editor {

template <class Key, class Value>
class Derived {
 public:
  // Requests the value of a key. compute(key) runs on a thread, and may throw. The last value stays
  // until the new one is ready. Must be called in every frame.
  void follow(const Key& key, Value (*compute)(const Key&)) {
    if (running_ && !job_.busy()) {
      running_ = false;
      known_ = std::move(started_);
      error_ = std::move(result_->error);
      // A value without an error replaces the last one.
      if (result_->value) value_ = std::move(result_->value);
      result_.reset();
    }
    wanted_ = key;
    if (running_ || known_ == key) return;
    running_ = true;
    started_ = key;
    job_.start([this, key, compute] { result_ = computed(key, compute); });
  }

  // Returns the last value, or null if there is none.
  const std::shared_ptr<const Value>& value() const { return value_; }
  // Returns the reason why the value of the last key could not be computed, or "".
  const std::string& error() const { return error_; }
  bool up_to_date() const { return !running_ && known_ == wanted_; }
  // Returns whether a repetition would use at most a quarter of a core.
  bool rested() const { return !running_ && job_.rested(); }

 private:
  struct Result {
    std::shared_ptr<const Value> value;
    std::string error;
  };
  static Result computed(const Key& key, Value (*compute)(const Key&)) {
    try {
      return {std::make_shared<const Value>(compute(key)), ""};
    } catch (const std::bad_alloc&) {
      return {nullptr, "there is not enough memory for this study"};
    } catch (const std::exception& error) {
      return {nullptr, error.what()};
    }
  }

  std::optional<Key> wanted_, started_, known_;
  std::shared_ptr<const Value> value_;
  std::string error_;
  bool running_ = false;
  std::optional<Result> result_;  // written by the job before it ends
  BackgroundJob job_;             // last: joined before the other members are destroyed
};

}  // namespace torsor::editor
