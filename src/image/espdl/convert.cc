#include "image/espdl/convert.h"

#include <algorithm>
#include <cstring>

#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {
namespace {

uint8_t limited_byte(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

// 16 bits, two fields of 5 at the ends and one of 6 between.
struct Fields565 {
  bool high_byte_first, blue_first;
};

Fields565 fields_of(PixelType type) {
  return {type == PixelType::rgb565be || type == PixelType::bgr565be,
          type == PixelType::bgr565le || type == PixelType::bgr565be};
}

// The low bits stay 0: white is 248, 252, 248.
void load_565(Fields565 f, const uint8_t* p, uint8_t* rgb) {
  const int word = f.high_byte_first ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
  const auto upper = static_cast<uint8_t>((word >> 11) << 3);
  const auto lower = static_cast<uint8_t>((word & 31) << 3);
  rgb[0] = f.blue_first ? lower : upper;
  rgb[1] = static_cast<uint8_t>(((word >> 5) & 63) << 2);
  rgb[2] = f.blue_first ? upper : lower;
}

void store_565(Fields565 f, const uint8_t* rgb, uint8_t* p) {
  const int upper = f.blue_first ? rgb[2] : rgb[0];
  const int lower = f.blue_first ? rgb[0] : rgb[2];
  const int word = (upper >> 3) << 11 | (rgb[1] >> 2) << 5 | lower >> 3;
  p[f.high_byte_first ? 0 : 1] = static_cast<uint8_t>(word >> 8);
  p[f.high_byte_first ? 1 : 0] = static_cast<uint8_t>(word & 255);
}

// BT.601 of the full range, in 1/16384.
void load_yuv(PixelType type, const uint8_t* source, int32_t pixel, uint8_t* rgb) {
  const uint8_t* pair = source + static_cast<ptrdiff_t>(pixel & ~1) * 2;
  const int level_at = type == PixelType::yuyv ? 0 : 1;
  const int y = pair[(pixel & 1) * 2 + level_at];
  const int u = pair[1 - level_at] - 128;
  const int v = pair[3 - level_at] - 128;
  rgb[0] = limited_byte(y + ((22987 * v + 8192) >> 14));
  rgb[1] = limited_byte(y + ((-5636 * u - 11698 * v + 8192) >> 14));
  rgb[2] = limited_byte(y + ((29049 * u + 8192) >> 14));
}

bool is_565(PixelType type) { return type >= PixelType::rgb565le && type <= PixelType::bgr565be; }

bool blue_first(PixelType type) {
  return type == PixelType::bgr888 || type == PixelType::bgr888_qint8 ||
         type == PixelType::bgr888_qint16;
}

// 1044480 / i and 737280 / (6 i), cut off from double precision.
struct HsvTables {
  std::array<int, 256> saturation{}, hue{};
};

constexpr HsvTables hsv_tables() {
  HsvTables t;
  for (int i = 1; i < 256; ++i) {
    t.saturation[static_cast<size_t>(i)] = static_cast<int>(1044480.0 / i);
    t.hue[static_cast<size_t>(i)] = static_cast<int>(737280.0 / (6.0 * i));
  }
  return t;
}

constexpr HsvTables kHsv = hsv_tables();

template <class T>
void store_table(const QuantTable& table, const uint8_t* levels, int channels, bool swapped,
                 size_t count, T* into) {
  if (channels == 3) {
    // The usual case. Bytes may alias anything: the addresses are kept from being read again.
    const int16_t *first = table[0].data(), *second = table[1].data(), *third = table[2].data();
    const int at_first = swapped ? 2 : 0;
    for (const uint8_t* p = levels; p != levels + count * 3; p += 3, into += 3) {
      into[0] = static_cast<T>(first[p[at_first]]);
      into[1] = static_cast<T>(second[p[1]]);
      into[2] = static_cast<T>(third[p[2 - at_first]]);
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    for (int c = 0; c < channels; ++c) {
      const uint8_t level = levels[i * static_cast<size_t>(channels) +
                                   static_cast<size_t>(swapped ? channels - 1 - c : c)];
      *into++ = static_cast<T>(table[static_cast<size_t>(c)][level]);
    }
  }
}

}  // namespace

std::array<uint8_t, 3> hsv_of_levels(const uint8_t* rgb) {
  const int r = rgb[0], g = rgb[1], b = rgb[2];
  const int v = std::max({r, g, b});
  const int d = v - std::min({r, g, b});
  const int s = (d * kHsv.saturation[static_cast<size_t>(v)] + 2048) >> 12;
  const int turn = v == r ? g - b : v == g ? b - r + 2 * d : r - g + 4 * d;
  int h = (turn * kHsv.hue[static_cast<size_t>(d)] + 2048) >> 12;
  if (h < 0) h += 180;
  return {limited_byte(h), limited_byte(s), limited_byte(v)};
}

Result<QuantTable> quant_table(std::span<const float> mean, std::span<const float> std,
                               int exponent, bool sixteen_bits, numerics::Rounding rounding) {
  const float reciprocal_scale = std::ldexp(1.0F, -exponent);
  const float low = sixteen_bits ? -32768.0F : -128.0F;
  const float high = sixteen_bits ? 32767.0F : 127.0F;
  QuantTable table(mean.size());
  for (size_t c = 0; c < mean.size(); ++c) {
    const float inverse = 1.0F / std[c];
    if (!std::isfinite(inverse)) {
      return rule_error(Rule::bad_params, "'std' has a number without an inverse").in_field("std");
    }
    for (int p = 0; p < 256; ++p) {
      const float real = (static_cast<float>(p) - mean[c]) * inverse;
      const float q = numerics::round_float(real * reciprocal_scale, rounding);
      table[c][static_cast<size_t>(p)] = static_cast<int16_t>(std::clamp(q, low, high));
    }
  }
  return table;
}

int Conversion::count_of(Levels levels) {
  return levels == Levels::grey ? 1 : levels == Levels::pair ? 2 : 3;
}

Result<Conversion> Conversion::make(PixelType source, PixelType target) {
  Conversion c;
  c.source_ = source;
  c.target_ = target;
  const Space from = info(source).space;
  const Space to = info(target).space;
  const bool known = from == to || from == Space::yuv ||
                     (from == Space::colour && (to == Space::grey || to == Space::hsv));
  if (!known) {
    return rule_error(Rule::refused, "the runtime has no conversion from " +
                                         std::string(info(source).name) + " to " +
                                         std::string(info(target).name));
  }
  c.levels_ = from == Space::grey || (from == Space::yuv && to == Space::grey) ? Levels::grey
              : from == Space::hsv                                             ? Levels::hsv
              : from == Space::yuv && to == Space::yuv                         ? Levels::pair
                                                                               : Levels::colour;
  return c;
}

void Conversion::load(std::span<const uint8_t> source, std::span<const int32_t> pixels) {
  const uint8_t* from = source.data();
  uint8_t* to = buffer_.data();
  const auto each = [&](int step, const auto& take) {
    for (const int32_t pixel : pixels) {
      take(static_cast<ptrdiff_t>(pixel), to);
      to += step;
    }
  };
  if (levels_ == Levels::pair) {
    const int level_at = source_ == PixelType::yuyv ? 0 : 1;
    each(2, [&](ptrdiff_t i, uint8_t* out) {
      out[0] = from[i * 2 + level_at];
      out[1] = from[i * 2 + 1 - level_at];
    });
  } else if (info(source_).space == Space::yuv && levels_ == Levels::grey) {
    const int level_at = source_ == PixelType::yuyv ? 0 : 1;
    each(1, [&](ptrdiff_t i, uint8_t* out) { *out = from[i * 2 + level_at]; });
  } else if (levels_ == Levels::grey) {
    each(1, [&](ptrdiff_t i, uint8_t* out) { *out = from[i]; });
  } else if (info(source_).space == Space::yuv) {
    each(3,
         [&](ptrdiff_t i, uint8_t* out) { load_yuv(source_, from, static_cast<int32_t>(i), out); });
  } else if (is_565(source_)) {
    const Fields565 fields = fields_of(source_);
    each(3, [&](ptrdiff_t i, uint8_t* out) { load_565(fields, from + i * 2, out); });
  } else {
    const int first = source_ == PixelType::bgr888 ? 2 : 0;
    each(3, [&](ptrdiff_t i, uint8_t* out) {
      out[0] = from[i * 3 + first];
      out[1] = from[i * 3 + 1];
      out[2] = from[i * 3 + 2 - first];
    });
  }
}

bool Conversion::in_mask(const uint8_t* hsv) const {
  const bool wraps = mask_low_[0] > mask_high_[0];
  const bool above = hsv[0] >= mask_low_[0];
  const bool below = hsv[0] <= mask_high_[0];
  return (wraps ? above || below : above && below) && hsv[1] >= mask_low_[1] &&
         hsv[1] <= mask_high_[1] && hsv[2] >= mask_low_[2] && hsv[2] <= mask_high_[2];
}

// Targets of the space colour, hsv and grey from three levels.
void Conversion::store_colour(Levels from, size_t count, std::span<std::byte> into) const {
  const uint8_t* in = buffer_.data();
  auto* out = reinterpret_cast<uint8_t*>(into.data());
  const auto each = [&](int step, const auto& put) {
    for (size_t i = 0; i < count; ++i, in += 3, out += step) put(in, out);
  };
  if (info(target_).space == Space::hsv) {
    const bool mask = target_ == PixelType::hsv_mask;
    each(mask ? 1 : 3, [&](const uint8_t* p, uint8_t* o) {
      const std::array<uint8_t, 3> hsv =
          from == Levels::hsv ? std::array<uint8_t, 3>{p[0], p[1], p[2]} : hsv_of_levels(p);
      if (mask) {
        *o = in_mask(hsv.data()) ? 255 : 0;
      } else {
        std::memcpy(o, hsv.data(), hsv.size());
      }
    });
  } else if (is_565(target_)) {
    const Fields565 fields = fields_of(target_);
    each(2, [&](const uint8_t* p, uint8_t* o) { store_565(fields, p, o); });
  } else {
    const int first = blue_first(target_) ? 2 : 0;
    each(3, [&](const uint8_t* p, uint8_t* o) {
      o[0] = p[first];
      o[1] = p[1];
      o[2] = p[2 - first];
    });
  }
}

void Conversion::store(Levels from, size_t count, std::span<std::byte> into) const {
  if (from == Levels::pair) {
    const int level_at = target_ == PixelType::yuyv ? 0 : 1;
    for (size_t i = 0; i < count; ++i) {
      into[i * 2 + static_cast<size_t>(level_at)] = std::byte{buffer_[i * 2]};
      into[i * 2 + static_cast<size_t>(1 - level_at)] = std::byte{buffer_[i * 2 + 1]};
    }
    return;
  }
  if (info(target_).space != Space::grey && !is_quantized(target_)) {
    store_colour(from, count, into);
    return;
  }
  std::vector<uint8_t> grey;
  const uint8_t* levels = buffer_.data();
  if (info(target_).space == Space::grey && from == Levels::colour) {
    grey.resize(count);
    for (size_t i = 0; i < count; ++i) grey[i] = grey_of_levels(levels + i * 3);
    levels = grey.data();
  }
  const int channels = info(target_).target_elements;
  if (info(target_).type == DType::int8) {
    store_table(table_, levels, channels, blue_first(target_), count,
                reinterpret_cast<int8_t*>(into.data()));
  } else if (info(target_).type == DType::int16) {
    store_table(table_, levels, channels, blue_first(target_), count,
                reinterpret_cast<int16_t*>(into.data()));
  } else {
    std::memcpy(into.data(), levels, count);
  }
}

void Conversion::row(std::span<const uint8_t> source, std::span<const int32_t> pixels,
                     std::span<std::byte> into) {
  buffer_.resize(pixels.size() * static_cast<size_t>(count_of(levels_)));
  load(source, pixels);
  store(levels_, pixels.size(), into);
}

void Conversion::background(std::span<const uint8_t> levels, std::span<std::byte> into) {
  buffer_.assign(levels.begin(), levels.end());
  store(levels.size() == 1 ? Levels::grey : Levels::colour, 1, into);
}

}  // namespace edgetwin::espdl_image
