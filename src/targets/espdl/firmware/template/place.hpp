// Where the models lie: in the application or in a partition of the flash.
#pragma once

#include <memory>

#include "cases.hpp"
#include "dl_model_base.hpp"

namespace check {

// CRC-32 of the first `size` bytes of the model as they lie on the chip; false where there are not
// as many.
bool model_crc32(const Case& wanted, uint32_t size, uint32_t& crc);

// Null where esp-dl could not load it.
std::unique_ptr<dl::Model> load_model(const Case& wanted);

}  // namespace check
