#include <flatbuffers/flexbuffers.h>
#include <algorithm>

#include "darwinn_generated.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// The driver hands whole pages to the chip: a package in memory begins at a page, and so must the
// executables in it and the parameters in those.
constexpr size_t kPage = 4096;
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;  // of one part; a FlatBuffer ends at 2 GiB

const uint8_t* raw(ByteSpan data) { return reinterpret_cast<const uint8_t*>(data.data()); }

Bytes finished(const FlatBufferBuilder& b) {
  return to_bytes(std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize())));
}

// The next `size` bytes begin at a page, as does the whole. (What is there for it in the builder
// does not allow such large steps.)
void align(FlatBufferBuilder& b, size_t size) {
  if (b.GetSize() == 0) b.PreAlign(kPage, kPage);
  b.PreAlign(size, kPage);
}

class Writer {
 public:
  Bytes write(const Executable& e);

 private:
  Offset<flatbuffers::String> text(const std::string& s) {
    return s.empty() ? Offset<flatbuffers::String>() : b_.CreateString(s);
  }
  Offset<flatbuffers::Vector<uint8_t>> bytes(ByteSpan data) {
    return data.empty() ? Offset<flatbuffers::Vector<uint8_t>>()
                        : b_.CreateVector(raw(data), data.size());
  }
  Offset<flatbuffers::Vector<int32_t>> ints(const std::vector<int32_t>& v) {
    return b_.CreateVector(v);
  }
  Offset<schema::Meta> meta(const Meta& m) {
    const auto name = text(m.name);
    return schema::CreateMeta(b_, static_cast<int16_t>(m.base), m.batch, name,
                              static_cast<int16_t>(m.position));
  }
  Offset<schema::InstructionBitstream> bitstream(const Bitstream& s);
  Offset<schema::DmaHint> hint(const DmaHint& h);
  Offset<schema::DmaHints> hints(const DmaHints& h);
  Offset<schema::TensorShape> shape(const std::vector<Range>& ranges);
  Offset<schema::OutputLayout> layout(const OutputLayout& l);
  Offset<schema::OutputShapeInfo> shape_info(const OutputShapeInfo& s);
  Offset<schema::OutputLayer> output(const Layer& l);
  Offset<schema::Layer> layer(const Layer& l);

  template <class T, class From, class Make>
  Offset<flatbuffers::Vector<Offset<T>>> list(const std::vector<From>& from, Make make) {
    std::vector<Offset<T>> to;
    to.reserve(from.size());
    for (const From& f : from) to.push_back((this->*make)(f));
    return b_.CreateVector(to);
  }

  Offset<schema::FieldOffset> field_offset(const FieldOffset& f) {
    const auto m = meta(f.meta);
    return schema::CreateFieldOffset(b_, m, f.offset_bit);
  }
  Offset<schema::TensorLayout> tensor_layout(const TensorLayout& l) {
    const auto s = shape(l.shape);
    const auto stride = ints(l.stride);
    return schema::CreateTensorLayout(b_, s, stride);
  }

  FlatBufferBuilder b_;
};

Offset<schema::InstructionBitstream> Writer::bitstream(const Bitstream& s) {
  const auto data = b_.CreateVector(raw(s.data), s.data.size());
  const auto fields = list<schema::FieldOffset>(s.field_offsets, &Writer::field_offset);
  return schema::CreateInstructionBitstream(b_, data, fields);
}

Offset<schema::DmaHint> Writer::hint(const DmaHint& h) {
  schema::AnyHint type = schema::AnyHint::NONE;
  Offset<void> any;
  switch (h.kind) {
    case HintKind::none:
      break;
    case HintKind::descriptor: {
      const auto m = meta(h.meta);
      type = schema::AnyHint::DmaDescriptorHint;
      any = schema::CreateDmaDescriptorHint(b_, m, h.offset, h.size).Union();
      break;
    }
    case HintKind::instruction:
      type = schema::AnyHint::InstructionHint;
      any = schema::CreateInstructionHint(b_, h.chunk).Union();
      break;
    case HintKind::interrupt:
      type = schema::AnyHint::InterruptHint;
      any = schema::CreateInterruptHint(b_, static_cast<int16_t>(h.interrupt)).Union();
      break;
    case HintKind::fence:
      type = schema::AnyHint::FenceHint;
      any = schema::CreateFenceHint(b_).Union();
      break;
  }
  return schema::CreateDmaHint(b_, type, any, static_cast<int16_t>(h.direction));
}

Offset<schema::DmaHints> Writer::hints(const DmaHints& h) {
  const auto all = list<schema::DmaHint>(h.hints, &Writer::hint);
  return schema::CreateDmaHints(b_, all, h.fully_deterministic);
}

Offset<schema::TensorShape> Writer::shape(const std::vector<Range>& ranges) {
  std::vector<schema::Range> to;
  to.reserve(ranges.size());
  for (const Range& r : ranges) to.emplace_back(r.start, r.end);
  const auto dimension = b_.CreateVectorOfStructs(to);
  return schema::CreateTensorShape(b_, dimension);
}

Offset<schema::OutputLayout> Writer::layout(const OutputLayout& l) {
  const auto y_tile = ints(l.y_tile);
  const auto x_tile = ints(l.x_tile);
  const auto tile_offset = ints(l.tile_offset);
  const auto x_local = ints(l.x_local);
  const auto y_local = ints(l.y_local);
  const auto x_row_size = ints(l.x_row_size);
  return schema::CreateOutputLayout(b_, y_tile, x_tile, tile_offset, x_local, y_local, x_row_size);
}

Offset<schema::OutputShapeInfo> Writer::shape_info(const OutputShapeInfo& s) {
  const auto slices = list<schema::TensorLayout>(s.slices, &Writer::tensor_layout);
  const auto offsets = ints(s.slice_offset);
  return schema::CreateOutputShapeInfo(b_, slices, offsets);
}

Offset<schema::OutputLayer> Writer::output(const Layer& l) {
  Offset<schema::OutputLayout> tables;
  if (l.layout) tables = layout(*l.layout);
  Offset<schema::OutputShapeInfo> info;
  if (l.shape_info) info = shape_info(*l.shape_info);
  return schema::CreateOutputLayer(b_, tables, static_cast<int16_t>(l.output_data_type), info);
}

Offset<schema::Layer> Writer::layer(const Layer& l) {
  schema::AnyLayer type = schema::AnyLayer::NONE;
  Offset<void> any;
  if (l.kind == LayerKind::output) {
    type = schema::AnyLayer::OutputLayer;
    any = output(l).Union();
  } else if (l.kind == LayerKind::input) {
    type = schema::AnyLayer::InputLayer;
    any = schema::CreateInputLayer(b_).Union();
  }
  const auto name = text(l.name);
  Offset<schema::NumericsConstants> numerics;
  if (l.numerics) {
    numerics = schema::CreateNumericsConstants(b_, l.numerics->zero_point, l.numerics->factor);
  }
  Offset<schema::TensorShape> dims;
  if (l.shape) dims = shape(*l.shape);
  return schema::CreateLayer(b_, name, l.size_bytes, l.y_dim, l.x_dim, l.z_dim, numerics,
                             static_cast<int16_t>(l.data_type), type, any, l.execution_count,
                             l.cache_on_dram, dims);
}

Bytes Writer::write(const Executable& e) {
  align(b_, e.parameters.size());
  const auto parameters = b_.CreateVector(raw(e.parameters), e.parameters.size());
  const auto name = text(e.name);
  const auto model = bytes(e.serialized_model);
  const auto bitstreams = list<schema::InstructionBitstream>(e.bitstreams, &Writer::bitstream);
  Offset<schema::DmaHints> all_hints;
  if (e.dma_hints) all_hints = hints(*e.dma_hints);
  const auto inputs = list<schema::Layer>(e.inputs, &Writer::layer);
  const auto outputs = list<schema::Layer>(e.outputs, &Writer::layer);
  const auto chip = text(e.chip);
  b_.Finish(schema::CreateExecutable(b_, e.version, name, model, e.batch_size, e.scratch_size,
                                     bitstreams, parameters, all_hints, inputs, outputs, chip,
                                     e.estimated_cycles, e.narrow_memory_per_tile,
                                     static_cast<int16_t>(e.type), e.parameter_caching_token,
                                     e.use_tpu_dram_for_parameters, e.estimated_cycles_64bit));
  return finished(b_);
}

Error too_large(const std::string& what, uint64_t bytes) {
  return Error(ErrorCode::darwinn_write, what + " has " + std::to_string(bytes) +
                                             " bytes, at most " + std::to_string(kMaxBytes) +
                                             " can be written");
}

}  // namespace

Result<Bytes> write_executable(const Executable& executable) {
  uint64_t size = executable.parameters.size() + executable.serialized_model.size();
  for (const Bitstream& b : executable.bitstreams) size += b.data.size();
  if (size > kMaxBytes) return too_large("an executable", size);
  return Writer().write(executable);
}

Result<Bytes> write_package(const Package& package) {
  if (package.executables.empty()) {
    return Error(ErrorCode::darwinn_write, "a package needs an executable");
  }
  FlatBufferBuilder inner;
  std::vector<Offset<flatbuffers::String>> strings;
  uint64_t size = 0;
  for (const Executable& e : package.executables) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, write_executable(e));
    size += data.size();
    if (size > kMaxBytes) return too_large("a package", size);
    align(inner, data.size() + 1);  // a string ends in a zero byte
    strings.push_back(inner.CreateString(as_text(data).data(), data.size()));
  }
  const auto list = inner.CreateVector(strings);
  inner.Finish(schema::CreateMultiExecutable(inner, list));
  const Bytes multi = finished(inner);

  FlatBufferBuilder b;
  align(b, multi.size());
  const auto executables = b.CreateVector(raw(multi), multi.size());
  const auto signature = b.CreateVector(raw(package.signature), package.signature.size());
  const auto compiler = b.CreateString(package.compiler_version);
  const auto model = b.CreateString(package.model_identifier);
  schema::PackageBuilder table(b);
  table.add_min_runtime_version(package.min_runtime_version);
  table.add_serialized_multi_executable(executables);
  table.add_signature(signature);
  table.add_keypair_version(package.keypair_version);
  table.add_compiler_version(compiler);
  table.add_virtual_chip_id(package.virtual_chip_id);
  table.add_model_identifier(model);
  b.Finish(table.Finish(), "DWN1");
  return finished(b);
}

Result<Bytes> write_options(const CompiledOp& op) {
  if (op.packages.empty()) return Error(ErrorCode::darwinn_write, "an operator needs a package");
  if (op.has_chips && op.chips.size() != op.packages.size()) {
    return Error(ErrorCode::darwinn_write, std::to_string(op.chips.size()) + " chips for " +
                                               std::to_string(op.packages.size()) + " packages");
  }
  // As strings: the builder also reads the zero after the last byte.
  std::vector<std::string> packages;
  uint64_t size = 0;
  for (const Package& p : op.packages) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, write_package(p));
    size += data.size();
    if (size > kMaxBytes) return too_large("an operator", size);
    packages.emplace_back(as_text(data));
  }
  flexbuffers::Builder b;
  b.Map([&] {
    b.Int("1", op.payload_version);
    b.Key("4");
    b.String(packages[0]);
    b.Int("5", op.execution_preference);
    if (!op.has_chips && packages.size() == 1) return;
    b.Vector("6", [&] {
      for (const int64_t chip : op.chips) b.Int(chip);
    });
    b.Vector("7", [&] {
      for (size_t i = 1; i < packages.size(); ++i) b.String(packages[i]);
    });
  });
  b.Finish();
  const auto& data = b.GetBuffer();
  return to_bytes(std::as_bytes(std::span(data)));
}

}  // namespace edgetwin::darwinn
