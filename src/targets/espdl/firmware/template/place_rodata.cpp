#include "golden_format.hpp"
#include "place.hpp"

namespace check {

bool model_crc32(const Case& wanted, uint32_t size, uint32_t& crc) {
  crc = edgetwin_golden::crc32(wanted.model, size);
  return true;
}

std::unique_ptr<dl::Model> load_model(const Case& wanted) {
  std::unique_ptr<dl::Model> model = std::make_unique<dl::Model>(
      reinterpret_cast<const char*>(wanted.model), fbs::MODEL_LOCATION_IN_FLASH_RODATA);
  if (!model->get_inputs().empty()) return model;
  // A failed load is only logged. Such a model is left alone, as it is half made.
  (void)model.release();
  return nullptr;
}

}  // namespace check
