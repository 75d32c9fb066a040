// Coloured areas of a picture, as the runtime's colour detector finds them without a network.
#include <algorithm>

#include "decode/espdl/core/nms.h"
#include "decode/espdl/core/outputs.h"
#include "decode/espdl/signals/signals.h"
#include "image/espdl/preprocess.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int kSide = 224;          // of the published example
constexpr int kLeastArea = 256;     // in pixels of the detector
constexpr int kMostPixels = 65535;  // positions are uint16 on the chip

struct Plane {
  int width = 0, height = 0;
  std::vector<uint8_t> at;
};

// The smallest or largest value of a square around each pixel; outside counts for nothing. An even
// square reaches further to the left and up, both ways, as OpenCV's.
Plane spread(const Plane& in, int side, bool grow) {
  Plane out = in;
  const int low = -(side / 2), high = side - 1 - side / 2;
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      bool hit = false;
      for (int dy = low; dy <= high && !hit; ++dy) {
        for (int dx = low; dx <= high && !hit; ++dx) {
          const int nx = x + dx, ny = y + dy;
          if (nx < 0 || ny < 0 || nx >= in.width || ny >= in.height) continue;
          hit = (in.at[static_cast<size_t>(ny * in.width + nx)] != 0) == grow;
        }
      }
      if (hit) out.at[static_cast<size_t>(y * in.width + x)] = grow ? 255 : 0;
    }
  }
  return out;
}

struct Area {
  int left, top, right, bottom, pixels;
};

// The next area from `start` on, taken out of the plane; pixels touch by edges and corners.
Area take_area(Plane& plane, int start) {
  Area area = {plane.width, plane.height, 0, 0, 0};
  std::vector<int> open = {start};
  plane.at[static_cast<size_t>(start)] = 0;
  while (!open.empty()) {
    const int x = open.back() % plane.width, y = open.back() / plane.width;
    open.pop_back();
    area.left = std::min(area.left, x), area.right = std::max(area.right, x);
    area.top = std::min(area.top, y), area.bottom = std::max(area.bottom, y);
    ++area.pixels;
    for (int ny = std::max(0, y - 1); ny <= std::min(plane.height - 1, y + 1); ++ny) {
      for (int nx = std::max(0, x - 1); nx <= std::min(plane.width - 1, x + 1); ++nx) {
        const int next = ny * plane.width + nx;
        if (plane.at[static_cast<size_t>(next)] == 0) continue;
        plane.at[static_cast<size_t>(next)] = 0;
        open.push_back(next);
      }
    }
  }
  return area;
}

bool in_range(const uint8_t* hsv, const Colour& c) {
  for (size_t i = 1; i < 3; ++i) {
    if (hsv[i] < c.low[i] || hsv[i] > c.high[i]) return false;
  }
  return c.low[0] > c.high[0] ? hsv[0] >= c.low[0] || hsv[0] <= c.high[0]
                              : hsv[0] >= c.low[0] && hsv[0] <= c.high[0];
}

Plane mask_of(const Tensor& hsv, const Colour& colour) {
  Plane plane{static_cast<int>(hsv.shape[1]), static_cast<int>(hsv.shape[0]), {}};
  const auto levels = hsv.as<uint8_t>();
  for (size_t i = 0; i < levels.size(); i += 3) {
    plane.at.push_back(in_range(levels.data() + i, colour) ? 255 : 0);
  }
  return plane;
}

int scaled(int v, float k) { return trunc_to_int(static_cast<double>(static_cast<float>(v) * k)); }

}  // namespace

Result<Decoded> find_colours(const Tensor& picture, const Params& params) {
  if (params.colours.empty()) {
    return Error(ErrorCode::bad_value, "'colours' is missing: a list of {name, hsv_min, hsv_max}")
        .in_field("colours");
  }
  espdl_image::Params to;
  to.source = params.pixels.value_or(espdl_image::PixelType::rgb888);
  to.target = espdl_image::PixelType::hsv;
  to.width = params.input ? params.input->width : kSide;
  to.height = params.input ? params.input->height : kSide;
  if (*to.width * *to.height > kMostPixels) {
    return Error(ErrorCode::bad_value, "'input' has more than " + std::to_string(kMostPixels) +
                                           " pixels, which the chip refuses")
        .in_field("input");
  }
  EDGETWIN_TRY_ASSIGN(const espdl_image::Preprocessed hsv, espdl_image::preprocess(picture, to));
  const float kx = static_cast<float>(picture.shape[1]) / static_cast<float>(*to.width);
  const float ky = static_cast<float>(picture.shape[0]) / static_cast<float>(*to.height);
  Decoded decoded;
  std::vector<Detection> found;
  for (size_t i = 0; i < params.colours.size(); ++i) {
    const Colour& colour = params.colours[i];
    decoded.names.push_back(colour.name);
    Plane plane = mask_of(hsv.tensor, colour);
    if (params.morphology) {
      const int side = *params.morphology;
      plane = spread(spread(plane, side, false), side, true);
      plane = spread(spread(plane, side, true), side, false);
    }
    for (int start = 0; start < plane.width * plane.height; ++start) {
      if (plane.at[static_cast<size_t>(start)] == 0) continue;
      const Area a = take_area(plane, start);
      if (a.pixels < colour.area.value_or(kLeastArea)) continue;
      Detection d;
      d.category = static_cast<int>(i);
      d.score = 1.0F;
      d.box = {scaled(a.left, kx), scaled(a.top, ky), scaled(a.right + 1, kx),
               scaled(a.bottom + 1, ky)};
      d.pixels = a.pixels;
      found.push_back(std::move(d));
    }
  }
  limit_to_picture(found, {static_cast<int>(picture.shape[1]), static_cast<int>(picture.shape[0])});
  decoded.detections = std::move(found);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
