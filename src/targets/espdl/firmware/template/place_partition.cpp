#include <algorithm>
#include <vector>

#include "esp_partition.h"
#include "golden_format.hpp"
#include "place.hpp"

namespace check {

bool model_crc32(const Case& wanted, uint32_t size, uint32_t& crc) {
  const esp_partition_t* partition = esp_partition_find_first(
      ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, wanted.partition);
  if (partition == nullptr || partition->size < size) return false;
  std::vector<uint8_t> chunk(4096);
  crc = 0;
  for (uint32_t at = 0; at < size;) {
    const uint32_t bytes = std::min<uint32_t>(size - at, static_cast<uint32_t>(chunk.size()));
    if (esp_partition_read(partition, at, chunk.data(), bytes) != ESP_OK) return false;
    crc = edgetwin_golden::crc32(chunk.data(), bytes, crc);
    at += bytes;
  }
  return true;
}

std::unique_ptr<dl::Model> load_model(const Case& wanted) {
  std::unique_ptr<dl::Model> model =
      std::make_unique<dl::Model>(wanted.partition, fbs::MODEL_LOCATION_IN_FLASH_PARTITION);
  if (!model->get_inputs().empty()) return model;
  // A failed load is only logged. Such a model is left alone, as it is half made.
  (void)model.release();
  return nullptr;
}

}  // namespace check
