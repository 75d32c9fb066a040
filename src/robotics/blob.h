// The parameter blob of a compiled square matrix: groups of 64 rows, each with 512 bytes of scales
// and zero points, then lines of four columns of all rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::robotics {

inline constexpr size_t kBlobRows = 64;       // of a group
inline constexpr size_t kBlobOverhead = 512;  // bytes before the weights of a group

constexpr size_t blob_groups(size_t n) { return (n + kBlobRows - 1) / kBlobRows; }
constexpr size_t blob_bytes(size_t n) { return blob_groups(n) * (kBlobOverhead + kBlobRows * n); }

// `weights` row by row. `overhead` is copied unchanged. Errors: module_weights.
Result<Bytes> dense_blob(size_t n, std::span<const int8_t> weights, ByteSpan overhead);
// Into memory of blob_bytes(n), whose every byte is written.
Status write_dense_blob(size_t n, std::span<const int8_t> weights, ByteSpan overhead,
                        std::span<std::byte> to);
// The same from real numbers: quantized group by group, scale above 0. Errors: module_weights,
// also for numbers that are not finite.
Status write_quantized_blob(size_t n, std::span<const float> weights, float scale, int zero_point,
                            ByteSpan overhead, std::span<std::byte> to);
// The way back. Error: module_weights for another length.
Result<std::vector<int8_t>> dense_weights(size_t n, ByteSpan blob);
Result<Bytes> dense_overhead(size_t n, ByteSpan blob);
// What the compiler writes there for the uncompiled matrix. Error: module_model where the graph
// holds no square matrix.
Result<Bytes> dense_overhead_of(const Graph& graph);

}  // namespace edgetwin::robotics
