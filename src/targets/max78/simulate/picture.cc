#include "targets/max78/simulate/picture.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::max78 {

Picture picture_of(const Tensor& sample) {
  Picture p;
  p.c = static_cast<int>(sample.shape[0]);
  p.h = static_cast<int>(sample.shape.rank() > 1 ? sample.shape[1] : 1);
  p.w = static_cast<int>(sample.shape.rank() > 2 ? sample.shape[2] : 1);
  p.data.resize(static_cast<size_t>(p.elements()));
  to_pixels(sample.as<int8_t>().data(), p.data.data(), p.pixels(), p.c);
  return p;
}

Picture channels_of(const Picture& in, int first, int count) {
  if (first == 0 && count == in.c) return in;
  Picture out{count, in.h, in.w, {}, {}};
  out.data.resize(static_cast<size_t>(out.elements()));
  for (int64_t p = 0; p < in.pixels(); ++p) {
    std::memcpy(out.data.data() + p * count, in.data.data() + p * in.c + first,
                static_cast<size_t>(count));
  }
  return out;
}

Picture columns_of(const Picture& in, int first, int step) {
  Picture out{in.c, in.h, in.w / step, {}, {}};
  out.data.resize(static_cast<size_t>(out.elements()));
  const auto pixel = static_cast<size_t>(in.c);
  for (int64_t p = 0; p < out.pixels(); ++p) {
    const int64_t from = p / out.w * in.w + p % out.w * step + first;
    std::memcpy(out.data.data() + p * in.c, in.data.data() + from * in.c, pixel);
  }
  return out;
}

// Side by side where sizes agree, else one after the other, pixel after pixel.
Picture joined(const std::vector<const Picture*>& parts) {
  const Picture& first = *parts.front();
  const bool same = std::all_of(parts.begin(), parts.end(), [&](const Picture* p) {
    return p->h == first.h && p->w == first.w;
  });
  Picture out{same ? 0 : first.c, first.h, first.w, {}, {}};
  if (!same) {
    for (const Picture* p : parts) out.data.insert(out.data.end(), p->data.begin(), p->data.end());
    out.h = static_cast<int>(static_cast<int64_t>(out.data.size()) / out.c);
    out.w = 1;
    return out;
  }
  for (const Picture* p : parts) out.c += p->c;
  out.data.resize(static_cast<size_t>(out.elements()));
  int64_t at = 0;
  for (const Picture* p : parts) {
    for (int64_t i = 0; i < out.pixels(); ++i) {
      std::memcpy(out.data.data() + i * out.c + at, p->data.data() + i * p->c,
                  static_cast<size_t>(p->c));
    }
    at += p->c;
  }
  return out;
}

// The same elements in the order (channels, rows, columns), as a picture of another size.
Picture viewed(const Picture& in, int h, int w) {
  const int64_t pixels = int64_t{h} * w;
  Picture out{static_cast<int>(in.elements() / pixels), h, w, {}, {}};
  if (out.c == in.c) {
    out.data = in.data;
    return out;
  }
  Elements<int8_t> planes(in.data.size());
  to_planes(in.data.data(), planes.data(), in.pixels(), in.c);
  out.data.resize(planes.size());
  to_pixels(planes.data(), out.data.data(), pixels, out.c);
  return out;
}

Picture flattened(const Picture& in) {
  Picture out{static_cast<int>(in.elements()), 1, 1, {}, {}};
  out.data.resize(in.data.size());
  to_planes(in.data.data(), out.data.data(), in.pixels(), in.c);
  return out;
}

Tensor to_tensor(const Picture& p) {
  Tensor t;
  t.shape = Shape{p.c, p.h, p.w};
  if (!p.wide.empty()) {
    t.dtype = DType::int32;
    t.data.resize(p.wide.size() * 4);
    to_planes(p.wide.data(), t.as<int32_t>().data(), p.pixels(), p.c);
  } else {
    t.dtype = DType::int8;
    t.data.resize(p.data.size());
    to_planes(p.data.data(), t.as<int8_t>().data(), p.pixels(), p.c);
  }
  return t;
}

}  // namespace edgetwin::max78
