// The only door to the stb libraries: decoding with a limit on memory, and PNG writing.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"

namespace edgetwin::stb {

struct Size {
  int width = 0;
  int height = 0;
  int channels = 0;  // as stored: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha
};

struct Free {
  void operator()(unsigned char* p) const;
};
using Buffer = std::unique_ptr<unsigned char, Free>;

// False if the header cannot be understood.
bool read_size(ByteSpan data, Size& size);

// Null on failure; no single allocation exceeds `memory_limit`. `size` receives what was decoded.
Buffer decode(ByteSpan data, int channels, size_t memory_limit, Size& size);

// Why the last call of this thread failed; never null.
const char* failure_reason();

// PNG bytes, or nothing.
Buffer encode_png(const unsigned char* pixels, const Size& size, int& length);

}  // namespace edgetwin::stb
