// Any bytes as a bitstream: listed and put back, checked, executed, compared. Any bytes as a
// listing: a program or an error with a line.
#include <cstdlib>

#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/program/blocks.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;

void use_program(ByteSpan bytes) {
  darwinn::Executable e;
  e.parameters = Bytes(4096);
  e.bitstreams.push_back({to_bytes(bytes), {}, {}});
  const darwinn::Bitstream& b = e.bitstreams[0];
  const auto made = assemble(disassemble(b), "listing");
  const bool empty = bytes.empty();
  if (!made.ok() || made->size() != (empty ? 0U : 1U)) std::abort();
  if (!empty && (*made)[0].data != b.data) std::abort();
  for (const Finding& f : check_bitstream(b, "fuzz")) {
    if (f.id.empty() || f.message.empty()) std::abort();
  }
  ScalarLimits limits;
  limits.steps = 20'000;
  limits.descriptors = 1000;
  limits.outputs = 1000;
  const auto checked = check_transfers(e, limits);
  if (!checked.ok() && to_text(checked.error()).empty()) std::abort();
  for (const ParameterBlock& block : parameter_blocks(e)) {
    if (block.offset + block.size > e.parameters.size()) std::abort();
  }
  darwinn::Bitstream half = b;
  half.data.resize(half.data.size() / 32 * 16);
  if (!compare(b, b).changes.empty()) std::abort();
  const ProgramDiff diff = compare(b, half);
  if (diff.instructions_b > diff.instructions_a) std::abort();
}

void use_text(std::string_view text) {
  const auto made = assemble(text, "fuzz");
  if (made.ok()) {
    for (const Assembled& a : *made) use_program(a.data);
  } else if (!made.error().place.line) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  if (data[0] % 2 == 0) {
    use_program(bytes);
  } else {
    use_text(as_text(bytes.subspan(1)));
  }
  return 0;
}
