// Channels as the chip's memories hold them: in words of four bytes.
#pragma once

namespace edgetwin::edgetpu {

// `c` channels, filled up to whole words.
constexpr int round4(int c) { return (c + 3) / 4 * 4; }

}  // namespace edgetwin::edgetpu
