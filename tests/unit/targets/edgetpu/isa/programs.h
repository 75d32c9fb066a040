// Small programs for tests, made from the table of instructions.
#pragma once

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {

class ProgramBuilder {
 public:
  ProgramBuilder() { add(Assembly(Opcode::start)); }

  ProgramBuilder& add(const Assembly& a) {
    data_.insert(data_.end(), a.bytes().begin(), a.bytes().end());
    return *this;
  }
  // x = y op c
  ProgramBuilder& op(ScalarOp op, unsigned x, unsigned y, uint32_t c, bool immediate = true) {
    Assembly a(Opcode::scalar);
    a.set("op", static_cast<uint64_t>(op)).set("immediate", immediate ? 1 : 0);
    return add(a.set("sx", x).set("sy", y).set("imm", c));
  }
  ProgramBuilder& store(unsigned st, unsigned address, unsigned reg) {
    Assembly a(Opcode::scalar);
    return add(a.set("st", st).set("staddr", address).set("streg", reg));
  }
  // The four slots of a descriptor and its issue; uses registers 20 to 23.
  ProgramBuilder& transfer(unsigned low, unsigned high, uint32_t length, uint32_t tag) {
    op(ScalarOp::mov, 22, 0, length).op(ScalarOp::mov, 23, 0, tag);
    store(kStoreSlot, 0, low).store(kStoreSlot, 1, high);
    store(kStoreSlot, 2, 22).store(kStoreSlot, 3, 23);
    return store(kStoreIssue, 0, 0);
  }
  size_t words() const { return data_.size() / kWordBytes; }

  // With HALT, the empty words, END, and the length in START.
  Bytes finish() {
    add(Assembly(Opcode::halt).set("code", 0x10));
    for (int i = 0; i < 4; ++i) add(Assembly(Opcode::scalar));
    add(Assembly(Opcode::end).set("length", kWordBits));
    set_bits(data_, 19, 32, (words() - 2) * kWordBits);
    return data_;
  }

 private:
  Bytes data_;
};

// Takes 32 bytes of 'in', gives 16 of 'out', as its hints announce.
inline darwinn::Executable echo() {
  ProgramBuilder b;
  const size_t first = b.words();
  for (unsigned r = 1; r <= 4; ++r) b.op(ScalarOp::mov, r, 0, 0);
  b.transfer(1, 2, 32, 1).transfer(3, 4, 16, 3).op(ScalarOp::mov, 5, 0, 0).transfer(5, 5, 0, 4);
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::stand_alone;
  e.bitstreams.push_back({b.finish(), {}, {}});
  using darwinn::BaseAddress;
  using darwinn::Position;
  const darwinn::Meta metas[] = {{BaseAddress::input, 0, "in", Position::low},
                                 {BaseAddress::input, 0, "in", Position::high},
                                 {BaseAddress::output, 0, "out", Position::low},
                                 {BaseAddress::output, 0, "out", Position::high}};
  for (size_t i = 0; i < 4; ++i) {
    e.bitstreams[0].field_offsets.push_back(
        {metas[i], static_cast<int32_t>((first + i) * kWordBits + 70)});
  }
  e.dma_hints.emplace();
  e.dma_hints->fully_deterministic = true;
  darwinn::DmaHint h;
  h.kind = darwinn::HintKind::instruction;
  e.dma_hints->hints.push_back(h);
  h = {};
  h.kind = darwinn::HintKind::descriptor;
  h.meta = metas[0];
  h.size = 32;
  e.dma_hints->hints.push_back(h);
  h.meta = metas[2];
  h.direction = darwinn::Direction::from_device;
  h.size = 16;
  e.dma_hints->hints.push_back(h);
  h = {};
  h.kind = darwinn::HintKind::interrupt;
  e.dma_hints->hints.push_back(h);
  for (const char* name : {"in", "out"}) {
    darwinn::Layer l;
    l.name = name;
    l.y_dim = l.x_dim = 1;
    const bool input = l.name == "in";
    l.kind = input ? darwinn::LayerKind::input : darwinn::LayerKind::output;
    l.z_dim = input ? 30 : 13;
    l.size_bytes = input ? 32 : 16;
    (input ? e.inputs : e.outputs).push_back(l);
  }
  return e;
}

inline darwinn::File file_of(darwinn::Executable e) {
  darwinn::File file;
  file.container = darwinn::Container::executable;
  file.ops.emplace_back();
  file.ops[0].packages.emplace_back();
  file.ops[0].packages[0].executables.push_back(std::move(e));
  return file;
}

// Changes a program that a compiler could have written.
inline void set_field(darwinn::Bitstream& b, const Instruction& i, FieldName name, uint64_t value) {
  const FieldInfo* f = find_field(i.opcode(), name);
  set_bits(std::span(b.data).subspan(i.word * kWordBytes), f->bit, f->width, value);
}

// Puts `made` in the place of `size` bytes, which may be none; address fields after keep theirs.
inline void replace_bytes(darwinn::Bitstream& b, size_t at, size_t size, const Bytes& made) {
  b.data.erase(b.data.begin() + static_cast<long>(at),
               b.data.begin() + static_cast<long>(at + size));
  b.data.insert(b.data.begin() + static_cast<long>(at), made.begin(), made.end());
  for (darwinn::FieldOffset& f : b.field_offsets) {
    if (static_cast<size_t>(f.offset_bit) < at * 8) continue;
    f.offset_bit += (static_cast<int32_t>(made.size()) - static_cast<int32_t>(size)) * 8;
  }
}

}  // namespace edgetwin::edgetpu
