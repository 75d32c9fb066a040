// How much the replay looks at before it gives up: far more than real programs need, so that those
// that no compiler made take neither all memory nor forever.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::edgetpu {

// Far more than a tile's memory: what an instruction may move, and what may wait on the mesh.
inline constexpr uint64_t kMostWords = uint64_t{1} << 20U;
inline constexpr uint64_t kMostPending = uint64_t{1} << 23U;
inline constexpr uint64_t kMostKept = uint64_t{1} << 22U;  // in wide memory
inline constexpr uint64_t kMostLines = 4096;               // that one transfer of the ring brings
inline constexpr size_t kMostPatterns = 4096;
inline constexpr size_t kMostChannelWords = 4096;
inline constexpr uint64_t kMostTraced = 1U << 16U;               // words of an instruction
inline constexpr size_t kMostTraces = 1U << 20U;                 // of all
inline constexpr uint64_t kMostRemembered = uint64_t{1} << 24U;  // words that stages name
inline constexpr uint64_t kMostRead = uint64_t{1} << 22U;        // words of operands, by place
inline constexpr uint64_t kMostSingle = uint64_t{1} << 24U;      // of those without windows
inline constexpr uint64_t kMostTracedWords = uint64_t{1} << 26U;

}  // namespace edgetwin::edgetpu
