#include <cstring>

#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/params/alone.h"
#include "targets/edgetpu/params/build.h"
#include "targets/edgetpu/params/patch.h"
#include "tensor/npy.h"
#include "twin/compiled.h"

namespace edgetwin::cli {
namespace {

using edgetpu::Piece;
using edgetpu::PieceKind;
using report::Json;
using report::TextTable;

std::string percent(int64_t part, int64_t whole) {
  if (whole == 0) return "100 %";
  char text[32];
  // Cut off, so that 100 means all.
  const auto hundredths = static_cast<int>(part * 10000 / whole);
  std::snprintf(text, sizeof text, "%d.%02d %%", hundredths / 100, hundredths % 100);
  return part == whole ? "100 %" : text;
}

std::string header_text(const edgetpu::BlockShape& s) {
  std::string text;
  const auto add = [&text](bool has, const char* word) {
    if (has) text += (text.empty() ? "" : "+") + std::string(word);
  };
  add(s.has_scale, "scales");
  add(s.has_bias, "bias");
  add(s.has_zero, "zeros");
  return text.empty() ? "none" : text;
}

std::string size_text(const edgetpu::BlockShape& s) {
  return std::to_string(s.in) + " to " + std::to_string(s.out) + ", " + std::to_string(s.kernel_h) +
         "x" + std::to_string(s.kernel_w);
}

std::string blob_name(const edgetpu::Blob& b) {
  return edgetpu::blob_file_name(b.id) + " " + std::string(name(b.type));
}

Json piece_json(const edgetpu::Located& l, const Piece& p) {
  Json j = Json::object();
  j.set("blob", p.blob).set("offset", p.offset).set("bytes", p.bytes);
  j.set("kind", name(p.kind)).set("layer", p.label).set("explained", p.explained);
  if (p.kind != PieceKind::layer) return j;
  const edgetpu::ReferenceLayer& layer = l.layers[p.layer];
  j.set("block", name(p.shape.kind)).set("in", p.shape.in).set("out", p.shape.out);
  j.set("kernel_h", p.shape.kernel_h).set("kernel_w", p.shape.kernel_w);
  j.set("slots", p.shape.slots()).set("line_order", name(p.shape.order));
  j.set("has_scale", p.shape.has_scale).set("has_bias", p.shape.has_bias);
  j.set("has_zero", p.shape.has_zero).set("zero_point", layer.content.zero_points[0]);
  j.set("input_scale", static_cast<double>(layer.input_scale));
  j.set("weight_scales", layer.weight_scales.size());
  if (p.output_scale != 0.0F) j.set("output_scale", static_cast<double>(p.output_scale));
  return j;
}

void print_pieces(const edgetpu::Located& l, size_t blob, Console& console, Json& list) {
  TextTable table({{"offset", TextTable::Align::right},
                   {"bytes", TextTable::Align::right},
                   {"kind"},
                   {"channels"},
                   {"header"},
                   {"zero", TextTable::Align::right},
                   {"order"},
                   {"explained"},
                   {"layer"}});
  for (const Piece& p : l.pieces) {
    if (p.blob != blob) continue;
    const bool layer = p.kind == PieceKind::layer;
    const auto zero = layer ? l.layers[p.layer].content.zero_points[0] : uint8_t{0};
    table.add({std::to_string(p.offset), std::to_string(p.bytes),
               std::string(layer ? name(p.shape.kind) : name(p.kind)),
               layer ? size_text(p.shape) : "", layer ? header_text(p.shape) : "",
               layer ? std::to_string(zero) : "",
               layer && p.shape.ordered() ? std::string(name(p.shape.order)) : "",
               percent(static_cast<int64_t>(p.explained), static_cast<int64_t>(p.bytes)), p.label});
    list.push(piece_json(l, p));
  }
  console.print(table.text(2));
}

// Without the uncompiled model of a network of several layers: what the parameter program says.
void print_segments(const twin::CompiledModel& m, size_t blob, Console& console, Json& list) {
  TextTable table({{"offset", TextTable::Align::right},
                   {"bytes", TextTable::Align::right},
                   {"tiles", TextTable::Align::right}});
  for (const edgetpu::Segment& s : edgetpu::segments(*m.file, m.located.blobs)) {
    if (s.blob != blob) continue;
    char tiles[16];
    std::snprintf(tiles, sizeof tiles, "0x%04x", s.tiles);
    table.add({std::to_string(s.offset), std::to_string(s.bytes), tiles});
    Json j = Json::object();
    list.push(j.set("offset", s.offset).set("bytes", s.bytes).set("tiles", s.tiles));
  }
  console.print(table.text(2));
}

}  // namespace

Result<int> execute(const ParamsListArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(a.model, a.reference));
  for (const Finding& f : m.file->findings) console.finding(f);
  const edgetpu::Located& l = m.located;
  Json blobs = Json::array();
  for (size_t b = 0; b < l.blobs.size(); ++b) {
    const auto size = static_cast<int64_t>(l.blobs[b].bytes.size());
    console.print(blob_name(l.blobs[b]) + ": " + std::to_string(size) + " bytes, explained " +
                  std::to_string(l.explained[b]) + " (" + percent(l.explained[b], size) + ")\n");
    Json pieces = Json::array(), segments = Json::array();
    if (l.pieces.empty()) print_segments(m, b, console, segments);
    if (!l.pieces.empty()) print_pieces(l, b, console, pieces);
    Json j = Json::object();
    j.set("file", edgetpu::blob_file_name(l.blobs[b].id)).set("type", name(l.blobs[b].type));
    j.set("bytes", size).set("explained", l.explained[b]);
    blobs.push(j.set("pieces", std::move(pieces)).set("segments", std::move(segments)));
  }
  Json missing = Json::array();
  for (const size_t i : l.missing) {
    console.print("not in the parameters: " + l.layers[i].label + "\n");
    missing.push(l.layers[i].label);
  }
  if (l.pieces.empty() && a.reference.empty() && !l.blobs.empty()) {
    console.note("--reference MODEL.tflite tells which layer is where.");
  }
  console.print("explained " + std::to_string(l.total_explained()) + " of " +
                std::to_string(l.total()) + " bytes, " + percent(l.total_explained(), l.total()) +
                "\n");
  console.json().set("blobs", std::move(blobs)).set("missing", std::move(missing));
  console.json().set("bytes", l.total()).set("explained", l.total_explained());
  return kYes;
}

Result<int> execute(const ParamsBuildArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(a.like, a.reference));
  for (const Finding& f : m.file->findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  Json list = Json::array();
  bool equal = true;
  for (const edgetpu::BuiltBlob& b : edgetpu::build(m.located)) {
    const std::string file = edgetpu::blob_file_name(b.id);
    EDGETWIN_TRY(folder.write(file, b.bytes));
    equal = equal && b.equal;
    const char* word = b.made == 0 ? "copied     " : b.equal ? "equal      " : "different  ";
    console.print(word + file + "  " + std::to_string(b.bytes.size()) + " bytes, " +
                  std::to_string(b.made) + " made from the model, " + std::to_string(b.copied) +
                  " copied\n");
    Json j = Json::object();
    j.set("file", file).set("bytes", b.bytes.size()).set("made", b.made).set("copied", b.copied);
    list.push(j.set("equal", b.equal));
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("files", std::move(list)).set("equal", equal);
  return equal ? kYes : kNo;
}

namespace {

template <class T>
Tensor array_of(const std::vector<T>& values, DType type) {
  Tensor t;
  t.dtype = type;
  t.shape = {static_cast<int64_t>(values.size())};
  t.data.resize(values.size() * sizeof(T));
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

Status write_array(AtomicFolder& folder, const std::string& file, const Tensor& t,
                   Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(t));
  console.print("wrote  " + file + "  " + to_string(t.shape) + " " + std::string(name(t.dtype)) +
                "\n");
  return folder.write(file, bytes);
}

Status extract_layer(const edgetpu::Located& l, size_t index, AtomicFolder& folder,
                     Console& console) {
  const edgetpu::ReferenceLayer& layer = l.layers[index];
  EDGETWIN_TRY_ASSIGN(const edgetpu::BlockContent content, edgetpu::content_of(l, index));
  char number[16];
  std::snprintf(number, sizeof number, "%04zu", layer.op);
  const std::string stem = std::string(number) + "_" + report::file_safe(layer.name);
  Tensor weights;
  weights.dtype = layer.weight_type;
  weights.shape = layer.weight_shape;
  weights.data = edgetpu::to_model_order(layer, content.weights);
  EDGETWIN_TRY(write_array(folder, stem + "_weights.npy", weights, console));
  if (!content.bias.empty()) {
    EDGETWIN_TRY(
        write_array(folder, stem + "_bias.npy", array_of(content.bias, DType::int32), console));
  }
  if (content.scales.empty()) return Ok{};
  return write_array(folder, stem + "_scales.npy", array_of(content.scales, DType::float32),
                     console);
}

}  // namespace

Result<int> execute(const ParamsExtractArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(a.model, a.reference));
  for (const Finding& f : m.file->findings) console.finding(f);
  const edgetpu::Located& l = m.located;
  if (l.pieces.empty()) {
    return Error(ErrorCode::params_reference, "which layer is where cannot be told")
        .in_file(a.model)
        .with_hint("Give the model that it was compiled from with --reference.");
  }
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  int64_t count = 0;
  for (size_t i = 0; i < l.layers.size(); ++i) {
    if (l.piece_of(i) == nullptr) continue;
    EDGETWIN_TRY(extract_layer(l, i, folder, console));
    ++count;
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("output", a.output.path).set("layers", count);
  return kYes;
}

}  // namespace edgetwin::cli
