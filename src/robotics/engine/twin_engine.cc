#include "robotics/engine/twin_engine.h"

#include <algorithm>

#include "base/file.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "twin/runners.h"

namespace edgetwin::robotics {

Result<std::unique_ptr<Engine>> twin_engine(const Model& model, const TwinOptions& options) {
  twin::LoadedModel loaded;
  loaded.model = std::make_shared<const Model>(model);
  twin::ComputeOptions compute;
  compute.numerics = options.numerics;
  compute.threads = options.threads;
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner, twin::graph_runner(loaded, compute, {}));
  return Engine::over(std::move(runner), {options.exchangeable, nullptr});
}

Result<TwinModel> twin_model(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(path));
  if (darwinn::container_of(data)) {
    const std::string stem = path.stem().string();
    constexpr std::string_view kEnd = "_edgetpu";
    path.replace_filename(stem.substr(0, stem.size() - std::min(stem.size(), kEnd.size())) +
                          ".tflite");
    std::error_code ignored;
    if (!stem.ends_with(kEnd) || !std::filesystem::exists(path, ignored)) {
      return Error(ErrorCode::module_model,
                   "the model is compiled, and the twin computes uncompiled ones")
          .in_file(file.string())
          .with_hint("Put the uncompiled model beside it as '" + path.filename().string() + "'.");
    }
    EDGETWIN_TRY_ASSIGN(data, read_file(path));
  }
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, path.string()));
  return TwinModel{path.string(), std::move(model)};
}

Result<std::unique_ptr<Engine>> load_twin_engine(const std::filesystem::path& file,
                                                 const TwinOptions& options) {
  EDGETWIN_TRY_ASSIGN(const TwinModel loaded, twin_model(file));
  auto made = twin_engine(loaded.model, options);
  if (!made.ok()) return std::move(made).error().in_file(loaded.file);
  return made;
}

}  // namespace edgetwin::robotics
