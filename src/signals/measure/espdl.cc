#include "signals/measure/espdl.h"

#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/write.h"
#include "quantize/espdl/quantize.h"
#include "signals/fft/network.h"

namespace edgetwin::signals {
namespace {

Result<std::vector<quantize::Sample>> runs_of(const Graph& network, InputOrder order,
                                              std::span<const Complex> samples) {
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> inputs, packed_runs(network, order, samples));
  std::vector<quantize::Sample> runs;
  for (Tensor& input : inputs) runs.push_back({std::move(input)});
  return runs;
}

}  // namespace

Result<Bytes> onnx_fft(const FftOptions& options) {
  FftOptions real = options;
  real.number = FftNumber::float32;
  EDGETWIN_TRY_ASSIGN(const Model model, fft_network(real, fft_reach(real)));
  EDGETWIN_TRY_ASSIGN(const onnx::Document document, onnx::document_of(model.main()));
  return onnx::write_document(document);
}

Result<Graph> espdl_fft(const FftOptions& options, espdl::Target target, int bits,
                        std::span<const Complex> samples) {
  EDGETWIN_TRY_ASSIGN(const Bytes file, onnx_fft(options));
  EDGETWIN_TRY_ASSIGN(const Model model, onnx::read(file, "fft.onnx"));
  EDGETWIN_TRY_ASSIGN(const auto runs, runs_of(model.main(), input_order(options.form), samples));
  quantize::Settings settings;
  settings.target = target;
  settings.bits = bits;
  settings.method = quantize::Method::minmax;
  settings.steps = static_cast<int>(runs.size());
  EDGETWIN_TRY_ASSIGN(quantize::Quantized made,
                      quantize::quantize_espdl(model.main(), runs, settings));
  return std::move(made.graph);
}

}  // namespace edgetwin::signals
