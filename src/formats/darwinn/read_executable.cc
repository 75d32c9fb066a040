#include <limits>

#include "darwinn_generated.h"
#include "formats/darwinn/read_source.h"

namespace edgetwin::darwinn {
namespace {

// Keeps the labels of errors short: names of a hostile file may have any length.
std::string shown(const std::string& name) {
  constexpr size_t kShown = 80;
  return name.size() <= kShown ? name : name.substr(0, kShown) + "...";
}

class Reader {
 public:
  Reader(const Source& source, std::string label) : source_(source), label_(std::move(label)) {}

  Result<Executable> read(const schema::Executable& table);

 private:
  std::string field(const std::string& name) const { return label_ + " " + name; }
  Error content(std::string message, const void* at, const std::string& name) const {
    return source_.error(ErrorCode::darwinn_content, std::move(message), at, field(name));
  }
  // A number of the file as an enumerator; `last` is its largest value.
  template <class E>
  Result<E> enumerator(int value, int last, const void* at, const char* name) const {
    if (value >= 0 && value <= last) return static_cast<E>(value);
    return source_.error(ErrorCode::bad_value,
                         std::to_string(value) + " is none of 0 to " + std::to_string(last), at,
                         field(name));
  }
  Result<std::string> text(const flatbuffers::String* s, const char* name) const {
    if (s == nullptr) return std::string();
    EDGETWIN_TRY(source_.charge(s->size(), s, field(name)));
    return s->str();
  }
  Result<Bytes> bytes(const flatbuffers::Vector<uint8_t>* v, const char* name) const {
    if (v == nullptr) return Bytes();
    EDGETWIN_TRY(source_.charge(v->size(), v, field(name)));
    return to_bytes(std::as_bytes(std::span(v->data(), v->size())));
  }
  Extent extent(const flatbuffers::Vector<uint8_t>* v) const {
    return v == nullptr ? Extent{} : source_.place(v->data(), v->size());
  }
  Result<std::vector<int32_t>> ints(const flatbuffers::Vector<int32_t>* v, const char* name) const {
    if (v == nullptr) return std::vector<int32_t>();
    EDGETWIN_TRY(source_.charge(uint64_t{v->size()} * sizeof(int32_t), v, field(name)));
    return std::vector<int32_t>(v->begin(), v->end());
  }
  template <class T>
  Result<std::vector<T>> room(size_t size, const void* at, const char* name) const {
    EDGETWIN_TRY(source_.charge(size * sizeof(T), at, field(name)));
    std::vector<T> result;
    result.reserve(size);
    return result;
  }

  Result<Meta> meta(const schema::Meta* table, const void* parent, const char* name) const;
  Result<Bitstream> bitstream(const schema::InstructionBitstream& table) const;
  Result<DmaHint> hint(const schema::DmaHint& table, size_t chunks) const;
  Status hint_kind(const schema::DmaHint& table, size_t chunks, DmaHint& h) const;
  Result<std::optional<DmaHints>> hints(const schema::DmaHints* table, size_t chunks) const;
  Result<std::vector<Range>> ranges(const schema::TensorShape* table, const char* name) const;
  Result<OutputLayout> layout(const schema::OutputLayout& table) const;
  Result<OutputShapeInfo> shape_info(const schema::OutputShapeInfo& table) const;
  Result<DataType> data_type(int value, const void* at) const;
  Status output_layer(const schema::OutputLayer& table, Layer& layer) const;
  Result<Layer> layer(const schema::Layer& table) const;
  Result<std::vector<Layer>> layers(
      const flatbuffers::Vector<flatbuffers::Offset<schema::Layer>>* tables,
      const char* name) const;
  Numerics numerics(const schema::NumericsConstants& table) const;
  Status parts(const schema::Executable& table, Executable& e) const;

  const Source& source_;
  std::string label_;
};

Result<Meta> Reader::meta(const schema::Meta* table, const void* parent, const char* name) const {
  if (table == nullptr) return content("the entry does not say what it is about", parent, name);
  Meta m;
  EDGETWIN_TRY_ASSIGN(m.base, enumerator<BaseAddress>(table->desc(), 3, table, "Meta.desc"));
  EDGETWIN_TRY_ASSIGN(m.position,
                      enumerator<Position>(table->position(), 1, table, "Meta.position"));
  EDGETWIN_TRY_ASSIGN(m.name, text(table->name(), "Meta.name"));
  m.batch = table->batch();
  return m;
}

Result<Bitstream> Reader::bitstream(const schema::InstructionBitstream& table) const {
  Bitstream b;
  EDGETWIN_TRY_ASSIGN(b.data, bytes(table.bitstream(), "bitstream"));
  b.place = extent(table.bitstream());
  const auto* fields = table.field_offsets();
  if (fields == nullptr) return b;
  EDGETWIN_TRY_ASSIGN(b.field_offsets, room<FieldOffset>(fields->size(), fields, "field_offsets"));
  for (const auto* f : *fields) {
    FieldOffset to;
    EDGETWIN_TRY_ASSIGN(to.meta, meta(f->meta(), f, "FieldOffset.meta"));
    to.offset_bit = f->offset_bit();
    constexpr uint64_t kFieldBits = 32;
    if (to.offset_bit < 0 ||
        static_cast<uint64_t>(to.offset_bit) + kFieldBits > uint64_t{8} * b.data.size()) {
      return source_.error(ErrorCode::darwinn_field,
                           "32 bits at bit " + std::to_string(to.offset_bit) +
                               ", the bitstream has " + std::to_string(8 * b.data.size()),
                           f, field("FieldOffset.offset_bit"));
    }
    b.field_offsets.push_back(std::move(to));
  }
  return b;
}

Status Reader::hint_kind(const schema::DmaHint& table, size_t chunks, DmaHint& h) const {
  switch (table.any_hint_type()) {
    case schema::AnyHint::DmaDescriptorHint: {
      const auto* d = table.any_hint_as_DmaDescriptorHint();
      h.kind = HintKind::descriptor;
      EDGETWIN_TRY_ASSIGN(h.meta, meta(d->meta(), d, "DmaDescriptorHint.meta"));
      h.offset = d->offset_in_bytes();
      h.size = d->size_in_bytes();
      if (h.offset >= 0 && h.size >= 0) return Ok{};
      return source_.error(ErrorCode::bad_value,
                           std::to_string(h.size) + " bytes at " + std::to_string(h.offset), d,
                           field("DmaDescriptorHint"));
    }
    case schema::AnyHint::InstructionHint: {
      const auto* i = table.any_hint_as_InstructionHint();
      h.kind = HintKind::instruction;
      h.chunk = i->instruction_chunk_index();
      if (h.chunk >= 0 && static_cast<size_t>(h.chunk) < chunks) return Ok{};
      return source_.error(ErrorCode::bad_value,
                           "bitstream " + std::to_string(h.chunk) + " of " + std::to_string(chunks),
                           i, field("InstructionHint.instruction_chunk_index"));
    }
    case schema::AnyHint::InterruptHint:
      h.kind = HintKind::interrupt;
      h.interrupt = table.any_hint_as_InterruptHint()->type();
      return enumerator<int>(h.interrupt, 3, &table, "InterruptHint.type").ok()
                 ? Status(Ok{})
                 : Status(enumerator<int>(h.interrupt, 3, &table, "InterruptHint.type").error());
    case schema::AnyHint::FenceHint:
      h.kind = HintKind::fence;
      return Ok{};
    default:
      return content("a transfer of a kind that is not known", &table, "DmaHint.any_hint");
  }
}

Result<DmaHint> Reader::hint(const schema::DmaHint& table, size_t chunks) const {
  DmaHint h;
  EDGETWIN_TRY_ASSIGN(h.direction,
                      enumerator<Direction>(table.direction(), 1, &table, "DmaHint.direction"));
  EDGETWIN_TRY(hint_kind(table, chunks, h));
  return h;
}

Result<std::optional<DmaHints>> Reader::hints(const schema::DmaHints* table, size_t chunks) const {
  if (table == nullptr) return std::optional<DmaHints>();
  DmaHints result;
  result.fully_deterministic = table->fully_deterministic();
  if (const auto* list = table->hints()) {
    EDGETWIN_TRY_ASSIGN(result.hints, room<DmaHint>(list->size(), list, "DmaHints.hints"));
    for (const auto* h : *list) {
      EDGETWIN_TRY_ASSIGN(DmaHint read, hint(*h, chunks));
      result.hints.push_back(std::move(read));
    }
  }
  return std::optional<DmaHints>(std::move(result));
}

Result<std::vector<Range>> Reader::ranges(const schema::TensorShape* table,
                                          const char* name) const {
  if (table == nullptr || table->dimension() == nullptr) return std::vector<Range>();
  const auto* list = table->dimension();
  EDGETWIN_TRY_ASSIGN(auto result, room<Range>(list->size(), list, name));
  for (const auto* r : *list) result.push_back({r->start(), r->end()});
  return result;
}

Result<OutputLayout> Reader::layout(const schema::OutputLayout& t) const {
  OutputLayout l;
  EDGETWIN_TRY_ASSIGN(l.y_tile,
                      ints(t.y_coordinate_to_linear_tile_id_map(), "OutputLayout.y_tile"));
  EDGETWIN_TRY_ASSIGN(l.x_tile,
                      ints(t.x_coordinate_to_linear_tile_id_map(), "OutputLayout.x_tile"));
  EDGETWIN_TRY_ASSIGN(l.tile_offset,
                      ints(t.linearized_tile_byte_offset(), "OutputLayout.tile_offset"));
  EDGETWIN_TRY_ASSIGN(l.x_local,
                      ints(t.x_coordinate_to_local_byte_offset(), "OutputLayout.x_local"));
  EDGETWIN_TRY_ASSIGN(l.y_local, ints(t.y_coordinate_to_local_y_offset(), "OutputLayout.y_local"));
  EDGETWIN_TRY_ASSIGN(l.x_row_size,
                      ints(t.x_coordinate_to_local_y_row_size(), "OutputLayout.x_row_size"));
  return l;
}

Result<OutputShapeInfo> Reader::shape_info(const schema::OutputShapeInfo& table) const {
  OutputShapeInfo info;
  EDGETWIN_TRY_ASSIGN(info.slice_offset,
                      ints(table.slice_offset(), "OutputShapeInfo.slice_offset"));
  const auto* slices = table.slice_layout();
  if (slices == nullptr) return info;
  EDGETWIN_TRY_ASSIGN(info.slices,
                      room<TensorLayout>(slices->size(), slices, "OutputShapeInfo.slice_layout"));
  for (const auto* s : *slices) {
    TensorLayout l;
    EDGETWIN_TRY_ASSIGN(l.shape, ranges(s->shape(), "TensorLayout.shape"));
    EDGETWIN_TRY_ASSIGN(l.stride, ints(s->stride(), "TensorLayout.stride"));
    info.slices.push_back(std::move(l));
  }
  return info;
}

Result<DataType> Reader::data_type(int value, const void* at) const {
  const auto type = static_cast<DataType>(value);
  if (value >= 0 && value <= 9 && bytes_of(type) != 0) return type;
  return source_.error(ErrorCode::bad_value, "data type " + std::to_string(value) + " is not known",
                       at, field("Layer.data_type"));
}

Status Reader::output_layer(const schema::OutputLayer& table, Layer& to) const {
  EDGETWIN_TRY_ASSIGN(to.output_data_type, data_type(table.data_type(), &table));
  if (table.layout() != nullptr) {
    EDGETWIN_TRY_ASSIGN(OutputLayout read, layout(*table.layout()));
    to.layout = std::move(read);
  }
  if (table.shape_info() != nullptr) {
    EDGETWIN_TRY_ASSIGN(OutputShapeInfo read, shape_info(*table.shape_info()));
    to.shape_info = std::move(read);
  }
  return Ok{};
}

Numerics Reader::numerics(const schema::NumericsConstants& table) const {
  Numerics n;
  n.zero_point = table.zero_point();
  n.factor = table.dequantization_factor();
  const auto& raw = *reinterpret_cast<const flatbuffers::Table*>(&table);
  const auto place = [&](flatbuffers::voffset_t id) {
    const uint8_t* at = raw.GetAddressOf(id);
    return at == nullptr ? Extent{} : source_.place(at, 4);
  };
  n.zero_point_place = place(schema::NumericsConstants::VT_ZERO_POINT);
  n.factor_place = place(schema::NumericsConstants::VT_DEQUANTIZATION_FACTOR);
  return n;
}

Result<Layer> Reader::layer(const schema::Layer& table) const {
  Layer l;
  EDGETWIN_TRY_ASSIGN(l.name, text(table.name(), "Layer.name"));
  const std::string name = "Layer '" + shown(l.name) + "'";
  l.size_bytes = table.size_bytes();
  l.y_dim = table.y_dim();
  l.x_dim = table.x_dim();
  l.z_dim = table.z_dim();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const bool negative = l.size_bytes < 0 || l.y_dim < 0 || l.x_dim < 0 || l.z_dim < 0;
  if (negative || int64_t{l.y_dim} * l.x_dim > kMost || l.elements() > kMost) {
    return source_.error(ErrorCode::bad_value,
                         std::to_string(l.size_bytes) + " bytes of " + std::to_string(l.y_dim) +
                             " x " + std::to_string(l.x_dim) + " x " + std::to_string(l.z_dim),
                         &table, field(name));
  }
  if (table.numerics() != nullptr) l.numerics = numerics(*table.numerics());
  EDGETWIN_TRY_ASSIGN(l.data_type, data_type(table.data_type(), &table));
  if (const auto* output = table.any_layer_as_OutputLayer()) {
    l.kind = LayerKind::output;
    EDGETWIN_TRY(output_layer(*output, l));
  } else if (table.any_layer_as_InputLayer() != nullptr) {
    l.kind = LayerKind::input;
  }
  l.execution_count = table.execution_count_per_inference();
  if (l.execution_count < 1) {
    return content("it is executed " + std::to_string(l.execution_count) + " times", &table, name);
  }
  l.cache_on_dram = table.cache_on_dram();
  if (table.shape() != nullptr) {
    EDGETWIN_TRY_ASSIGN(l.shape, ranges(table.shape(), "Layer.shape"));
  }
  return l;
}

Result<std::vector<Layer>> Reader::layers(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Layer>>* tables, const char* name) const {
  if (tables == nullptr) return std::vector<Layer>();
  EDGETWIN_TRY_ASSIGN(auto result, room<Layer>(tables->size(), tables, name));
  for (const auto* t : *tables) {
    EDGETWIN_TRY_ASSIGN(Layer read, layer(*t));
    result.push_back(std::move(read));
  }
  return result;
}

Status Reader::parts(const schema::Executable& table, Executable& e) const {
  if (const auto* list = table.instruction_bitstreams()) {
    EDGETWIN_TRY_ASSIGN(e.bitstreams,
                        room<Bitstream>(list->size(), list, "instruction_bitstreams"));
    for (const auto* b : *list) {
      EDGETWIN_TRY_ASSIGN(Bitstream read, bitstream(*b));
      e.bitstreams.push_back(std::move(read));
    }
  }
  EDGETWIN_TRY_ASSIGN(e.parameters, bytes(table.parameters(), "parameters"));
  e.parameter_place = extent(table.parameters());
  EDGETWIN_TRY_ASSIGN(e.dma_hints, hints(table.dma_hints(), e.bitstreams.size()));
  EDGETWIN_TRY_ASSIGN(e.inputs, layers(table.input_layers(), "input_layers"));
  EDGETWIN_TRY_ASSIGN(e.outputs, layers(table.output_layers(), "output_layers"));
  return Ok{};
}

Result<Executable> Reader::read(const schema::Executable& table) {
  Executable e;
  e.version = table.version();
  EDGETWIN_TRY_ASSIGN(e.name, text(table.name(), "name"));
  EDGETWIN_TRY_ASSIGN(e.type, enumerator<ExecutableType>(table.type(), 2, &table, "type"));
  label_ += " " + std::string(name(e.type));
  EDGETWIN_TRY_ASSIGN(e.serialized_model, bytes(table.serialized_model(), "serialized_model"));
  e.batch_size = table.batch_size();
  if (e.batch_size < 1) {
    return content("the batch size is " + std::to_string(e.batch_size), &table, "batch_size");
  }
  e.scratch_size = table.scratch_size_bytes();
  if (e.scratch_size < 0) {
    return content(std::to_string(e.scratch_size) + " bytes of scratch memory", &table,
                   "scratch_size_bytes");
  }
  EDGETWIN_TRY(parts(table, e));
  EDGETWIN_TRY_ASSIGN(e.chip, text(table.chip(), "chip"));
  e.estimated_cycles = table.estimated_cycles();
  e.narrow_memory_per_tile = table.used_narrow_memory_bytes_per_tile();
  e.parameter_caching_token = table.parameter_caching_token();
  e.use_tpu_dram_for_parameters = table.use_tpu_dram_for_parameters();
  e.estimated_cycles_64bit = table.estimated_cycles_64bit();
  e.place = source_.place(source_.data().data(), source_.data().size());
  return e;
}

}  // namespace

Result<Executable> read_executable(const Source& source, const std::string& label) {
  const ByteSpan data = source.data();
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(data.data()), data.size(),
                                 kMaxDepth, kMaxTables);
  if (!verifier.VerifyBuffer<schema::Executable>(nullptr)) {
    return source.error(ErrorCode::darwinn_flatbuffer,
                        "an offset or a length in the tables points outside of the " +
                            std::to_string(data.size()) + " bytes of the executable",
                        data.data(), label);
  }
  return Reader(source, label).read(*flatbuffers::GetRoot<schema::Executable>(data.data()));
}

}  // namespace edgetwin::darwinn
