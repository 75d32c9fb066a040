// A package with one of everything, made by hand: what it says is not a real program's.
#pragma once

#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {

inline Bytes counted_bytes(size_t size, unsigned start) {
  Bytes data(size);
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>((start + i * 7) & 0xFFU);
  return data;
}

// 4 x 6 x 3 in a grid of 2 x 2 tiles, each 2 x 3, depth padded to 4.
inline Layer tiled_output() {
  Layer l;
  l.kind = LayerKind::output;
  l.name = "answer";
  l.y_dim = 4;
  l.x_dim = 6;
  l.z_dim = 3;
  l.size_bytes = 96;
  l.data_type = l.output_data_type = DataType::signed8;
  l.numerics = Numerics{118, 0.25F, {}, {}};
  l.layout = OutputLayout{{0, 0, 2, 2},       {0, 0, 0, 1, 1, 1}, {0, 24, 48, 72},
                          {0, 4, 8, 0, 4, 8}, {0, 1, 0, 1},       {12, 12, 12, 12, 12, 12}};
  l.shape = std::vector<Range>{{0, 0}, {0, 3}, {0, 5}, {0, 2}};
  return l;
}

inline Layer flat_input() {
  Layer l;
  l.kind = LayerKind::input;
  l.name = "question";
  l.y_dim = l.x_dim = 1;
  l.z_dim = 30;
  l.size_bytes = 32;
  l.numerics = Numerics{0, 1.5F, {}, {}};
  l.execution_count = 2;
  l.cache_on_dram = true;
  return l;
}

inline DmaHints hints_of_every_kind() {
  DmaHints h;
  h.fully_deterministic = true;
  DmaHint hint;
  hint.kind = HintKind::instruction;
  h.hints.push_back(hint);
  hint = {};
  hint.kind = HintKind::descriptor;
  hint.meta = {BaseAddress::input, 0, "question", Position::low};
  hint.size = 32;
  h.hints.push_back(hint);
  hint = {};
  hint.kind = HintKind::fence;
  h.hints.push_back(hint);
  hint = {};
  hint.kind = HintKind::descriptor;
  hint.direction = Direction::from_device;
  hint.meta = {BaseAddress::output, 0, "answer", Position::low};
  hint.offset = 32;
  hint.size = 64;
  h.hints.push_back(hint);
  hint = {};
  hint.kind = HintKind::interrupt;
  hint.direction = Direction::from_device;
  hint.interrupt = 1;
  h.hints.push_back(hint);
  return h;
}

inline Executable small_executable(ExecutableType type) {
  Executable e;
  e.name = "model";
  e.chip = "beagle";
  e.type = type;
  e.scratch_size = 64;
  e.narrow_memory_per_tile = 1600;
  e.parameter_caching_token = 0xFEDC'BA98'7654'3210U;
  e.estimated_cycles_64bit = -5;
  e.use_tpu_dram_for_parameters = true;
  Bitstream b;
  b.data = counted_bytes(64, 3);
  b.field_offsets.push_back({{BaseAddress::parameter, 0, "", Position::low}, 70});
  b.field_offsets.push_back({{BaseAddress::output, 1, "answer", Position::high}, 198});
  e.bitstreams.push_back(b);
  e.bitstreams.push_back({counted_bytes(32, 90), {}, {}});
  if (type == ExecutableType::parameter_caching) e.parameters = counted_bytes(5000, 11);
  if (type == ExecutableType::execution_only) {
    e.dma_hints = hints_of_every_kind();
    e.inputs.push_back(flat_input());
    e.outputs.push_back(tiled_output());
    Layer sliced = tiled_output();
    sliced.layout.reset();
    sliced.shape_info = OutputShapeInfo{{{{{0, 1}}, {4}}, {{{2, 3}}, {8}}}, {0, 48}};
    e.outputs.push_back(sliced);
  }
  return e;
}

inline Package small_package() {
  Package p;
  p.min_runtime_version = 13;
  p.compiler_version = "cl/1";
  p.model_identifier = "small";
  p.keypair_version = 2;
  p.signature = counted_bytes(9, 1);
  p.executables.push_back(small_executable(ExecutableType::execution_only));
  p.executables.push_back(small_executable(ExecutableType::parameter_caching));
  return p;
}

}  // namespace edgetwin::darwinn
