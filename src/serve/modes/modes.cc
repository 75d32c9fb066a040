#include "serve/modes/makers.h"

namespace edgetwin::serve {

const std::vector<ModeInfo>& modes() {
  static const std::vector<ModeInfo> kModes = {
#define MODE(name, parameters, make, camera, mouse, text) \
  ModeInfo{#name, text, camera, mouse, parameters, make},
#include "serve/modes/modes.def"
#undef MODE
  };
  return kModes;
}

const ModeInfo* find_mode(std::string_view name) {
  for (const ModeInfo& m : modes()) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

}  // namespace edgetwin::serve
