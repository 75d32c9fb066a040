// Any bytes as a register program or a known answer: read, described, and played within limits.
#include <cstdlib>

#include "base/bytes.h"
#include "targets/max78/machine/player/dump.h"
#include "targets/max78/machine/player/play.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  using namespace edgetwin::max78;
  const std::string_view text = as_text(std::as_bytes(std::span(data, size)));
  const auto expected = read_expected(text, "fuzz.txt");
  const auto program = read_program(text, "fuzz.txt");
  if (!program.ok()) {
    if (to_text(program.error()).empty()) std::abort();
    return 0;
  }
  if (expected.ok() && !expected->empty()) std::abort();  // no text is both
  if (to_text(summarize(*program)).empty()) std::abort();
  MachineOptions options;
  options.step_limit = 5000;
  options.multiply_limit = 20'000'000;
  Machine machine(program->device, options);
  const Status played = play(*program, machine);
  if (!played.ok() && to_text(played.error()).empty()) std::abort();
  return 0;
}
