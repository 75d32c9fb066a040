#include "cli/quantize_export.h"

#include "exec/session.h"
#include "formats/espdl/container.h"
#include "formats/espdl/export.h"
#include "quantize/analyse.h"
#include "quantize/dequantize.h"

namespace edgetwin::cli {
namespace {

Result<exec::Session> run(const Graph& graph, const std::vector<Tensor>& inputs,
                          espdl::Target target) {
  exec::Options options;
  options.numerics = quantize::numerics_of(target);
  options.allow_undefined = true;
  EDGETWIN_TRY_ASSIGN(auto session,
                      exec::Session::create(std::make_shared<const Graph>(graph), options));
  for (size_t i = 0; i < inputs.size(); ++i) EDGETWIN_TRY(session.set_input(i, inputs[i].data));
  EDGETWIN_TRY(session.run());
  return session;
}

// The sample as the network's own integers.
std::vector<Tensor> inputs_of(const quantize::Quantized& q, const quantize::Sample& sample,
                              const quantize::Settings& settings) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sample.size(); ++i) {
    const ValueId id = q.graph.inputs[i];
    const Value& v = q.graph.value(id);
    Tensor t;
    t.name = v.name;
    t.dtype = v.dtype;
    t.shape = v.shape;
    t.quant = v.quant;
    t.data = sample[i].dtype == DType::float32
                 ? quantize::integer_values(q, sample[i].as<float>(), id, settings.target)
                 : sample[i].data;
    inputs.push_back(std::move(t));
  }
  return inputs;
}

Status check_again(ByteSpan file, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& outputs, espdl::Target target) {
  EDGETWIN_TRY_ASSIGN(const espdl::Container read, espdl::read(file, "the new file"));
  EDGETWIN_TRY_ASSIGN(const Model model, espdl::lower(read.models[0].document, target, "the new file"));
  EDGETWIN_TRY_ASSIGN(const exec::Session session, run(model.main(), inputs, target));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (session.output(i).data == outputs[i].data) continue;
    return Error(ErrorCode::internal, "the file computes another '" + outputs[i].name +
                                          "' than the network it was made of");
  }
  return Ok{};
}

}  // namespace

Result<Bytes> espdl_file(const quantize::Quantized& quantized, const quantize::Sample& sample,
                         const quantize::Settings& settings) {
  espdl::Container container;
  container.models.emplace_back();
  espdl::Document& document = container.models[0].document;
  EDGETWIN_TRY_ASSIGN(document, espdl::export_graph(quantized.graph, settings.target));
  const std::vector<Tensor> inputs = inputs_of(quantized, sample, settings);
  EDGETWIN_TRY_ASSIGN(const exec::Session session, run(quantized.graph, inputs, settings.target));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < quantized.graph.outputs.size(); ++i) outputs.push_back(session.output(i));
  for (const Tensor& t : inputs) document.test_inputs.push_back(espdl::to_test_value(t));
  for (const Tensor& t : outputs) document.test_outputs.push_back(espdl::to_test_value(t));
  EDGETWIN_TRY_ASSIGN(Bytes file, espdl::write(container));
  EDGETWIN_TRY(check_again(file, inputs, outputs, settings.target));
  return file;
}

}  // namespace edgetwin::cli
