#include "make_edgetpu.h"

#include <cstdio>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "unit/targets/edgetpu/decompile/source_model.h"
#include "unit/targets/edgetpu/isa/programs.h"
#include "unit/targets/edgetpu/params/dense_model.h"

namespace edgetwin {
namespace {

Value value(const char* name, int64_t size) {
  Value v;
  v.name = name;
  v.dtype = DType::uint8;
  v.shape = {1, size};
  v.quant = Quant::affine(0.5F, 128);
  return v;
}

Result<Bytes> model() {
  darwinn::CompiledOp compiled;
  compiled.has_chips = true;
  compiled.chips = {18};
  compiled.packages.emplace_back();
  darwinn::Package& package = compiled.packages[0];
  package.min_runtime_version = 14;
  package.compiler_version = "cl/";
  package.executables.push_back(edgetpu::echo());
  EDGETWIN_TRY_ASSIGN(Bytes options, darwinn::write_options(compiled));
  Graph g;
  g.values = {value("in", 30), value("out", 13)};
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

bool put(const std::filesystem::path& path, const Result<Bytes>& bytes) {
  const Status status =
      bytes.ok() ? write_file(path, *bytes, Overwrite::yes) : Status(bytes.error());
  if (!status.ok()) std::fputs(to_text(status.error()).c_str(), stderr);
  return status.ok();
}

}  // namespace

bool write_edgetpu_files(const std::filesystem::path& folder) {
  return put(folder / "echo.eo.bin", darwinn::write_executable(edgetpu::echo())) &&
         put(folder / "echo_edgetpu.tflite", model()) &&
         put(folder / "dense64.tflite", tflite::write(edgetpu::dense_source(64))) &&
         put(folder / "dense.eo.bin",
             darwinn::write_executable(edgetpu::dense_executable(false))) &&
         put(folder / "dense_channels.eo.bin",
             darwinn::write_executable(edgetpu::dense_executable(true)));
}

}  // namespace edgetwin
