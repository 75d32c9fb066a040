#include "twin/compiled.h"

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/params/alone.h"

namespace edgetwin::twin {
namespace {

Result<std::unique_ptr<const Model>> load_reference(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, file));
  return std::make_unique<const Model>(std::move(model));
}

// A model that has weighted layers, none of which is in the blobs, is another model.
Status check_reference(const CompiledModel& m, const std::string& reference) {
  const edgetpu::Located& l = m.located;
  if (l.layers.empty() || l.blobs.empty() || l.missing.size() < l.layers.size()) return Ok{};
  return Error(ErrorCode::params_reference,
               "none of its " + std::to_string(l.layers.size()) +
                   " layers with weights is in the parameters of the compiled model")
      .in_file(reference)
      .detail("compiled model: " + m.name);
}

}  // namespace

Result<CompiledModel> load_compiled(const std::string& file, const std::string& reference) {
  CompiledModel m;
  m.name = file;
  EDGETWIN_TRY_ASSIGN(m.data, read_file(file));
  EDGETWIN_TRY_ASSIGN(darwinn::File compiled, darwinn::read(m.data, file));
  m.file = std::make_unique<const darwinn::File>(std::move(compiled));
  if (reference.empty()) {
    m.located = edgetpu::locate_alone(*m.file);
    return m;
  }
  EDGETWIN_TRY_ASSIGN(m.reference, load_reference(reference));
  m.located = edgetpu::locate(*m.file, m.reference->main());
  EDGETWIN_TRY(check_reference(m, reference));
  return m;
}

}  // namespace edgetwin::twin
