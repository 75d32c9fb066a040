#include "robotics/blob.h"

#include <algorithm>
#include <cstring>

#include "robotics/quantize.h"
#include "targets/edgetpu/params/reference.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace edgetwin::robotics {
namespace {

constexpr size_t kColumns = 4;  // of a line
constexpr size_t kLine = kBlobRows * kColumns;

Error wrong(std::string message) { return Error(ErrorCode::module_weights, std::move(message)); }

size_t group_bytes(size_t n) { return kBlobOverhead + kBlobRows * n; }

// One group of fewer than 64 rows, or whose columns end within a line.
void write_plain(size_t n, size_t rows, const int8_t* from, std::byte* to) {
  std::memset(to, 0, kBlobRows * n);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < n; ++c) {
      to[c / kColumns * kLine + r * kColumns + c % kColumns] =
          static_cast<std::byte>(from[r * n + c]) ^ std::byte{0x80};
    }
  }
}

#if defined(__x86_64__)
__m128i load(const int8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
void store(std::byte* p, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }

// Four rows of sixteen columns: a transposition of 4 x 4 words of four bytes.
void write_four_rows(size_t n, const int8_t* from, std::byte* to) {
  const __m128i flip = _mm_set1_epi8(static_cast<char>(0x80));
  const __m128i r0 = _mm_xor_si128(load(from), flip), r1 = _mm_xor_si128(load(from + n), flip);
  const __m128i r2 = _mm_xor_si128(load(from + 2 * n), flip);
  const __m128i r3 = _mm_xor_si128(load(from + 3 * n), flip);
  const __m128i low01 = _mm_unpacklo_epi32(r0, r1), low23 = _mm_unpacklo_epi32(r2, r3);
  const __m128i high01 = _mm_unpackhi_epi32(r0, r1), high23 = _mm_unpackhi_epi32(r2, r3);
  store(to, _mm_unpacklo_epi64(low01, low23));
  store(to + kLine, _mm_unpackhi_epi64(low01, low23));
  store(to + 2 * kLine, _mm_unpacklo_epi64(high01, high23));
  store(to + 3 * kLine, _mm_unpackhi_epi64(high01, high23));
}

void write_whole(size_t n, const int8_t* from, std::byte* to) {
  // Sixteen columns of all rows write 1 KiB in one place, line after line.
  for (size_t c = 0; c < n; c += 16) {
    for (size_t r = 0; r < kBlobRows; r += 4) {
      write_four_rows(n, from + r * n + c, to + c / kColumns * kLine + r * kColumns);
    }
  }
}
#else
void write_whole(size_t n, const int8_t* from, std::byte* to) {
  write_plain(n, kBlobRows, from, to);
}
#endif

}  // namespace

namespace {

Status check_sizes(size_t n, size_t weights, size_t overhead, size_t to) {
  if (n % kColumns != 0 || n == 0) {
    return wrong("a matrix of " + std::to_string(n) + " columns; only multiples of four are known");
  }
  if (weights != n * n) {
    return wrong(std::to_string(weights) + " weights, the matrix has " + std::to_string(n) + " x " +
                 std::to_string(n) + " = " + std::to_string(n * n));
  }
  if (overhead != blob_groups(n) * kBlobOverhead || to != blob_bytes(n)) {
    return wrong(std::to_string(overhead) + " bytes of scales, " + std::to_string(blob_groups(n)) +
                 " groups of rows have " + std::to_string(blob_groups(n) * kBlobOverhead));
  }
  return Ok{};
}

// `rows` rows, the first of group `g`.
void write_group(size_t n, size_t g, size_t rows, const int8_t* from, ByteSpan overhead,
                 std::byte* blob) {
  std::byte* group = blob + g * group_bytes(n);
  std::memcpy(group, overhead.data() + g * kBlobOverhead, kBlobOverhead);
  if (rows == kBlobRows && n % 16 == 0) {
    write_whole(n, from, group + kBlobOverhead);
  } else {
    write_plain(n, rows, from, group + kBlobOverhead);
  }
}

}  // namespace

Status write_dense_blob(size_t n, std::span<const int8_t> weights, ByteSpan overhead,
                        std::span<std::byte> to) {
  EDGETWIN_TRY(check_sizes(n, weights.size(), overhead.size(), to.size()));
  for (size_t g = 0; g < blob_groups(n); ++g) {
    write_group(n, g, std::min(kBlobRows, n - g * kBlobRows), weights.data() + g * kBlobRows * n,
                overhead, to.data());
  }
  return Ok{};
}

Status write_quantized_blob(size_t n, std::span<const float> weights, float scale, int zero_point,
                            ByteSpan overhead, std::span<std::byte> to) {
  EDGETWIN_TRY(check_sizes(n, weights.size(), overhead.size(), to.size()));
  std::vector<int8_t> group(kBlobRows * n);
  for (size_t g = 0; g < blob_groups(n); ++g) {
    const size_t rows = std::min(kBlobRows, n - g * kBlobRows);
    const auto real = weights.subspan(g * kBlobRows * n, rows * n);
    const Status quantized =
        quantize_int8(real, scale, zero_point, std::span(group).first(real.size()));
    if (!quantized.ok()) return wrong(quantized.error().message).in_field("weights");
    write_group(n, g, rows, group.data(), overhead, to.data());
  }
  return Ok{};
}

Result<Bytes> dense_blob(size_t n, std::span<const int8_t> weights, ByteSpan overhead) {
  Bytes blob(blob_bytes(n));
  EDGETWIN_TRY(write_dense_blob(n, weights, overhead, std::span(blob)));
  return blob;
}

Result<std::vector<int8_t>> dense_weights(size_t n, ByteSpan blob) {
  if (n == 0 || n % kColumns != 0 || blob.size() != blob_bytes(n)) {
    return wrong(std::to_string(blob.size()) + " bytes of parameters, a matrix of " +
                 std::to_string(n) + " rows has " + std::to_string(blob_bytes(n)));
  }
  std::vector<int8_t> weights(n * n);
  for (size_t r = 0; r < n; ++r) {
    const std::byte* lines = blob.data() + r / kBlobRows * group_bytes(n) + kBlobOverhead;
    for (size_t c = 0; c < n; ++c) {
      weights[r * n + c] = static_cast<int8_t>(
          lines[c / kColumns * kLine + r % kBlobRows * kColumns + c % kColumns] ^ std::byte{0x80});
    }
  }
  return weights;
}

Result<Bytes> dense_overhead(size_t n, ByteSpan blob) {
  if (blob.size() != blob_bytes(n)) {
    return wrong(std::to_string(blob.size()) + " bytes of parameters, a matrix of " +
                 std::to_string(n) + " rows has " + std::to_string(blob_bytes(n)));
  }
  Bytes overhead;
  for (size_t g = 0; g < blob_groups(n); ++g) {
    const ByteSpan head = blob.subspan(g * group_bytes(n), kBlobOverhead);
    overhead.insert(overhead.end(), head.begin(), head.end());
  }
  return overhead;
}

Result<Bytes> dense_overhead_of(const Graph& graph) {
  const auto layers = edgetpu::reference_layers(graph);
  if (layers.size() != 1 || layers[0].shape.out != layers[0].shape.in ||
      layers[0].shape.weights() != int64_t{layers[0].shape.out} * layers[0].shape.out ||
      layers[0].output_scales.empty()) {
    return Error(ErrorCode::module_model, "the model is not one square matrix");
  }
  edgetpu::ReferenceLayer layer = layers[0];
  layer.content.scales = layer.effective_scales(layer.output_scales[0]);
  return dense_overhead(static_cast<size_t>(layer.shape.out),
                        edgetpu::write_block(layer.shape, layer.content));
}

}  // namespace edgetwin::robotics
