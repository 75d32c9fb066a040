#include "image/espdl/preprocess.h"
#include "base/file.h"
#include "base/sha256.h"
#include "cli/preprocess/arguments.h"
#include "cli/shared/exit_codes.h"
#include "image/espdl/model_input.h"
#include "report/format.h"
#include "tensor/npy.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// The size, exponent and target that P.json does not name, from the input of a model.
Status fill_from_model(const PreprocessArguments& a, espdl_image::Params& params) {
  twin::LoadOptions options;
  options.key = a.key;
  options.any_target = true;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(a.model, options));
  const Graph& graph = loaded.model->main();
  if (graph.inputs.size() != 1) {
    return Error(ErrorCode::usage, "the model has " + std::to_string(graph.inputs.size()) +
                                       " inputs, a picture goes into one")
        .in_file(a.model);
  }
  const Value& input = graph.value(graph.inputs[0]);
  auto filled = espdl_image::fill_from_input(input.shape, input.dtype, input.quant, params);
  if (!filled.ok()) return std::move(filled).error().in_file(a.model);
  return Ok{};
}

Result<Tensor> read_picture(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const FileKind kind = twin::sniff(data);
  if (kind != FileKind::npy && kind != FileKind::image) {
    return Error(ErrorCode::file_kind, "this is neither a picture nor an .npy array").in_file(file);
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, twin::load_tensors(kind, data, file));
  return std::move(tensors.front());
}

Json geometry_json(const espdl_image::Preprocessed& made) {
  Json geometry = Json::object();
  for (const auto& [name, value] : made.geometry) geometry.set(name, value);
  return geometry;
}

}  // namespace

Result<int> execute(const PreprocessArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.params));
  EDGETWIN_TRY_ASSIGN(espdl_image::Params params,
                      espdl_image::read_params(as_text(text), a.params));
  if (!a.model.empty()) EDGETWIN_TRY(fill_from_model(a, params));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, read_picture(a.picture));
  auto made = espdl_image::preprocess(picture, params);
  if (!made.ok()) return std::move(made).error().in_file(a.picture);
  for (const Finding& f : made->findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(made->tensor));
  EDGETWIN_TRY(a.output.write(npy));
  const Tensor& t = made->tensor;
  const std::string sha = sha256_hex(t.data);
  const std::string quant = to_string(t.quant);
  console.print("input  " + to_string(t.shape) + " " + std::string(name(t.dtype)) +
                (quant.empty() ? "" : " " + quant) + "  sha256 " + sha.substr(0, 16) + "\n");
  for (const auto& [name, value] : made->geometry) {
    console.print(name + " " + report::real_text(static_cast<float>(value)) + "\n");
  }
  console.print("wrote  " + a.output.path + "\n");
  Json shape = Json::list(std::vector<int64_t>{t.shape[0], t.shape[1], t.shape[2]});
  console.json().set("output", a.output.path).set("shape", std::move(shape));
  console.json().set("type", name(t.dtype)).set("sha256", sha);
  console.json().set("geometry", geometry_json(*made));
  return kYes;
}

}  // namespace edgetwin::cli
