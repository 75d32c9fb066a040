#include "formats/darwinn/relayout.h"

#include <algorithm>
#include <array>
#include <limits>

namespace edgetwin::darwinn {
namespace {

Error bad(const Layer& layer, std::string message, std::string field) {
  return Error(ErrorCode::darwinn_layout, std::move(message))
      .in_layer(layer.name)
      .in_field(std::move(field));
}

int64_t at(const std::vector<int32_t>& table, int64_t index) {
  return table[static_cast<size_t>(index)];
}

struct Dims {
  int64_t y, x, z;
};

// Where element (y, x, 0) is, in elements; the tables have been checked to be long enough.
Result<int64_t> element_at(const Layer& layer, const OutputLayout& l, int64_t y, int64_t x,
                           int64_t tiled_elements) {
  const int64_t tile = at(l.y_tile, y) + at(l.x_tile, x);
  if (tile < 0 || tile >= static_cast<int64_t>(l.tile_offset.size())) {
    return bad(layer,
               "element (" + std::to_string(y) + ", " + std::to_string(x) + ") is in tile " +
                   std::to_string(tile) + " of " + std::to_string(l.tile_offset.size()),
               "tile_offset");
  }
  const int64_t place =
      at(l.tile_offset, tile) + at(l.y_local, y) * at(l.x_row_size, x) + at(l.x_local, x);
  if (place >= 0 && place + layer.z_dim <= tiled_elements) return place;
  return bad(layer,
             "element (" + std::to_string(y) + ", " + std::to_string(x) + ", 0) is at " +
                 std::to_string(place) + ", the output has " + std::to_string(tiled_elements),
             "OutputLayout");
}

Status check_tables(const Layer& layer, const OutputLayout& l) {
  const auto long_enough = [&](const std::vector<int32_t>& table, int64_t size) {
    return static_cast<int64_t>(table.size()) >= size;
  };
  if (!long_enough(l.y_tile, layer.y_dim) || !long_enough(l.y_local, layer.y_dim)) {
    return bad(layer,
               "the tables of rows have " + std::to_string(l.y_tile.size()) + " and " +
                   std::to_string(l.y_local.size()) + " entries, the output has " +
                   std::to_string(layer.y_dim) + " rows",
               "OutputLayout.y_tile");
  }
  if (!long_enough(l.x_tile, layer.x_dim) || !long_enough(l.x_local, layer.x_dim) ||
      !long_enough(l.x_row_size, layer.x_dim)) {
    return bad(layer,
               "the tables of columns have " + std::to_string(l.x_tile.size()) + ", " +
                   std::to_string(l.x_local.size()) + " and " +
                   std::to_string(l.x_row_size.size()) + " entries, the output has " +
                   std::to_string(layer.x_dim) + " columns",
               "OutputLayout.x_tile");
  }
  return Ok{};
}

// No element may come from a place that another one comes from.
Status check_distinct(const Layer& layer, std::vector<int64_t> places) {
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] - places[i - 1] >= layer.z_dim) continue;
    return bad(layer, "two elements lie on each other at " + std::to_string(places[i]),
               "OutputLayout");
  }
  return Ok{};
}

template <size_t kSize>
void copy_pieces(const std::byte* from, std::byte* to, size_t count, size_t from_pitch,
                 size_t to_pitch) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to, from, kSize);
    from += from_pitch;
    to += to_pitch;
  }
}

void copy_any(const std::byte* from, std::byte* to, size_t count, size_t size, size_t from_pitch,
              size_t to_pitch) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to, from, size);
    from += from_pitch;
    to += to_pitch;
  }
}

// Pieces of kPart to twice kPart bytes: two copies that overlap take the place of one of any size.
template <size_t kPart>
void copy_twice(const std::byte* from, std::byte* to, size_t count, size_t size, size_t from_pitch,
                size_t to_pitch) {
  const size_t rest = size - kPart;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to, from, kPart);
    std::memcpy(to + rest, from + rest, kPart);
    from += from_pitch;
    to += to_pitch;
  }
}

// Small pieces are so frequent that a call for each would cost more than the copy.
void copy_run(const std::byte* from, std::byte* to, size_t count, size_t size, size_t from_pitch,
              size_t to_pitch) {
  using Copy = void (*)(const std::byte*, std::byte*, size_t, size_t, size_t);
  static constexpr std::array<Copy, 13> kCopies = {
      nullptr,         copy_pieces<1>,  copy_pieces<2>, copy_pieces<3>, copy_pieces<4>,
      copy_pieces<5>,  copy_pieces<6>,  copy_pieces<7>, copy_pieces<8>, copy_pieces<9>,
      copy_pieces<10>, copy_pieces<11>, copy_pieces<12>};
  if (count > 1 && size < kCopies.size() && size > 0) {
    kCopies[size](from, to, count, from_pitch, to_pitch);
  } else if (count > 1 && size >= 8 && size <= 16) {
    copy_twice<8>(from, to, count, size, from_pitch, to_pitch);
  } else if (count > 1 && size >= 16 && size <= 32) {
    copy_twice<16>(from, to, count, size, from_pitch, to_pitch);
  } else if (count > 1 && size >= 32 && size <= 64) {
    copy_twice<32>(from, to, count, size, from_pitch, to_pitch);
  } else {
    copy_any(from, to, count, size, from_pitch, to_pitch);
  }
}

// An output that is not in tiles: the elements follow one another, in blocks of one execution each.
bool is_flat(const Layer& layer) { return layer.y_dim <= 1 && layer.x_dim <= 1; }

}  // namespace

// Joins what goes on where the last run ends.
void Relayout::add(uint64_t tiled, uint64_t dense, uint32_t size) {
  const auto t = static_cast<uint32_t>(tiled);
  const auto d = static_cast<uint32_t>(dense);
  if (!runs_.empty()) {
    Run& last = runs_.back();
    const bool goes_on = last.dense + last.count * last.size == d;
    if (goes_on && last.count == 1 && last.tiled + last.size == t) {
      last.size += size;
      return;
    }
    if (goes_on && last.size == size) {
      if (last.count == 1 && t > last.tiled) last.pitch = t - last.tiled;
      if (last.tiled + last.count * uint64_t{last.pitch} == t && last.pitch != 0) {
        ++last.count;
        return;
      }
    }
  }
  runs_.push_back({t, d, size, 1, 0});
}

Result<Relayout> Relayout::make(const Layer& layer) {
  const auto bytes = static_cast<int64_t>(bytes_of(layer.data_type));
  const Dims dims{layer.y_dim, layer.x_dim, layer.z_dim};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (dims.y < 0 || dims.x < 0 || dims.z < 0 || layer.size_bytes < 0 || bytes == 0 ||
      dims.y * dims.x > kMost || layer.elements() * bytes > kMost) {
    return bad(layer, "sizes that no output has", "Layer");
  }
  Relayout r;
  const int64_t executions = std::max(layer.execution_count, 1);
  r.tiled_bytes_ = static_cast<size_t>(layer.size_bytes);
  r.dense_bytes_ = static_cast<size_t>(layer.elements() * bytes);
  if (r.dense_bytes_ > r.tiled_bytes_) {
    return bad(layer,
               std::to_string(r.dense_bytes_) + " bytes of elements in an output of " +
                   std::to_string(r.tiled_bytes_),
               "Layer.size_bytes");
  }
  if (r.dense_bytes_ == 0) return r;
  if (is_flat(layer)) {
    // With several executions each block ends in its share of the padding.
    const int64_t block = static_cast<int64_t>(r.dense_bytes_) / executions;
    const int64_t pitch = static_cast<int64_t>(r.tiled_bytes_) / executions;
    if (block * executions != static_cast<int64_t>(r.dense_bytes_)) {
      return bad(layer,
                 std::to_string(r.dense_bytes_) + " bytes in " + std::to_string(executions) +
                     " executions",
                 "Layer.execution_count_per_inference");
    }
    for (int64_t i = 0; i < executions; ++i) {
      r.add(static_cast<uint64_t>(i * pitch), static_cast<uint64_t>(i * block),
            static_cast<uint32_t>(block));
    }
    return r;
  }
  if (!layer.layout)
    return bad(layer, "several positions and no tile layout", "OutputLayer.layout");
  const OutputLayout& l = *layer.layout;
  EDGETWIN_TRY(check_tables(layer, l));
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(dims.y * dims.x));
  for (int64_t y = 0; y < dims.y; ++y) {
    for (int64_t x = 0; x < dims.x; ++x) {
      EDGETWIN_TRY_ASSIGN(const int64_t place,
                          element_at(layer, l, y, x, layer.size_bytes / bytes));
      places.push_back(place);
      r.add(static_cast<uint64_t>(place * bytes),
            static_cast<uint64_t>((y * dims.x + x) * dims.z * bytes),
            static_cast<uint32_t>(dims.z * bytes));
    }
  }
  EDGETWIN_TRY(check_distinct(layer, std::move(places)));
  return r;
}

void Relayout::to_dense(ByteSpan tiled, std::span<std::byte> dense) const {
  for (const Run& r : runs_) {
    copy_run(tiled.data() + r.tiled, dense.data() + r.dense, r.count, r.size, r.pitch, r.size);
  }
}

void Relayout::to_tiled(ByteSpan dense, std::span<std::byte> tiled) const {
  for (const Run& r : runs_) {
    copy_run(dense.data() + r.dense, tiled.data() + r.tiled, r.count, r.size, r.size, r.pitch);
  }
}

void flip_sign(std::span<std::byte> data, DataType type) {
  if (!host_flips_sign(type)) return;
  const auto step = static_cast<size_t>(bytes_of(type));
  for (size_t i = step - 1; i < data.size(); i += step) data[i] ^= std::byte{0x80};
}

}  // namespace edgetwin::darwinn
