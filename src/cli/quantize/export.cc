#include "cli/quantize/export.h"

#include <filesystem>

#include "quantize/espdl/dequantize.h"
#include "targets/espdl/export/export.h"

namespace edgetwin::cli {
namespace {

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

}  // namespace

Status write_espdl(const std::string& path, const quantize::Quantized& quantized,
                   const quantize::Sample& sample, const quantize::Settings& settings,
                   Overwrite overwrite) {
  const auto beside = [&](const char* extension) {
    return std::filesystem::path(path).replace_extension(extension).string();
  };
  for (const char* extension : {".info", ".json"}) {
    EDGETWIN_TRY(check_output(beside(extension), overwrite));
  }
  targets::espdl::ExportSettings how;
  how.target = settings.target;
  how.threads = settings.threads;
  how.allow_undefined = true;
  EDGETWIN_TRY_ASSIGN(
      const targets::espdl::Exported files,
      targets::espdl::export_model(quantized.graph, inputs_of(quantized, sample, settings), how));
  EDGETWIN_TRY(write_file(path, files.file, overwrite));
  EDGETWIN_TRY(write_file(beside(".info"), std::string_view(files.info), overwrite));
  return write_file(beside(".json"), std::string_view(files.config), overwrite);
}

}  // namespace edgetwin::cli
