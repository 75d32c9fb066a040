// The golden data of one check as it lies in the chip's flash. This header is used by both sides:
// edgetwin writes the blob, and a copy of this file in the generated application reads it.
// All numbers are little-endian. docs/firmware.md has the layout in words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin_golden {

inline constexpr char kMagic[8] = {'E', 'T', 'G', 'O', 'L', 'D', '\r', '\n'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kMaxRank = 8;
inline constexpr uint32_t kAlignment = 16;  // of the blob and of every tensor's bytes in it

// Header::flags
inline constexpr uint32_t kLutSweep = 1;  // inputs are not stored: every integer, lowest first

// Record::storage
inline constexpr uint8_t kRaw = 0;     // the bytes are in the blob
inline constexpr uint8_t kDigest = 1;  // only their length and CRC-32

// At offset 0. Then inputs + outputs + nodes records, then names, then bytes of tensors.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t size;   // of the whole blob
  uint32_t crc32;  // of everything after this header
  uint32_t flags;
  uint32_t inputs, outputs, nodes;  // nodes are in the order of execution
  uint32_t model_size;              // of the .espdl file that belongs to it
  uint32_t model_crc32;
  uint32_t reserved;
};
static_assert(sizeof(Header) == 48);

struct Record {
  uint32_t name_offset;  // from the start of the blob
  uint16_t name_length;
  uint8_t dtype;  // TensorDataType of .espdl files: 3 is int8, 5 is int16
  uint8_t storage;
  int32_t exponent;  // real value = integer * 2^exponent
  uint32_t rank;
  uint32_t dims[kMaxRank];
  uint32_t data_size;
  uint32_t data_crc32;
  uint32_t data_offset;  // from the start of the blob, a multiple of kAlignment; 0 for kDigest
  uint32_t reserved;
};
static_assert(sizeof(Record) == 64);

// Bytes of one element; 0 for types that a blob does not hold. float32 is compared by its bits.
inline uint32_t element_size(uint8_t dtype) {
  switch (dtype) {
    case 2:  // uint8
    case 3:  // int8
    case 9:  // bool
      return 1;
    case 4:  // uint16
    case 5:  // int16
      return 2;
    case 1:   // float32
    case 6:   // int32
    case 12:  // uint32
      return 4;
    case 7:  // int64
      return 8;
    default:
      return 0;
  }
}

// CRC-32 with the polynomial of zlib. `before` is the result for the bytes that come before.
inline uint32_t crc32(const void* data, size_t size, uint32_t before = 0) {
  constexpr uint32_t kNibble[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                    0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                    0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  uint32_t crc = ~before;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    crc = (crc >> 4) ^ kNibble[crc & 15];
    crc = (crc >> 4) ^ kNibble[crc & 15];
  }
  return ~crc;
}

}  // namespace edgetwin_golden
