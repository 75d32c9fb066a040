#include <algorithm>
#include <cmath>
#include <limits>

#include "base/file.h"
#include "cli/demo/demo.h"
#include "image/image.h"
#include "robotics/picture.h"
#include "robotics/trackers/looming.h"
#include "robotics/trackers/pattern_tracker.h"
#include "robotics/trackers/spot_tracker.h"

namespace edgetwin::cli {
namespace {

using namespace robotics;
using report::Json;

// From [-1, 1] to pixels.
double pixel_of(double offset, int64_t size) {
  return (offset + 1.0) / 2.0 * static_cast<double>(size - 1);
}

class Spot final : public Demo {
 public:
  Spot(const DemoArguments& a, SpotTracker tracker) : a_(a), tracker_(std::move(tracker)) {}
  Status open() override { return tracker_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    Tensor seen = picture;
    if (tracker_.channels() == 1) {
      EDGETWIN_TRY_ASSIGN(seen, to_grey(picture));
    }
    EDGETWIN_TRY_ASSIGN(const Position p, tracker_.track(seen));
    const std::string direction = offset_to_direction(p.x, p.y, a_.threshold);
    const Position servo = offset_to_servo_error(p.x, p.y, a_.servo_gain);
    row.set("x", p.x).set("y", p.y).set("direction", direction);
    row.set("servo_x", servo.x).set("servo_y", servo.y);
    draw_cross(picture, pixel_of(p.x, picture.shape[1]), pixel_of(p.y, picture.shape[0]), 12);
    return "x " + decimal(p.x) + "  y " + decimal(p.y) + "  " + direction + "  servo " +
           decimal(servo.x) + " " + decimal(servo.y);
  }

 private:
  DemoArguments a_;
  SpotTracker tracker_;
};

class PatternDemo final : public Demo {
 public:
  PatternDemo(const DemoArguments& a, PatternTracker tracker)
      : a_(a), tracker_(std::move(tracker)) {}
  Status open() override { return tracker_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    Tensor seen = picture;
    if (tracker_.channels() == 1) {
      EDGETWIN_TRY_ASSIGN(seen, to_grey(picture));
    }
    EDGETWIN_TRY_ASSIGN(seen, resize_by_area(seen, tracker_.height(), tracker_.width()));
    if (!has_pattern_) EDGETWIN_TRY(learn_pattern(seen));
    EDGETWIN_TRY_ASSIGN(const Position p, tracker_.track(seen, false));
    row.set("x", p.x).set("y", p.y);
    // The position is that of the pattern's top left corner among all its places.
    const double scale_x = static_cast<double>(picture.shape[1]) / tracker_.width();
    const double scale_y = static_cast<double>(picture.shape[0]) / tracker_.height();
    const double left = pixel_of(p.x, tracker_.width() - tracker_.kernel_width() + 1) * scale_x;
    const double top = pixel_of(p.y, tracker_.height() - tracker_.kernel_height() + 1) * scale_y;
    draw_box(picture, left, top, left + tracker_.kernel_width() * scale_x,
             top + tracker_.kernel_height() * scale_y);
    return "x " + decimal(p.x) + "  y " + decimal(p.y) + "  " + offset_to_direction(p.x, p.y);
  }

 private:
  // A bright pattern wins everywhere; without its mean, and as large as the weights can be, it is
  // found where it fits.
  Status learn_pattern(const Tensor& seen) {
    const int kh = tracker_.kernel_height(), kw = tracker_.kernel_width();
    Tensor patch;
    if (!a_.pattern.empty()) {
      EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a_.pattern));
      EDGETWIN_TRY_ASSIGN(patch, decode_image(data, a_.pattern));
      if (patch.shape[2] != tracker_.channels()) {
        EDGETWIN_TRY_ASSIGN(patch, to_grey(patch));
      }
      EDGETWIN_TRY_ASSIGN(patch, resize_by_area(patch, kh, kw));
    } else {
      patch = striking_part(seen, kh, kw);
    }
    has_pattern_ = true;
    return tracker_.set_template_raw(weights_of(patch));
  }
  // The part with the most contrast, the first of several: in the middle there may be nothing.
  static Tensor striking_part(const Tensor& seen, int kh, int kw) {
    const int64_t h = seen.shape[0], w = seen.shape[1], c = seen.shape[2];
    const auto pixels = seen.as<uint8_t>();
    // Sums of all that is above and left.
    std::vector<int64_t> sums(static_cast<size_t>((h + 1) * (w + 1))), squares(sums.size());
    const auto at = [w](int64_t y, int64_t x) { return static_cast<size_t>(y * (w + 1) + x); };
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        int64_t sum = 0, square = 0;
        for (int64_t z = 0; z < c; ++z) {
          const int64_t v = pixels[static_cast<size_t>((y * w + x) * c + z)];
          sum += v;
          square += v * v;
        }
        for (const auto& [all, one] : {std::pair(&sums, sum), std::pair(&squares, square)}) {
          std::vector<int64_t>& s = *all;
          s[at(y + 1, x + 1)] = one + s[at(y, x + 1)] + s[at(y + 1, x)] - s[at(y, x)];
        }
      }
    }
    const auto within = [&](const std::vector<int64_t>& s, int64_t y, int64_t x) {
      return s[at(y + kh, x + kw)] - s[at(y, x + kw)] - s[at(y + kh, x)] + s[at(y, x)];
    };
    int64_t most = -1, top = 0, left = 0;
    for (int64_t y = 0; y + kh <= h; ++y) {
      for (int64_t x = 0; x + kw <= w; ++x) {
        const int64_t sum = within(sums, y, x);
        const int64_t contrast = within(squares, y, x) * kh * kw * c - sum * sum;
        if (contrast <= most) continue;
        most = contrast;
        top = y;
        left = x;
      }
    }
    return part_of(seen, top, left, kh, kw);
  }
  static Tensor part_of(const Tensor& seen, int64_t top, int64_t left, int kh, int kw) {
    Tensor patch = seen;
    patch.shape = {kh, kw, seen.shape[2]};
    patch.data.clear();
    for (int64_t y = top; y < top + kh; ++y) {
      const auto* row = seen.data.data() + (y * seen.shape[1] + left) * seen.shape[2];
      patch.data.insert(patch.data.end(), row, row + kw * seen.shape[2]);
    }
    return patch;
  }
  static std::vector<int8_t> weights_of(const Tensor& patch) {
    const auto pixels = patch.as<uint8_t>();
    double mean = 0.0, most = 1.0;
    for (const uint8_t v : pixels) mean += v / static_cast<double>(pixels.size());
    for (const uint8_t v : pixels) most = std::max(most, std::fabs(v - mean));
    std::vector<int8_t> weights;
    for (const uint8_t v : pixels) {
      weights.push_back(static_cast<int8_t>(std::nearbyint((v - mean) / most * 127.0)));
    }
    return weights;
  }

  DemoArguments a_;
  PatternTracker tracker_;
  bool has_pattern_ = false;
};

constexpr double kContact = 2.0;  // the tau that compute_ttc takes for contact

// Whether no value of the newer half lies below one of the older half.
bool rises(const std::vector<double>& values) {
  constexpr size_t kFewest = 4;
  if (values.size() < kFewest || values.back() <= values.front()) return false;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return *std::min_element(middle, values.end()) >= *std::max_element(values.begin(), middle);
}

class LoomingDemo final : public Demo {
 public:
  LoomingDemo(const DemoArguments& a, LoomingDetector detector)
      : a_(a), detector_(std::move(detector)) {}
  Status open() override { return detector_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const Tensor grey, to_grey(picture));
    EDGETWIN_TRY_ASSIGN(const Tensor seen,
                        resize_by_area(grey, detector_.height(), detector_.width()));
    EDGETWIN_TRY_ASSIGN(const Zones zones, detector_.detect(seen));
    EDGETWIN_TRY_ASSIGN(const double tau, LoomingDetector::compute_tau(zones));
    history_.push_back(tau);
    if (history_.size() > static_cast<size_t>(a_.ttc_window)) history_.erase(history_.begin());
    // What turns makes tau rise and fall; only what comes nearer makes it rise all the time.
    const bool nearer = rises(history_);
    const double ttc = nearer && tau < kContact
                           ? LoomingDetector::compute_ttc(history_, 1.0 / a_.fps)
                           : std::numeric_limits<double>::infinity();
    const bool warn = nearer && tau >= a_.tau_threshold;
    row.set("zones", Json::list(zones)).set("tau", tau).set("ttc", ttc).set("warning", warn);
    draw_zones(picture, zones);
    const auto h = static_cast<double>(picture.shape[0]), w = static_cast<double>(picture.shape[1]);
    for (const double share : {1.0 / 3.0, 2.0 / 3.0}) {
      draw_line(picture, share * w, 0, share * w, h);
      draw_line(picture, 0, share * h, w, share * h);
    }
    return "tau " + decimal(tau) + "  contact in " + (std::isinf(ttc) ? "-" : decimal(ttc) + " s") +
           (warn ? "  LOOMING" : "");
  }

 private:
  DemoArguments a_;
  LoomingDetector detector_;
  std::vector<double> history_;
};

}  // namespace

MadeDemo spot_demo(const DemoArguments& a) {
  if (a.model.empty() && a.device.device.empty()) {
    EDGETWIN_TRY_ASSIGN(SpotTracker t, SpotTracker::from_template(a.image_size, a.variant,
                                                                  TwinOptions{a.numerics}));
    return std::unique_ptr<Demo>(std::make_unique<Spot>(a, std::move(t)));
  }
  EDGETWIN_TRY_ASSIGN(Prepared p, prepared(a, nullptr));
  EDGETWIN_TRY_ASSIGN(SpotTracker t,
                      SpotTracker::create(std::move(p.engine), std::move(p.sidecar)));
  return std::unique_ptr<Demo>(std::make_unique<Spot>(a, std::move(t)));
}

MadeDemo pattern_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(Prepared p,
                      prepared(a, [](const DemoArguments& d, const TwinOptions& options) {
                        edgetpu::templates::PatternTracker t;
                        t.search_h = t.search_w = d.image_size;
                        t.kernel_h = t.kernel_w = d.kernel_size;
                        t.channels = d.channels;
                        return on_twin(edgetpu::templates::build(t), options);
                      }));
  EDGETWIN_TRY_ASSIGN(PatternTracker t,
                      PatternTracker::create(std::move(p.engine), std::move(p.sidecar)));
  return std::unique_ptr<Demo>(std::make_unique<PatternDemo>(a, std::move(t)));
}

MadeDemo looming_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(Prepared p,
                      prepared(a, [](const DemoArguments& d, const TwinOptions& options) {
                        edgetpu::templates::Looming t;
                        t.height = t.width = d.image_size;
                        return on_twin(edgetpu::templates::build(t), options);
                      }));
  EDGETWIN_TRY_ASSIGN(LoomingDetector d,
                      LoomingDetector::create(std::move(p.engine), std::move(p.sidecar)));
  return std::unique_ptr<Demo>(std::make_unique<LoomingDemo>(a, std::move(d)));
}

}  // namespace edgetwin::cli
