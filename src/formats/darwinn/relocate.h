// Address fields: the driver writes the addresses of its buffers into the instructions.
#pragma once

#include <functional>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {

// The 64-bit base address of a buffer; nothing: fields of this buffer stay as they are.
using AddressOf = std::function<std::optional<uint64_t>(const Meta&)>;

// The bitstream with its address fields filled: bit j of a half goes to bit offset_bit + j, counted
// from the least significant bit of byte 0; all other bits stay. Error: darwinn_field, if a field
// lies outside of the bitstream.
Result<Bytes> relocate(const Bitstream& bitstream, const AddressOf& address);

}  // namespace edgetwin::darwinn
