// Inputs and outputs of an executable.
#include <limits>

#include "darwinn_generated.h"
#include "formats/darwinn/read_fields.h"

namespace edgetwin::darwinn {
namespace {

// Keeps the labels of errors short: names of a hostile file may have any length.
std::string shown(const std::string& name) {
  constexpr size_t kShown = 80;
  return name.size() <= kShown ? name : name.substr(0, kShown) + "...";
}

class LayerReader : public Fields {
 public:
  explicit LayerReader(const Fields& fields) : Fields(fields) {}
  Result<Layer> read(const schema::Layer& table) const;

 private:
  Result<std::vector<Range>> ranges(const schema::TensorShape* table, const char* name) const;
  Result<OutputLayout> layout(const schema::OutputLayout& table) const;
  Result<OutputShapeInfo> shape_info(const schema::OutputShapeInfo& table) const;
  Result<DataType> data_type(int value, const void* at) const;
  Status output_layer(const schema::OutputLayer& table, Layer& layer) const;
  Numerics numerics(const schema::NumericsConstants& table) const;
};

Result<std::vector<Range>> LayerReader::ranges(const schema::TensorShape* table,
                                               const char* name) const {
  if (table == nullptr || table->dimension() == nullptr) return std::vector<Range>();
  const auto* list = table->dimension();
  EDGETWIN_TRY_ASSIGN(auto result, room<Range>(list->size(), list, name));
  for (const auto* r : *list) result.push_back({r->start(), r->end()});
  return result;
}

Result<OutputLayout> LayerReader::layout(const schema::OutputLayout& t) const {
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

Result<OutputShapeInfo> LayerReader::shape_info(const schema::OutputShapeInfo& table) const {
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

Result<DataType> LayerReader::data_type(int value, const void* at) const {
  const auto type = static_cast<DataType>(value);
  if (value >= 0 && value <= 9 && bytes_of(type) != 0) return type;
  return source_.error(ErrorCode::bad_value, "data type " + std::to_string(value) + " is not known",
                       at, field("Layer.data_type"));
}

Status LayerReader::output_layer(const schema::OutputLayer& table, Layer& to) const {
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

Numerics LayerReader::numerics(const schema::NumericsConstants& table) const {
  Numerics n;
  n.zero_point = table.zero_point();
  n.factor = table.dequantization_factor();
  const auto& raw = *reinterpret_cast<const flatbuffers::Table*>(&table);
  const auto place = [&](flatbuffers::voffset_t id) {
    const uint8_t* at = raw.GetAddressOf(id);
    return at == nullptr ? Extent{} : extent_of(source_, at, 4);
  };
  n.zero_point_place = place(schema::NumericsConstants::VT_ZERO_POINT);
  n.factor_place = place(schema::NumericsConstants::VT_DEQUANTIZATION_FACTOR);
  return n;
}

Result<Layer> LayerReader::read(const schema::Layer& table) const {
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

}  // namespace

Result<Layer> read_layer(const Fields& fields, const schema::Layer& table) {
  return LayerReader(fields).read(table);
}

}  // namespace edgetwin::darwinn
