#include "formats/darwinn/relocate.h"

#include <algorithm>

namespace edgetwin::darwinn {
namespace {

constexpr unsigned kFieldBits = 32;

// Byte by byte, as a field begins at any bit.
void put(Bytes& data, size_t bit, uint32_t value) {
  for (unsigned done = 0; done < kFieldBits;) {
    const size_t at = (bit + done) / 8;
    const auto shift = static_cast<unsigned>((bit + done) % 8);
    const unsigned n = std::min(kFieldBits - done, 8U - shift);
    const unsigned mask = ((1U << n) - 1U) << shift;
    const unsigned piece = ((value >> done) << shift) & mask;
    data[at] = static_cast<std::byte>((static_cast<unsigned>(data[at]) & ~mask & 0xFFU) | piece);
    done += n;
  }
}

}  // namespace

Result<Bytes> relocate(const Bitstream& bitstream, const AddressOf& address) {
  Bytes data = bitstream.data;
  for (const FieldOffset& f : bitstream.field_offsets) {
    if (f.offset_bit < 0 ||
        static_cast<uint64_t>(f.offset_bit) + kFieldBits > uint64_t{8} * data.size()) {
      return Error(ErrorCode::darwinn_field, "32 bits at bit " + std::to_string(f.offset_bit) +
                                                 ", the bitstream has " +
                                                 std::to_string(8 * data.size()))
          .in_field("FieldOffset.offset_bit");
    }
    const std::optional<uint64_t> base = address(f.meta);
    if (!base) continue;
    const uint64_t half = f.meta.position == Position::low ? *base : *base >> 32U;
    put(data, static_cast<size_t>(f.offset_bit), static_cast<uint32_t>(half));
  }
  return data;
}

}  // namespace edgetwin::darwinn
