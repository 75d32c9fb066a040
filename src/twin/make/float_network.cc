// The float network that is quantized, and the samples that it is calibrated with.
#include <algorithm>
#include <map>

#include "base/file.h"
#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/trained.h"
#include "formats/onnx/write/write.h"
#include "image/espdl/real.h"
#include "quantize/calibration/samples.h"
#include "twin/load.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

Result<onnx::ReadOptions> read_options(const QuantizeRun& run) {
  onnx::ReadOptions options;
  EDGETWIN_TRY(onnx::add_shapes(options, run.options.shapes));
  // Upstream knows Swish after layers and what only moves elements, and no other pattern.
  const bool like = run.options.like_upstream;
  onnx::Passes& passes = options.passes;
  passes.swish_of_anything = !like;
  passes.fuse_hard_swish = passes.fuse_gelu = passes.fuse_layer_norm = !like;
  const auto& off = run.options.without;
  if (std::find(off.begin(), off.end(), "swish-fusion") != off.end()) passes.fuse_swish = false;
  if (std::find(off.begin(), off.end(), "gelu-fusion") != off.end()) {
    passes.fuse_gelu = false;
    passes.write_out_tanh_gelu = true;
  }
  options.external = onnx::files_beside(run.file);
  return options;
}

// The float constants that operators read.
std::map<std::string, const Value*> constants_by_name(const Graph& graph) {
  std::map<std::string, const Value*> found;
  for (const Op& op : graph.ops) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      const Value& v = graph.value(op.inputs[i]);
      if (v.is_constant() && v.dtype == DType::float32) found[v.name] = &v;
    }
  }
  return found;
}

}  // namespace

Result<Model> read_float_network(const QuantizeRun& run) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(run.file));
  if (sniff(data) == FileKind::tflite) {
    return Error(ErrorCode::usage, "'" + run.file + "' is a .tflite file, and " +
                                       run.options.target +
                                       " is quantized from .onnx: its passes want channels before "
                                       "rows and activations as operators of their own")
        .with_hint("--target edgetpu takes a float .tflite. Export the network as ONNX.");
  }
  EDGETWIN_TRY_ASSIGN(const onnx::ReadOptions options, read_options(run));
  EDGETWIN_TRY_ASSIGN(Model model, onnx::read(data, run.file, options));
  for (const Finding& f : model.findings) run.noticed(f);
  return model;
}

Result<Bytes> trained_network(const QuantizeRun& run, const Graph& before, const Graph& after) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(run.file));
  EDGETWIN_TRY_ASSIGN(const onnx::ReadOptions options, read_options(run));
  EDGETWIN_TRY_ASSIGN(onnx::Document document,
                      onnx::read_document(data, run.file, options.external));
  EDGETWIN_TRY_ASSIGN(document, onnx::with_constants(std::move(document), before, after));
  EDGETWIN_TRY_ASSIGN(Bytes bytes, onnx::write_document(document));
  EDGETWIN_TRY_ASSIGN(const Model again, onnx::read(bytes, run.file, options));
  const auto written = constants_by_name(again.main()), wanted = constants_by_name(after);
  for (const auto& [name, value] : constants_by_name(before)) {
    const auto trained = wanted.find(name);
    if (trained == wanted.end()) continue;
    const auto found = written.find(name);
    if (found != written.end() && *found->second->constant == *trained->second->constant) continue;
    return Error(ErrorCode::onnx_reference,
                 "the trained constant '" + name + "' is another one when the file is read again")
        .with_hint("Simplify the network before training, so that its weights are constants.");
  }
  return bytes;
}

Result<quantize::Method> method_of(const std::string& name) {
  if (const auto method = quantize::method_by_name(name)) return quantize::Method{*method};
  std::string known;
  for (const auto& m : quantize::all_methods()) {
    known += (known.empty() ? "" : ", ") + std::string(m.name);
  }
  return Error(ErrorCode::usage, "there is no method '" + name + "'")
      .with_hint("Known are " + known + ".");
}

Result<std::vector<quantize::Sample>> read_samples(const QuantizeRun& run, const Graph& graph) {
  const QuantizeOptions& o = run.options;
  if (o.calibrate.empty()) {
    return Error(ErrorCode::usage, "quantize needs data to calibrate with")
        .with_hint("Add --calibrate and a folder of pictures, or an .npy with a sample per row.");
  }
  quantize::PictureOptions pictures;
  pictures.mean = o.mean;
  pictures.std = o.std;
  pictures.resize = o.nearest ? Resize::nearest : Resize::half_pixel;
  if (!o.params.empty()) {
    if (!o.mean.empty() || !o.std.empty() || o.nearest) {
      return Error(ErrorCode::usage,
                   "--params says all of how pictures come in: leave out --resize, --mean and "
                   "--std");
    }
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(o.params));
    EDGETWIN_TRY_ASSIGN(const espdl_image::Params params,
                        espdl_image::read_params(as_text(text), o.params));
    pictures.pipeline = [params](const Tensor& picture, int64_t rows, int64_t columns,
                                 int64_t channels) {
      return espdl_image::real_picture(picture, params, rows, columns, channels);
    };
  }
  return quantize::load_samples(o.calibrate, graph, pictures, static_cast<size_t>(o.samples));
}

}  // namespace edgetwin::twin
