#include "edgetwin/preprocess.h"

#include "base/file.h"
#include "image/espdl/model_fit.h"
#include "image/espdl/model_input.h"
#include "image/espdl/preprocess.h"
#include "twin/load.h"

namespace edgetwin {
namespace {

// The one input of the model.
Result<espdl_image::ModelInput> input_of(const PreprocessOptions& o) {
  twin::LoadOptions options;
  options.key = o.key;
  options.any_target = true;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(o.model, options));
  const Graph& graph = loaded.model->main();
  if (graph.inputs.size() != 1) {
    return Error(ErrorCode::usage, "the model has " + std::to_string(graph.inputs.size()) +
                                       " inputs, a picture goes into one")
        .in_file(o.model);
  }
  const Value& input = graph.value(graph.inputs[0]);
  return espdl_image::ModelInput{input.name, input.shape, input.dtype, input.quant};
}

// The size, exponent and target that the parameters do not name, from the input of a model.
Status fill_from_model(const PreprocessOptions& o, espdl_image::Params& params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::ModelInput input, input_of(o));
  auto filled = espdl_image::fill_from_input(input.shape, input.type, input.quant, params);
  if (!filled.ok()) return std::move(filled).error().in_file(o.model);
  return Ok{};
}

Result<Tensor> read_pixels(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const FileKind kind = twin::sniff(data);
  if (kind != FileKind::npy && kind != FileKind::image) {
    return Error(ErrorCode::file_kind, "this is neither a picture nor an .npy array").in_file(file);
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, twin::load_tensors(kind, data, file));
  return std::move(tensors.front());
}

Result<PreparedPicture> prepare(const Tensor& pixels, const espdl_image::Params& params) {
  EDGETWIN_TRY_ASSIGN(espdl_image::Preprocessed made, espdl_image::preprocess(pixels, params));
  return PreparedPicture{std::move(made.tensor), std::move(made.geometry),
                         std::move(made.findings)};
}

}  // namespace

Result<PreparedPicture> preprocess_picture(const std::string& picture, const std::string& params,
                                           const PreprocessOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(params));
  EDGETWIN_TRY_ASSIGN(espdl_image::Params read, espdl_image::read_params(as_text(text), params));
  if (!options.model.empty()) EDGETWIN_TRY(fill_from_model(options, read));
  EDGETWIN_TRY_ASSIGN(const Tensor pixels, read_pixels(picture));
  auto made = prepare(pixels, read);
  if (!made.ok()) return std::move(made).error().in_file(picture);
  return made;
}

Result<PreparedPicture> preprocess_pixels(const Tensor& pixels, std::string_view params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::Params read,
                      espdl_image::read_params(params, "parameters"));
  return prepare(pixels, read);
}

Result<std::vector<Finding>> check_preprocess(const std::string& params,
                                              const PreprocessOptions& options) {
  if (options.model.empty()) return Error(ErrorCode::usage, "no model was named");
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(params));
  EDGETWIN_TRY_ASSIGN(const espdl_image::Params given,
                      espdl_image::read_params(as_text(text), params));
  EDGETWIN_TRY_ASSIGN(const espdl_image::ModelInput input, input_of(options));
  return espdl_image::model_fit(given, input);
}

}  // namespace edgetwin
