#include "edgetwin/compile.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/likeness/likeness.h"

namespace edgetwin {

Result<EdgetpuLikeness> compare_edgetpu(ByteSpan compiled, ByteSpan theirs,
                                        const std::string& their_name) {
  if (!darwinn::container_of(theirs)) {
    return Error(ErrorCode::file_kind, "the model is not compiled for the Edge TPU")
        .in_file(their_name)
        .with_hint("Give the file that the other compiler made of the same network.");
  }
  EDGETWIN_TRY_ASSIGN(const darwinn::File a, darwinn::read(compiled, "the compiled model"));
  EDGETWIN_TRY_ASSIGN(const darwinn::File b, darwinn::read(theirs, their_name));
  EDGETWIN_TRY_ASSIGN(const auto made, edgetpu::compiler::likeness_of(a, b));
  EdgetpuLikeness result;
  result.same_bytes = made.same_bytes;
  result.fields = made.fields;
  result.equal_fields = made.equal_fields;
  for (const auto& o : made.opcodes) {
    result.opcodes.push_back({o.opcode, o.order, o.ours, o.theirs, o.equal, o.counters, o.placed,
                              o.other, o.missing(), o.extra()});
    if (o.order) continue;
    result.theirs += o.theirs;
    result.equal += o.equal;
    result.placed += o.placed;
    result.counters += o.counters;
  }
  for (const auto& f : made.differing) {
    result.differing.emplace_back(f.opcode + " " + f.field, f.differs);
  }
  return result;
}

}  // namespace edgetwin
