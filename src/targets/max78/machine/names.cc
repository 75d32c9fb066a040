#include "targets/max78/machine/machine.h"

namespace edgetwin::max78 {

std::string_view name(MachineState state) {
  switch (state) {
    case MachineState::idle:
      return "idle";
    case MachineState::waiting:
      return "waiting";
    case MachineState::running:
      return "running";
    case MachineState::paused:
      return "paused";
    case MachineState::finished:
      return "finished";
    case MachineState::stuck:
      return "stuck";
    case MachineState::step_limit:
      break;
  }
  return "step limit";
}

}  // namespace edgetwin::max78
