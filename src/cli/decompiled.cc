#include "cli/decompiled.h"

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/decompile.h"

namespace edgetwin::cli {

Result<std::shared_ptr<const Graph>> decompiled_graph(ByteSpan data, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, name));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, name));
  EDGETWIN_TRY_ASSIGN(edgetpu::Decompiled result, edgetpu::decompile(model, file));
  if (!result.complete()) {
    return Error(ErrorCode::decompile_layer, "not all of the network could be recovered")
        .in_file(name)
        .with_hint("`decompile` lists what is missing.");
  }
  return std::make_shared<const Graph>(result.model.main());
}

}  // namespace edgetwin::cli
