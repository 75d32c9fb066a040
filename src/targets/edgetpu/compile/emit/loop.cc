// Instructions that the scalar core comes by more than once. Source: the one public program with
// such a loop (docs/edgetpu-machine.md, "The scalar core's way").
#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::compiler {

void Program::advance(unsigned index, uint32_t by) {
  Assembly a(Opcode::scalar);
  a.set("op", static_cast<uint64_t>(ScalarOp::add)).set("immediate", 1);
  add(a.set("sx", index).set("sy", index).set("imm", by));
}

size_t Program::begin_loop() {
  barrier();
  reset_ring();
  if (vendor()) epoch();
  return bytes();
}

void Program::end_loop(size_t begin, unsigned index, uint32_t end) {
  constexpr uint64_t kMode = 2;  // of all public branches
  if (vendor()) epoch();
  reset_ring(true);
  Assembly less(Opcode::scalar);
  less.set("op", static_cast<uint64_t>(ScalarOp::lt)).set("immediate", 1);
  add(less.set("sx", 0).set("sy", index).set("imm", end));
  const auto words = static_cast<int64_t>((bytes() - begin) / kWordBytes);
  Assembly branch(Opcode::branch);
  branch.set("conditional", 1).set("pi", 0).set("pv", 1).set("mode", kMode);
  add(branch.set("offset", static_cast<uint64_t>(-words)));
}

}  // namespace edgetwin::edgetpu::compiler
