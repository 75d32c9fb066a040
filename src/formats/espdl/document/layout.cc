#include "formats/espdl/document/layout.h"

#include <cstring>
#include <vector>

#include "formats/espdl/document/limits.h"
#include "tensor/shape.h"

namespace edgetwin::espdl {
namespace {

std::string list(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (const int64_t dim : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  return text + "]";
}

Error bad_layout(std::string message) {
  return Error(ErrorCode::espdl_layout, std::move(message)).in_field("weights");
}

// Of a single matrix or filter, without the batch.
int64_t index_in_blocks(const WeightOrder& order, const WeightShape& s, int64_t n, int64_t c,
                        int64_t y, int64_t x) {
  const int64_t a = order.block;
  const int64_t full = s.n / a * a;
  if (n < full) return ((((n / a) * s.h + y) * s.w + x) * s.c + c) * a + n % a;
  const int64_t start = full * s.h * s.w * s.c;
  const int64_t rest = s.n - full;
  if (order.use == WeightUse::grouped) {
    return start + ((c * s.h + y) * s.w + x) * rest + (n - full);
  }
  return start + (((n - full) * s.h + y) * s.w + x) * s.c + c;
}

int64_t index_without_blocks(const WeightOrder& order, const WeightShape& s, int64_t n, int64_t c,
                             int64_t y, int64_t x) {
  if (order.use == WeightUse::grouped) return ((y * s.w + x) * s.c + c) * s.n + n;
  return ((n * s.h + y) * s.w + x) * s.c + c;
}

Status check(size_t size, const WeightOrder& order, const WeightShape& s, size_t element_size) {
  if (element_size != 1 && element_size != 2) {
    return bad_layout("elements of " + std::to_string(element_size) +
                      " bytes; weights have 1 or 2");
  }
  if (order.block != 0 && order.block != 8 && order.block != 16) {
    return bad_layout("blocks of " + std::to_string(order.block) + " channels; 8 and 16 exist");
  }
  const std::vector<int64_t> sizes = {s.batch, s.n, s.h, s.w, s.c};
  const auto elements = checked_elements(sizes, static_cast<int64_t>(kMaxTensorBytes));
  if (elements && static_cast<uint64_t>(*elements) * element_size == size) return Ok{};
  return bad_layout("the bytes do not fit the shape")
      .detail("matrices, N, H, W, C = " + list(sizes) + ", " + std::to_string(element_size) +
              " bytes each")
      .detail("stored: " + std::to_string(size) + " bytes");
}

// Elements side by side in the plain order, and where they are stored: `step` apart.
struct Stretch {
  int64_t stored, plain, step;
};

// Calls copy(stretch) for the s.c elements of each filter's pixel: both indices grow evenly with c.
template <class Copy>
void for_each_stretch(const WeightOrder& order, const WeightShape& s, Copy copy) {
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t n = 0; n < s.n; ++n) {
      for (int64_t y = 0; y < s.h; ++y) {
        for (int64_t x = 0; x < s.w; ++x) {
          const int64_t first = stored_index(order, s, n, 0, y, x, b);
          const int64_t step = stored_index(order, s, n, 1, y, x, b) - first;
          copy(Stretch{first, plain_index(order, s, n, 0, y, x, b), step});
        }
      }
    }
  }
}

enum class Way : uint8_t { to_plain, to_stored };

template <class T>
void reorder_elements(const T* from, T* to, const WeightOrder& order, const WeightShape& shape,
                      Way way) {
  for_each_stretch(order, shape, [=, count = shape.c](const Stretch& s) {
    // Bytes that are written may be anything's: what the loop needs is kept apart from them.
    const int64_t step = s.step;
    if (way == Way::to_plain) {
      const T* stored = from + s.stored;
      T* plain = to + s.plain;
      for (int64_t c = 0; c < count; ++c) plain[c] = stored[c * step];
    } else {
      T* stored = to + s.stored;
      const T* plain = from + s.plain;
      for (int64_t c = 0; c < count; ++c) stored[c * step] = plain[c];
    }
  });
}

Result<Bytes> reorder(ByteSpan from, const WeightOrder& order, const WeightShape& shape,
                      size_t element_size, Way way) {
  EDGETWIN_TRY(check(from.size(), order, shape, element_size));
  Bytes to(from.size());
  if (element_size == 1) {
    reorder_elements(from.data(), to.data(), order, shape, way);
    return to;
  }
  // The bytes of a file need not lie at even addresses.
  std::vector<uint16_t> words(from.size() / 2), ordered(words.size());
  std::memcpy(words.data(), from.data(), from.size());
  reorder_elements(words.data(), ordered.data(), order, shape, way);
  std::memcpy(to.data(), ordered.data(), to.size());
  return to;
}

}  // namespace

Result<WeightShape> weight_shape(WeightUse use, const std::vector<int64_t>& dims) {
  const size_t rank = dims.size();
  const bool filter = use == WeightUse::conv || use == WeightUse::grouped;
  const bool good_rank = filter ? rank == 3 || rank == 4
                                : (use == WeightUse::gemm ? rank == 4 : rank >= 2) &&
                                      rank <= static_cast<size_t>(Shape::kMaxRank);
  if (!good_rank) {
    return bad_layout(std::to_string(rank) + " sizes, " + list(dims) +
                      (filter ? "; a filter has 3 or 4" : "; a matrix has 2 or more, of Gemm 4"));
  }
  for (const int64_t dim : dims) {
    if (dim < 1) return bad_layout("a size below 1 in " + list(dims));
  }
  if (!checked_elements(dims, static_cast<int64_t>(kMaxTensorBytes))) {
    return bad_layout("more than 1 GiB of elements in " + list(dims));
  }
  WeightShape shape;
  shape.n = dims[rank - 1];
  shape.c = dims[rank - 2];
  if (use == WeightUse::grouped) std::swap(shape.n, shape.c);
  if (filter) {
    shape.w = dims[rank - 3];
    shape.h = rank == 4 ? dims[0] : 1;
    return shape;
  }
  for (size_t i = 0; i + 2 < rank; ++i) shape.batch *= dims[i];
  if (use == WeightUse::gemm && shape.batch != 1) {
    return bad_layout("the sizes of a Gemm matrix are [1, 1, C, N], not " + list(dims));
  }
  return shape;
}

std::vector<int64_t> stored_dims(WeightUse use, const WeightShape& s, bool one_dim) {
  std::vector<int64_t> dims;
  switch (use) {
    case WeightUse::conv:
      dims = {s.h, s.w, s.c, s.n};
      break;
    case WeightUse::grouped:
      dims = {s.h, s.w, s.n, s.c};
      break;
    case WeightUse::gemm:
      return {1, 1, s.c, s.n};
    case WeightUse::matmul:
      if (s.batch != 1) return {s.batch, s.c, s.n};
      return {s.c, s.n};
  }
  if (one_dim) dims.erase(dims.begin());
  return dims;
}

int64_t stored_index(const WeightOrder& order, const WeightShape& s, int64_t n, int64_t c,
                     int64_t y, int64_t x, int64_t b) {
  const int64_t inside = order.block == 0 ? index_without_blocks(order, s, n, c, y, x)
                                          : index_in_blocks(order, s, n, c, y, x);
  return b * s.n * s.h * s.w * s.c + inside;
}

int64_t plain_index(const WeightOrder& order, const WeightShape& s, int64_t n, int64_t c, int64_t y,
                    int64_t x, int64_t b) {
  if (order.use == WeightUse::grouped) {
    return (((b * s.h + y) * s.w + x) * s.n + n) * s.c + c;
  }
  return (((b * s.n + n) * s.h + y) * s.w + x) * s.c + c;
}

Result<Bytes> to_ohwi(ByteSpan stored, const WeightOrder& order, const WeightShape& shape,
                      size_t element_size) {
  return reorder(stored, order, shape, element_size, Way::to_plain);
}

Result<Bytes> from_ohwi(ByteSpan plain, const WeightOrder& order, const WeightShape& shape,
                        size_t element_size) {
  return reorder(plain, order, shape, element_size, Way::to_stored);
}

}  // namespace edgetwin::espdl
