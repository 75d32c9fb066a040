#include "make_edgetpu.h"

#include <cstdio>
#include <memory>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "unit/targets/edgetpu/decompile/source_model.h"
#include "unit/targets/edgetpu/isa/programs.h"
#include "unit/targets/edgetpu/params/dense_model.h"

namespace edgetwin {
namespace {

Value value(const char* name, int64_t size, float scale = 0.5F) {
  Value v;
  v.name = name;
  v.dtype = DType::uint8;
  v.shape = {1, size};
  v.quant = Quant::affine(scale, 128);
  return v;
}

Result<Bytes> model(darwinn::Executable executable, float output_scale) {
  darwinn::CompiledOp compiled;
  compiled.has_chips = true;
  compiled.chips = {18};
  compiled.packages.emplace_back();
  darwinn::Package& package = compiled.packages[0];
  package.min_runtime_version = 14;
  package.compiler_version = "cl/";
  package.executables.push_back(std::move(executable));
  EDGETWIN_TRY_ASSIGN(Bytes options, darwinn::write_options(compiled));
  Graph g;
  g.values = {value("in", 30), value("out", 13, output_scale)};
  g.inputs = {0};
  g.outputs = {1};
  Op op;
  op.kind = OpKind::opaque;
  OpaqueAttrs attrs;
  attrs.name = std::string(darwinn::kCustomCode);
  attrs.builtin_code = 32;
  attrs.custom_options = std::move(options);
  op.attrs = std::move(attrs);
  op.inputs = {0};
  op.outputs = {1};
  g.ops = {op};
  Model whole;
  whole.format = "tflite";
  whole.graphs.push_back(std::move(g));
  return tflite::write(whole);
}

// What dense_executable was made of.
Result<Bytes> small_source() {
  const edgetpu::BlockShape shape = edgetpu::dense_shape(false);
  Graph g;
  g.values = {value("in", shape.in), value("out", shape.out, edgetpu::kDenseOutput),
              value("weights", shape.in, edgetpu::kDenseWeight)};
  g.values[2].shape = {shape.out, shape.in};
  g.values[2].constant = std::make_shared<const Bytes>(edgetpu::dense_content(false).weights);
  g.inputs = {0};
  g.outputs = {1};
  Op op;
  op.kind = OpKind::fully_connected;
  op.attrs = FullyConnectedAttrs{};
  op.inputs = {0, 2, kAbsent};
  op.outputs = {1};
  g.ops = {op};
  Model whole;
  whole.format = "tflite";
  whole.graphs.push_back(std::move(g));
  return tflite::write(whole);
}

bool put(const std::filesystem::path& path, const Result<Bytes>& bytes) {
  const Status status =
      bytes.ok() ? write_file(path, *bytes, Overwrite::yes) : Status(bytes.error());
  if (!status.ok()) std::fputs(to_text(status.error()).c_str(), stderr);
  return status.ok();
}

}  // namespace

bool write_edgetpu_files(const std::filesystem::path& folder) {
  return put(folder / "echo.eo.bin", darwinn::write_executable(edgetpu::echo())) &&
         put(folder / "dense256.tflite", tflite::write(edgetpu::dense_source(256))) &&
         put(folder / "echo_edgetpu.tflite", model(edgetpu::echo(), 0.5F)) &&
         put(folder / "dense_edgetpu.tflite",
             model(edgetpu::dense_executable(false), edgetpu::kDenseOutput)) &&
         put(folder / "dense.tflite", small_source()) &&
         put(folder / "dense.eo.bin",
             darwinn::write_executable(edgetpu::dense_executable(false))) &&
         put(folder / "dense_channels.eo.bin",
             darwinn::write_executable(edgetpu::dense_executable(true)));
}

}  // namespace edgetwin
