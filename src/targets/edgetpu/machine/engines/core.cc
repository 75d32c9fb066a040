#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {

void Core::begin(const darwinn::Executable& e, std::string name, Steps of, ByteSpan parameters_of) {
  executable = &e;
  program = std::move(name);
  steps = std::move(of);
  parameters = parameters_of;
  places = 0;
  memory = 0;
  inputs.clear();
  returned.clear();
  sent.clear();
  for (auto& direction : mesh) direction.fill({});
  for (Tile& t : tiles) {
    t.narrow_streams.clear();
    t.wide_streams.clear();
    t.leaving_streams.clear();
    t.header_streams.clear();
    t.relayed.clear();
    t.function.reset();
    t.biases = {};
    t.scales = {};
  }
}

Error Core::error(ErrorCode code, std::string what, const Step& step) const {
  return Error(code, std::move(what))
      .in_file(program)
      .at_offset(step.word * kWordBytes)
      .detail(describe(step));
}

Status Core::charge_places(uint64_t n, const Step& step) {
  places += n;
  if (n <= limits.one && places <= limits.places) return Ok{};
  return error(ErrorCode::chip_limit, "the program visits more places than the limit", step)
      .detail(std::to_string(places) + " so far; limits: " + std::to_string(limits.one) +
              " for one instruction, " + std::to_string(limits.places) + " for all");
}

Status Core::charge_memory(uint64_t bytes, const Step& step) {
  memory += bytes;
  if (memory <= limits.memory) return Ok{};
  return error(ErrorCode::chip_limit, "the program keeps more in buffers than the limit", step)
      .detail(std::to_string(memory) + " bytes, limit " + std::to_string(limits.memory));
}

Status Core::check(const Generator& g, int64_t size, int64_t limit, const Step& step) {
  const uint64_t n = g.count(limits.one);
  if (n > limits.one) return charge_places(n, step);
  const int64_t low = g.path.lowest();
  const int64_t high = g.path.highest() + g.switch_by;
  // Only where the buffers are really switched is the second one reached.
  const bool switched = g.streamed() && n > g.pass_places();
  const int64_t last = switched ? high : g.path.highest();
  if (low >= 0 && last + size <= limit) return Ok{};
  return error(ErrorCode::chip_address, "an address is outside of the memory", step)
      .detail("from " + std::to_string(low) + " to " + std::to_string(last + size - 1) +
              "; the memory ends before " + std::to_string(limit));
}

}  // namespace edgetwin::edgetpu::machine
