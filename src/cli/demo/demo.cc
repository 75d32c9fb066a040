#include "cli/demo/demo.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "robotics/device/device_engine.h"
#include "twin/decompiled.h"

namespace edgetwin::cli {
namespace {

Result<robotics::Prepared> on_device(const DemoArguments& a) {
  if (a.model.empty()) {
    return Error(ErrorCode::usage, "--device needs a compiled model")
        .with_hint("Name one with --model NAME_edgetpu.tflite.");
  }
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const auto loaded,
                      twin::load_reference_or_decompile(data, a.model, a.device.reference));
  const auto reference = loaded == nullptr ? nullptr : loaded->graph();
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(a.device, 1));
  if (bus.virtual_bus != nullptr) {
    EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.model));
    EDGETWIN_TRY(bus.virtual_bus->learn(file, twin::computes_source(a.device) ? reference : nullptr,
                                        a.model));
  }
  EDGETWIN_TRY_ASSIGN(auto device, twin::open_device(bus, a.device));
  EDGETWIN_TRY_ASSIGN(
      std::shared_ptr<robotics::Engine> engine,
      robotics::device_engine(std::move(data), a.model, std::move(device), reference));
  EDGETWIN_TRY_ASSIGN(robotics::Sidecar sidecar, robotics::Sidecar::beside(a.model));
  return robotics::Prepared{std::move(engine), std::move(sidecar)};
}

}  // namespace

Result<robotics::Prepared> prepared(
    const DemoArguments& a,
    Result<robotics::Prepared> (*made)(const DemoArguments&, const robotics::TwinOptions&)) {
  robotics::TwinOptions options;
  options.numerics = a.numerics;
  if (!a.device.device.empty()) return on_device(a);
  if (a.model.empty()) return made(a, options);
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<robotics::Engine> engine,
                      robotics::load_twin_engine(a.model, options));
  EDGETWIN_TRY_ASSIGN(robotics::Sidecar sidecar, robotics::Sidecar::beside(a.model));
  return robotics::Prepared{std::move(engine), std::move(sidecar)};
}

std::string decimal(double value, int digits) {
  char text[64];
  constexpr double kLong = 1e15;  // from here on the digits after the point are not exact
  if (!(std::fabs(value) < kLong)) {
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  const bool zero =
      text[0] == '-' && std::string_view(text).find_first_of("123456789") == std::string_view::npos;
  return zero ? text + 1 : text;
}

void draw_line(Tensor& picture, double x0, double y0, double x1, double y1) {
  const double length = std::max(std::fabs(x1 - x0), std::fabs(y1 - y0));
  const int steps = static_cast<int>(std::min(length, 20000.0)) + 1;
  const auto pixels = picture.as<uint8_t>();
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const auto x = static_cast<int64_t>(std::floor(x0 + (x1 - x0) * share));
    const auto y = static_cast<int64_t>(std::floor(y0 + (y1 - y0) * share));
    if (x < 0 || y < 0 || x >= picture.shape[1] || y >= picture.shape[0]) continue;
    uint8_t* p = &pixels[static_cast<size_t>((y * picture.shape[1] + x) * 3)];
    p[0] = 255, p[1] = 40, p[2] = 40;
  }
}

void draw_zones(Tensor& picture, std::span<const float, 9> zones) {
  constexpr double kReddest = 0.5;  // share of the colour in the zone with the largest value
  const float most = *std::max_element(zones.begin(), zones.end());
  if (!(most > 0.0F)) return;
  const auto pixels = picture.as<uint8_t>();
  const int64_t h = picture.shape[0], w = picture.shape[1];
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      const float zone = zones[static_cast<size_t>(y * 3 / h * 3 + x * 3 / w)];
      const double share = kReddest * static_cast<double>(std::max(zone, 0.0F) / most);
      uint8_t* p = &pixels[static_cast<size_t>((y * w + x) * 3)];
      p[0] = static_cast<uint8_t>(std::lround(p[0] + share * (255 - p[0])));
      p[1] = static_cast<uint8_t>(std::lround(p[1] * (1.0 - share)));
      p[2] = static_cast<uint8_t>(std::lround(p[2] * (1.0 - share)));
    }
  }
}

void draw_cross(Tensor& picture, double x, double y, double size) {
  draw_line(picture, x - size, y, x + size, y);
  draw_line(picture, x, y - size, x, y + size);
}

void draw_box(Tensor& picture, double left, double top, double right, double bottom) {
  draw_line(picture, left, top, right, top);
  draw_line(picture, left, bottom, right, bottom);
  draw_line(picture, left, top, left, bottom);
  draw_line(picture, right, top, right, bottom);
}

}  // namespace edgetwin::cli
