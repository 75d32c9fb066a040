// Which weights are on the chip.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "targets/edgetpu/driver/device_model.h"

namespace edgetwin::edgetpu {

// Models with the same token were compiled together and keep each other's weights: so it is a set
// of executables, not one token. Any other model, or one without a token, drives all of them out.
class ParameterCache {
 public:
  // Before a model runs: forgets what it drives out, and says whether its weights must be sent.
  bool must_send(const DeviceModel& model) {
    if (model.token() == 0 || model.token() != token_) forget();
    if (model.caching() == nullptr) return false;
    const auto held = contents_.find(model.place());
    return held == contents_.end() || held->second != model.content();
  }
  void sent(const DeviceModel& model) {
    token_ = model.token();
    contents_[model.place()] = model.content();
  }
  // While the weights of a model are being replaced, it has none.
  void sending(const DeviceModel& model) { contents_.erase(model.place()); }
  void forget() {
    token_ = 0;
    contents_.clear();
  }

 private:
  uint64_t token_ = 0;
  std::map<std::string, uint64_t> contents_;  // by place on the chip
};

}  // namespace edgetwin::edgetpu
