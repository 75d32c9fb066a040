#pragma once
#include <cstddef>
#include <cstdint>
using esp_err_t = int;
#define ESP_OK 0
enum esp_partition_type_t { ESP_PARTITION_TYPE_DATA = 1 };
enum esp_partition_subtype_t { ESP_PARTITION_SUBTYPE_ANY = 0xFF };
struct esp_partition_t {
  uint32_t size;
  char label[17];
};
const esp_partition_t* esp_partition_find_first(esp_partition_type_t, esp_partition_subtype_t,
                                                const char* label);
esp_err_t esp_partition_read(const esp_partition_t*, size_t offset, void* to, size_t size);
