#include "darwinn_generated.h"
#include "formats/darwinn/read_fields.h"

namespace edgetwin::darwinn {
namespace {

class Reader : public Fields {
 public:
  Reader(const Source& source, std::string label) : Fields(source, std::move(label)) {}

  Result<Executable> read(const schema::Executable& table);

 private:
  Result<Meta> meta(const schema::Meta* table, const void* parent, const char* name) const;
  Result<Bitstream> bitstream(const schema::InstructionBitstream& table) const;
  Result<DmaHint> hint(const schema::DmaHint& table, size_t chunks) const;
  Status hint_kind(const schema::DmaHint& table, size_t chunks, DmaHint& h) const;
  Result<std::optional<DmaHints>> hints(const schema::DmaHints* table, size_t chunks) const;
  Result<std::vector<Layer>> layers(
      const flatbuffers::Vector<flatbuffers::Offset<schema::Layer>>* tables,
      const char* name) const;
  Status parts(const schema::Executable& table, Executable& e) const;
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
  // A type without a table of that type is a union that the verifier lets pass.
  if (table.any_hint() == nullptr) {
    return content("a transfer says its kind and nothing else", &table, "DmaHint.any_hint");
  }
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
      EDGETWIN_TRY(enumerator<int>(h.interrupt, 3, &table, "InterruptHint.type"));
      return Ok{};
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

Result<std::vector<Layer>> Reader::layers(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Layer>>* tables, const char* name) const {
  if (tables == nullptr) return std::vector<Layer>();
  EDGETWIN_TRY_ASSIGN(auto result, room<Layer>(tables->size(), tables, name));
  for (const auto* t : *tables) {
    EDGETWIN_TRY_ASSIGN(Layer read, read_layer(*this, *t));
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
  e.place = extent_of(source_, source_.data().data(), source_.data().size());
  return e;
}

}  // namespace

Result<Executable> read_executable(const Source& source, const std::string& label) {
  const ByteSpan data = source.data();
  if (!flatbuffer::is_whole<flatbuffers::Verifier, schema::Executable>(data, nullptr,
                                                                       {kMaxDepth, kMaxTables})) {
    return source.error(ErrorCode::darwinn_flatbuffer,
                        "an offset or a length in the tables points outside of the " +
                            std::to_string(data.size()) + " bytes of the executable",
                        data.data(), label);
  }
  return Reader(source, label).read(*flatbuffers::GetRoot<schema::Executable>(data.data()));
}

}  // namespace edgetwin::darwinn
