// Dense layers in bytes on AVX2, exactly: the products of up to four steps are summed in words,
// which the packing of the weights has proven to be large enough (i8/grouped.cc), and then widened
// together. So two multiplications of 32 products become 1.25 to 1.5.
#define EDGETWIN_ISA_NAMESPACE avx2_bytes
#include "kernels/x86/vec256.h"

namespace edgetwin::kernels::avx2_bytes {

struct Vec : Vec256 {
  static constexpr int kTaps = 4;
  static constexpr int kElementBytes = 1;
  static constexpr int kEncoded = 32;
  static constexpr int kTilePixels = 4;

  struct Encoder {
    I flip;
    explicit Encoder(const InputEncoding& e) : flip(_mm256_set1_epi8(static_cast<char>(e.flip))) {}
    void encode(uint8_t* to, const uint8_t* from) const {
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_xor_si256(load_bytes(from), flip));
    }
  };

  struct Groups;
};

}  // namespace edgetwin::kernels::avx2_bytes

#include "kernels/x86/dense_tile.h"

namespace edgetwin::kernels::avx2_bytes {

struct Vec::Groups {
  // A group of Size steps, for all pixels of a tile. Weights come from memory for each pixel, as
  // the registers are full of sums.
  template <int Size, int M, int NV>
  [[gnu::always_inline]] static void multiply(const uint8_t* (&from)[Size], std::ptrdiff_t stride,
                                              const int8_t* weights, DenseSums<M, NV>& sums) {
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      // Not to be known as the addresses of the last pixel: what was loaded for that would be kept.
      asm("" : "+r"(weights));
      I words[NV];
      unroll<Size>([&](auto step) EDGETWIN_INLINE {
        constexpr int s = step.value;
        const I x = broadcast4(from[s]);
        from[s] += stride;
        unroll<NV>([&](auto v) EDGETWIN_INLINE {
          const I w = load_bytes(weights + (s * NV + v.value) * kBytes);
          const I product = _mm256_maddubs_epi16(x, w);
          words[v.value] = s == 0 ? product : _mm256_add_epi16(words[v.value], product);
        });
      });
      unroll<NV>([&](auto v) EDGETWIN_INLINE {
        I& sum = sums.at[m.value][v.value];
        sum = add(sum, _mm256_madd_epi16(words[v.value], _mm256_set1_epi16(1)));
      });
    });
  }

  // Where the steps and the weights of a tile's block go on.
  struct Place {
    const ByteStep* step;
    const int8_t* weights;
  };

  template <int Size, int M, int NV>
  [[gnu::always_inline]] static void run_size(const DenseTile& tile, int32_t count, Place& place,
                                              DenseSums<M, NV>& sums) {
    const DenseRow& row = tile.row;
    for (; count > 0; --count) {
      const uint8_t* from[Size];
      unroll<Size>([&](auto s) EDGETWIN_INLINE {
        const ByteStep& step = place.step[s.value];
        from[s.value] = row.runs[step.run] + tile.first + step.offset;
      });
      multiply<Size, M, NV>(from, row.pixel_stride, place.weights, sums);
      place.step += Size;
      place.weights += Size * NV * kBytes;
    }
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      unroll<NV>([&](auto v) EDGETWIN_INLINE { settle(sums.at[m.value][v.value]); });
    });
  }

  template <int Size, int M, int NV>
  [[gnu::always_inline]] static void run_sizes(const DenseTile& tile, Place& place,
                                               DenseSums<M, NV>& sums) {
    run_size<Size, M, NV>(tile, tile.row.groups[tile.block].count[Size - 1], place, sums);
    if constexpr (Size > 1) run_sizes<Size - 1, M, NV>(tile, place, sums);
  }

  // All products of a tile.
  template <int M, int NV>
  [[gnu::always_inline]] static void run(const DenseTile& tile, DenseSums<M, NV>& sums) {
    const std::ptrdiff_t first = tile.row.groups[tile.block].first;
    Place place{tile.row.steps + first, tile.row.weights + first * NV * kBytes};
    run_sizes<kMostGroupSteps, M, NV>(tile, place, sums);
  }
};

}  // namespace edgetwin::kernels::avx2_bytes

#include "kernels/x86/dense.h"
#include "kernels/x86/encode.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

using avx2_bytes::Vec;

constexpr KernelTable kTable = {.lanes = Vec::kLanes,
                                .taps_per_dot = Vec::kTaps,
                                .element_bytes = Vec::kElementBytes,
                                .grouped = true,
                                .tile_pixels = Vec::kTilePixels,
                                .encode = avx2_bytes::encode,
                                .window_terms = nullptr,
                                .dense = avx2_bytes::dense,
                                .interleave = nullptr,
                                .depthwise = nullptr};

}  // namespace

const KernelTable* avx2_byte_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
