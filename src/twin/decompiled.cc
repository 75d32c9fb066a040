#include "twin/decompiled.h"

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/virtual_device/reference/library.h"
#include "twin/compute.h"

namespace edgetwin::twin {
Result<LoadedModel> load_decompiled(ByteSpan data, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(LoadedModel loaded, load_model(data, name));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, name));
  EDGETWIN_TRY_ASSIGN(edgetpu::Decompiled result, edgetpu::decompile(*loaded.model, file));
  if (!result.complete() || has_compiled_ops(result.model.main())) {
    return Error(ErrorCode::decompile_layer, "not all of the network could be recovered")
        .in_file(name)
        .with_hint("`decompile` lists what is missing.");
  }
  loaded.model = std::make_shared<Model>(std::move(result.model));
  return loaded;
}

Result<std::shared_ptr<const LoadedModel>> load_reference(const std::string& file,
                                                          const std::string& reference) {
  const std::string source =
      reference.empty() ? edgetpu::find_reference(file).value_or("") : reference;
  if (source.empty()) return std::shared_ptr<const LoadedModel>();
  EDGETWIN_TRY_ASSIGN(LoadedModel loaded, load_model(source));
  return std::make_shared<const LoadedModel>(std::move(loaded));
}

Result<std::shared_ptr<const LoadedModel>> load_reference_or_decompile(
    ByteSpan data, const std::string& file, const std::string& reference) {
  EDGETWIN_TRY_ASSIGN(auto loaded, load_reference(file, reference));
  if (loaded != nullptr) return loaded;
  auto network = load_decompiled(data, file);
  if (network.ok()) return std::make_shared<const LoadedModel>(std::move(*network));
  if (info(network.error().code).exit_code == 1) return loaded;
  return std::move(network).error();
}

}  // namespace edgetwin::twin
