// Any bytes as a bitstream, executed by the tile array: it ends, with a result or with an error
// that names an instruction.
#include <cstdlib>

#include "targets/edgetpu/machine/schedule.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;
using namespace edgetwin::edgetpu::machine;

void need_text(const Error& error) {
  if (to_text(error).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  auto steps = make_steps({bytes}, "fuzz");
  if (!steps.ok()) {
    need_text(steps.error());
    return 0;
  }
  Core core;
  core.limits = {400'000, 100'000, 64U << 20U};
  core.program = "fuzz";
  core.steps = std::move(*steps);
  const Bytes parameters(size_t{64} << 10U, std::byte{3});
  core.parameters = parameters;
  core.inputs.assign(2, Bytes(size_t{64} << 10U, std::byte{5}));
  const Status ran = run_steps(core);
  if (!ran.ok()) need_text(ran.error());
  return 0;
}
