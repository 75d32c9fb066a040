#include "targets/edgetpu/synthesize/package.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "formats/darwinn/hints.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/inspect/check.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kChip = 18;  // of the payload, as compiled models have it
constexpr int kTileColumns = 4;
constexpr int kTileOutputs = 64;  // of one tile of a dense layer

int32_t small(int64_t x) { return static_cast<int32_t>(x); }

darwinn::OutputLayout dense_layout(const Member& m) {
  darwinn::OutputLayout layout;
  layout.y_tile = layout.x_tile = layout.x_local = layout.y_local = {0};
  for (int tile = 0; tile < kTiles; ++tile) {
    layout.tile_offset.push_back(std::min(tile * kTileOutputs, m.size));
  }
  layout.x_row_size = {kTileOutputs};
  return layout;
}

// Each tile of the grid of four by four has a piece of the picture.
darwinn::OutputLayout conv_layout(const Member& m) {
  const int rows = m.height / kTileColumns;
  const int columns = m.width / kTileColumns;
  darwinn::OutputLayout layout;
  for (int y = 0; y < m.height; ++y) {
    layout.y_tile.push_back(y / rows * kTileColumns);
    layout.y_local.push_back(y % rows);
  }
  for (int x = 0; x < m.width; ++x) {
    layout.x_tile.push_back(x / columns);
    layout.x_local.push_back(x % columns * m.channels);
    layout.x_row_size.push_back(columns * m.channels);
  }
  for (int tile = 0; tile < kTiles; ++tile) {
    layout.tile_offset.push_back(tile * rows * columns * m.channels);
  }
  return layout;
}

darwinn::Layer layer(const Member& m, const std::string& name, float scale, int zero_point) {
  const bool dense = m.family == Family::dense;
  darwinn::Layer l;
  l.name = name;
  l.size_bytes = small(m.input_bytes());
  l.y_dim = dense ? 1 : m.height;
  l.x_dim = dense ? 1 : m.width;
  l.z_dim = dense ? m.size : m.channels;
  l.numerics = darwinn::Numerics{zero_point, scale, {}, {}};
  l.data_type = dense ? darwinn::DataType::unsigned8 : darwinn::DataType::signed8;
  return l;
}

darwinn::Layer output_layer(const Member& m, const std::string& name) {
  darwinn::Layer l = layer(m, name, m.output_scale, m.output_zero_point);
  l.kind = darwinn::LayerKind::output;
  const bool dense = m.family == Family::dense;
  l.layout = dense ? dense_layout(m) : conv_layout(m);
  l.shape = dense ? std::vector<darwinn::Range>{{0, 0}, {0, m.size - 1}}
                  : std::vector<darwinn::Range>{
                        {0, 0}, {0, m.height - 1}, {0, m.width - 1}, {0, m.channels - 1}};
  return l;
}

// Ties the executables together; sets of parameters that differ must have tokens that differ.
uint64_t token_of(ByteSpan parameters, const darwinn::Bitstream& caching) {
  const std::string digest = sha256_hex(parameters) + sha256_hex(caching.data);
  const std::string all = sha256_hex(std::as_bytes(std::span(digest)));
  return std::stoull(all.substr(0, 16), nullptr, 16) | 1U;
}

darwinn::Executable executable(const std::string& name, darwinn::ExecutableType type) {
  darwinn::Executable e;
  e.name = name;
  e.chip = "beagle";
  e.type = type;
  return e;
}

}  // namespace

darwinn::Package package_of(const Member& member, const HostBuffers& buffers, Bytes parameters) {
  using darwinn::BaseAddress;
  auto run = executable("model", darwinn::ExecutableType::execution_only);
  run.bitstreams = {execution_program(member, buffers.input, buffers.output)};
  run.narrow_memory_per_tile = small(member.narrow_memory());
  run.inputs = {layer(member, buffers.input, buffers.input_scale, member.input_zero_point)};
  run.inputs[0].kind = darwinn::LayerKind::input;
  run.outputs = {output_layer(member, buffers.output)};
  run.dma_hints = darwinn::hints_of(
      {darwinn::transfer_hint(BaseAddress::input, buffers.input, member.input_bytes()),
       darwinn::transfer_hint(BaseAddress::output, buffers.output, member.output_bytes())});
  auto cache = executable("Unknown", darwinn::ExecutableType::parameter_caching);
  cache.bitstreams = {caching_program(member)};
  cache.dma_hints = darwinn::hints_of(
      {darwinn::transfer_hint(BaseAddress::parameter, "", member.parameter_bytes())});
  cache.parameter_caching_token = token_of(parameters, cache.bitstreams[0]);
  run.parameter_caching_token = cache.parameter_caching_token;
  cache.parameters = std::move(parameters);
  darwinn::Package package;
  package.min_runtime_version = darwinn::kCurrentRuntimeVersion;
  package.compiler_version = "edgetwin";
  package.executables = {std::move(run), std::move(cache)};
  return package;
}

namespace {

// What the program must pass before anybody sees it.
Status passes_checks(ByteSpan data) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, "the new model"));
  for (const Finding& finding : check(file).findings) {
    if (finding.severity != Severity::error) continue;
    return Error(ErrorCode::internal,
                 "the program that was made fails its own check: " + finding.message);
  }
  return Ok{};
}

}  // namespace

Result<Bytes> compiled_model(const Graph& graph, const Source& source) {
  const Value& in = graph.values[static_cast<size_t>(source.input)];
  const Value& out = graph.values[static_cast<size_t>(source.output)];
  darwinn::CompiledOp compiled;
  compiled.has_chips = true;
  compiled.chips = {kChip};
  compiled.packages = {
      package_of(source.member, {in.name, out.name, in.quant.scale_of(0)}, source.parameters)};
  OpaqueAttrs attrs;
  attrs.name = darwinn::kCustomCode;
  attrs.builtin_code = 32;
  EDGETWIN_TRY_ASSIGN(attrs.custom_options, darwinn::write_options(compiled));
  Graph whole;
  whole.name = graph.name;
  whole.values = {in, out};
  whole.inputs = {0};
  whole.outputs = {1};
  Op op;
  op.kind = OpKind::opaque;
  op.attrs = std::move(attrs);
  op.inputs = {0};
  op.outputs = {1};
  whole.ops.push_back(std::move(op));
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(whole));
  EDGETWIN_TRY_ASSIGN(Bytes file, tflite::write(model));
  EDGETWIN_TRY(passes_checks(file));
  return file;
}

}  // namespace edgetwin::edgetpu
