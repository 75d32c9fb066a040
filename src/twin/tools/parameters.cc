// Parameters and programs of compiled Edge TPU models, taken out and made anew.
#include <cstdio>
#include <cstring>

#include "edgetwin/edgetpu.h"
#include "report/format.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/params/build.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/params/single_layer.h"
#include "twin/compiled.h"

namespace edgetwin {
namespace {

ParameterBlocks blocks_of(const edgetpu::Piece& p, const edgetpu::ReferenceLayer& layer) {
  ParameterBlocks b;
  b.kind = name(p.shape.kind);
  b.in = p.shape.in;
  b.out = p.shape.out;
  b.kernel_h = p.shape.kernel_h;
  b.kernel_w = p.shape.kernel_w;
  b.slots = p.shape.slots();
  b.order = name(p.shape.order);
  b.ordered = p.shape.ordered();
  b.has_scale = p.shape.has_scale;
  b.has_bias = p.shape.has_bias;
  b.has_zero = p.shape.has_zero;
  b.zero_point = layer.content.zero_points[0];
  b.input_scale = layer.input_scale;
  b.output_scale = p.output_scale;
  b.weight_scales = layer.weight_scales.size();
  return b;
}

ParameterFile file_of(const edgetpu::Located& l, size_t blob) {
  ParameterFile f;
  f.name = edgetpu::blob_file_name(l.blobs[blob].id);
  f.type = name(l.blobs[blob].type);
  f.bytes = static_cast<int64_t>(l.blobs[blob].bytes.size());
  f.explained = l.explained[blob];
  for (const edgetpu::Piece& p : l.pieces) {
    if (p.blob != blob) continue;
    ParameterRun run{std::string(name(p.kind)), p.label, p.offset, p.bytes, p.explained, {}};
    if (p.kind == edgetpu::PieceKind::layer) run.blocks = blocks_of(p, l.layers[p.layer]);
    f.runs.push_back(std::move(run));
  }
  return f;
}

template <class T>
std::optional<Tensor> array_of(const std::vector<T>& values, DType type) {
  if (values.empty()) return std::nullopt;
  Tensor t;
  t.dtype = type;
  t.shape = {static_cast<int64_t>(values.size())};
  t.data.resize(values.size() * sizeof(T));
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

Result<LayerParameters> layer_parameters(const edgetpu::Located& l, size_t index) {
  const edgetpu::ReferenceLayer& layer = l.layers[index];
  EDGETWIN_TRY_ASSIGN(const edgetpu::BlockContent content, edgetpu::content_of(l, index));
  char number[24];
  std::snprintf(number, sizeof number, "%04zu_", layer.op);
  LayerParameters made;
  made.stem = number + report::file_safe(layer.name);
  made.weights.dtype = layer.weight_type;
  made.weights.shape = layer.weight_shape;
  made.weights.data = edgetpu::to_model_order(layer, content.weights);
  made.bias = array_of(content.bias, DType::int32);
  made.scales = array_of(content.scales, DType::float32);
  return made;
}

std::string executable_id(const darwinn::BitstreamId& id) {
  return std::to_string(id.op) + "." + std::to_string(id.package) + "." +
         std::to_string(id.executable) + ".bin";
}

Bytes copy_of(ByteSpan bytes) { return Bytes(bytes.begin(), bytes.end()); }

}  // namespace

Result<Parameters> parameters_of(const std::string& compiled, const std::string& reference) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(compiled, reference));
  const edgetpu::Located& l = m.located;
  Parameters p;
  p.findings = m.file->findings;
  p.located = !l.pieces.empty();
  p.bytes = l.total();
  p.explained = l.total_explained();
  for (size_t b = 0; b < l.blobs.size(); ++b) p.files.push_back(file_of(l, b));
  if (!p.located) {
    for (const edgetpu::Segment& s : edgetpu::segments(*m.file, l.blobs)) {
      p.files[s.blob].segments.push_back({s.offset, s.bytes, s.tiles});
    }
  }
  for (const size_t i : l.missing) p.missing.push_back(l.layers[i].label);
  return p;
}

Result<BuiltParameterFiles> build_parameters(const std::string& compiled,
                                             const std::string& reference) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(compiled, reference));
  BuiltParameterFiles built;
  built.findings = m.file->findings;
  for (edgetpu::BuiltBlob& b : edgetpu::build(m.located)) {
    built.files.push_back(
        {{edgetpu::blob_file_name(b.id), std::move(b.bytes)}, b.made, b.copied, b.equal});
  }
  return built;
}

Result<ExtractedParameters> extract_parameters(const std::string& compiled,
                                               const std::string& reference) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(compiled, reference));
  const edgetpu::Located& l = m.located;
  if (l.pieces.empty()) {
    return Error(ErrorCode::params_reference, "which layer is where cannot be told")
        .in_file(compiled)
        .with_hint("Give the model that it was compiled from with --reference.");
  }
  ExtractedParameters extracted;
  extracted.findings = m.file->findings;
  for (size_t i = 0; i < l.layers.size(); ++i) {
    if (l.piece_of(i) == nullptr) continue;
    EDGETWIN_TRY_ASSIGN(LayerParameters layer, layer_parameters(l, i));
    extracted.layers.push_back(std::move(layer));
  }
  return extracted;
}

Result<std::vector<ExtractedPart>> extract_parts(ByteSpan compiled, const std::string& file_name) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(compiled, file_name));
  const std::vector<darwinn::BitstreamId> all = darwinn::all_bitstreams(file);
  if (all.empty()) {
    return Error(ErrorCode::edgetpu_no_program, "the model has no operator edgetpu-custom-op")
        .in_file(file_name);
  }
  std::vector<ExtractedPart> parts;
  for (const darwinn::BitstreamId& id : all) {
    const darwinn::Executable& e = *darwinn::executable_of(file, id);
    const std::string type(darwinn::name(e.type));
    parts.push_back(
        {{"program_" + edgetpu::to_text(id) + ".bin", copy_of(darwinn::find(file, id)->data)},
         "instructions, " + type + ", chunk " + std::to_string(id.chunk + 1) + " of " +
             std::to_string(e.bitstreams.size())});
    if (id.chunk != 0) continue;
    if (!e.parameters.empty()) {
      parts.push_back(
          {{"parameters_" + executable_id(id), copy_of(e.parameters)}, "parameters, " + type});
    }
    if (file.container == darwinn::Container::bitstream || e.place.size == 0) continue;
    parts.push_back({{"executable_" + executable_id(id),
                      copy_of(compiled.subspan(e.place.offset, e.place.size))},
                     "the whole executable, " + type});
  }
  return parts;
}

}  // namespace edgetwin
