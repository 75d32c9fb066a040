// Any bytes as a bitstream, executed by the tile array, as they stand there and as the scalar core
// comes to them: it ends, with a result or with an error that names an instruction.
#include <cstdlib>

#include "targets/edgetpu/machine/schedule.h"
#include "targets/edgetpu/program/trace.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;
using namespace edgetwin::edgetpu::machine;

void need_text(const Error& error) {
  if (to_text(error).empty()) std::abort();
}

void run(const darwinn::Executable& e, Result<Steps> steps) {
  if (!steps.ok()) return need_text(steps.error());
  Core core;
  core.limits = {400'000, 100'000, 64U << 20U, 0};
  const Bytes parameters(size_t{64} << 10U, std::byte{3});
  core.begin(e, "fuzz", std::move(*steps), parameters);
  core.inputs.assign(2, Bytes(size_t{64} << 10U, std::byte{5}));
  // A part of the second input has been sent by the program.
  core.returned.push_back({1, 8, 16, 24});
  const Status ran = run_steps(core);
  if (!ran.ok()) need_text(ran.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  darwinn::Executable e;
  e.bitstreams.push_back({Bytes(bytes.begin(), bytes.end()), {}, {}});
  run(e, make_steps({bytes}, "fuzz"));
  const auto trace = trace_of(e, Buffers(e), 100, {20'000, 100, 1000});
  if (!trace.ok()) {
    need_text(trace.error());
  } else {
    run(e, make_steps(*trace, "fuzz"));
  }
  return 0;
}
