#include "cli/info/edgetpu_json.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json ranges_json(const std::vector<darwinn::Range>& ranges) {
  Json list = Json::array();
  for (const darwinn::Range& r : ranges)
    list.push(Json::list(std::vector<int32_t>{r.start, r.end}));
  return list;
}

Json layout_json(const darwinn::OutputLayout& l) {
  Json j = Json::object();
  j.set("y_tile", Json::list(l.y_tile)).set("x_tile", Json::list(l.x_tile));
  j.set("tile_offset", Json::list(l.tile_offset)).set("x_local", Json::list(l.x_local));
  return j.set("y_local", Json::list(l.y_local)).set("x_row_size", Json::list(l.x_row_size));
}

Json slices_json(const darwinn::OutputShapeInfo& info) {
  Json list = Json::array();
  for (size_t i = 0; i < info.slices.size(); ++i) {
    Json j = Json::object();
    j.set("shape", ranges_json(info.slices[i].shape));
    j.set("stride", Json::list(info.slices[i].stride));
    if (i < info.slice_offset.size()) j.set("offset", info.slice_offset[i]);
    list.push(std::move(j));
  }
  return list;
}

}  // namespace

Json layer_json(const darwinn::Layer& l) {
  Json j = Json::object();
  j.set("name", l.name).set("type", darwinn::name(l.data_type));
  j.set("shape", Json::list(std::vector<int32_t>{l.y_dim, l.x_dim, l.z_dim}));
  if (l.numerics) {
    j.set("scale", static_cast<double>(l.numerics->factor));
    j.set("zero_point", l.numerics->zero_point);
  }
  j.set("bytes", l.size_bytes).set("executions", l.execution_count);
  j.set("sign_flipped_by_host", darwinn::host_flips_sign(l.data_type));
  j.set("cache_on_dram", l.cache_on_dram);
  if (l.shape) j.set("ranges", ranges_json(*l.shape));
  if (l.layout) j.set("layout", layout_json(*l.layout));
  if (l.shape_info) j.set("slices", slices_json(*l.shape_info));
  return j;
}

Json bitstream_json(const darwinn::Bitstream& b) {
  Json j = Json::object();
  j.set("offset", b.place.offset).set("bytes", b.data.size());
  Json fields = Json::array();
  for (const darwinn::FieldOffset& f : b.field_offsets) {
    Json field = Json::object();
    field.set("buffer", darwinn::name(f.meta.base)).set("name", f.meta.name);
    field.set("batch", f.meta.batch).set("bit", f.offset_bit);
    field.set("half", f.meta.position == darwinn::Position::low ? "low" : "high");
    fields.push(std::move(field));
  }
  return j.set("address_fields", std::move(fields));
}

Json transfer_json(const darwinn::DmaHint& h) {
  Json j = Json::object();
  switch (h.kind) {
    case darwinn::HintKind::instruction:
      return j.set("kind", "instructions").set("chunk", h.chunk);
    case darwinn::HintKind::interrupt:
      return j.set("kind", "interrupt").set("interrupt", h.interrupt);
    case darwinn::HintKind::fence:
      return j.set("kind", "fence");
    case darwinn::HintKind::none:
      return j.set("kind", "none");
    case darwinn::HintKind::descriptor:
      break;
  }
  const bool to_device = h.direction == darwinn::Direction::to_device;
  j.set("kind", darwinn::name(h.meta.base)).set("name", h.meta.name).set("batch", h.meta.batch);
  j.set("offset", h.offset).set("bytes", h.size);
  return j.set("direction", to_device ? "to_device" : "from_device");
}

}  // namespace edgetwin::cli
