#include "edgetwin/compile.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/likeness/likeness.h"

namespace edgetwin {
namespace {

void add_uses(const edgetpu::compiler::Classes& classes, EdgetpuLikeness& result) {
  EdgetpuLikeness::Use& body = result.body;
  for (const auto& u : classes.uses) {
    EdgetpuLikeness::Use use;
    use.name = std::string(text(u.use));
    use.body = is_body(u.use);
    use.ours = u.ours, use.theirs = u.theirs, use.extra = u.extra;
    use.equal = u.equal, use.anywhere = u.rested, use.waits = u.waited;
    if (use.body) {
      body.ours += use.ours, body.theirs += use.theirs, body.extra += use.extra;
      body.equal += use.equal, body.anywhere += use.anywhere, body.waits += use.waits;
    }
    result.uses.push_back(std::move(use));
  }
  for (const auto& c : classes.causes) {
    result.causes.push_back(
        {std::string(text(c.use)) + ": " + c.what, c.count, c.waits, c.example});
  }
}

// The other compiler's file.
Result<darwinn::File> compiled_file(ByteSpan data, const std::string& name) {
  if (!darwinn::container_of(data)) {
    return Error(ErrorCode::file_kind, "the model is not compiled for the Edge TPU")
        .in_file(name)
        .with_hint("Give the file that the other compiler made of the same network.");
  }
  return darwinn::read(data, name);
}

}  // namespace

Status edgetpu_comparable(ByteSpan theirs, const std::string& their_name) {
  EDGETWIN_TRY(compiled_file(theirs, their_name));
  return Ok{};
}

Result<EdgetpuLikeness> compare_edgetpu(ByteSpan compiled, ByteSpan theirs,
                                        const std::string& their_name) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File a, darwinn::read(compiled, "the compiled model"));
  EDGETWIN_TRY_ASSIGN(const darwinn::File b, compiled_file(theirs, their_name));
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
  add_uses(made.classes, result);
  for (const auto& f : made.differing) {
    result.differing.emplace_back(f.opcode + " " + f.field, f.differs);
  }
  return result;
}

}  // namespace edgetwin
