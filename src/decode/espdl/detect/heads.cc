// Detectors that users bring, in the arithmetic of the runtime's post-processors.
#include <algorithm>
#include <cmath>

#include "decode/espdl/detect/head_form.h"
#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

// Width and height of YOLOv5's anchors for COCO, by stride 8, 16, 32.
constexpr std::array<std::array<float, 6>, 3> kCocoAnchors = {
    {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};
// Boxes whose numbers are all at most this are parts of the input, not pixels.
constexpr float kLargestPart = 2.0F;
constexpr float kProbability = 1.01F;

// Do the numbers of these channels reach beyond `most`, or below 0 where `negative` counts?
bool within(const Map& map, int64_t first, float most, bool negative) {
  if (!map.is_real()) {
    const IntegerRange r = map.range();
    return static_cast<float>(r.high) * map.scale() <= most && (!negative || r.low >= 0);
  }
  for (int64_t cell = 0; cell < map.cells(); ++cell) {
    for (int64_t c = first; c < map.channels(); ++c) {
      const float v = map.real(cell, c);
      if (v > most || (negative && v < 0.0F)) return false;
    }
  }
  return true;
}

class HeadDecoder {
 public:
  HeadDecoder(const Head& head, const Params& params, const espdl_image::Placement& placement)
      : head_(head), params_(params), p_(placement), limits_(limits_of(params, kHeads)) {}

  std::vector<Detection> find() {
    switch (head_.form) {
      case HeadForm::distances:
        for (const HeadStage& s : head_.stages) of_distances(s);
        break;
      case HeadForm::anchors:
        for (const HeadStage& s : head_.stages) of_anchors(s);
        break;
      default:
        of_rows();
    }
    sort_by_score(found_);
    // A network that suppressed its boxes itself is not asked again.
    const float overlap = head_.form == HeadForm::rows_corners ? 1.0F : limits_.nms;
    suppress(found_, overlap, limits_.most);
    limit_to_picture(found_, *params_.source);
    return std::move(found_);
  }

  std::string words;  // what was found out from values

 private:
  void add(int64_t category, float score, const std::array<int, 4>& box) {
    Detection d;
    d.category = static_cast<int>(category);
    d.score = score;
    d.box = box;
    found_.push_back(std::move(d));
  }

  // Corners in pixels of the input to pixels of the picture.
  std::array<int, 4> mapped(float x1, float y1, float x2, float y2) const {
    const auto cut = [](float at, int border, float k) {
      return trunc_to_int(static_cast<double>((at - static_cast<float>(border)) * k));
    };
    return {cut(x1, p_.border.left, p_.inverse_x), cut(y1, p_.border.top, p_.inverse_y),
            cut(x2, p_.border.left, p_.inverse_x), cut(y2, p_.border.top, p_.inverse_y)};
  }
  std::array<int, 4> around(float x, float y, float w, float h) const {
    return mapped(x - w / 2.0F, y - h / 2.0F, x + w / 2.0F, y + h / 2.0F);
  }

  std::array<float, 4> sides(const HeadStage& s, int64_t cell) const {
    if (head_.bins > 1) return distances(s.box, cell, head_.bins);
    std::array<float, 4> d{};
    for (size_t i = 0; i < d.size(); ++i) d[i] = s.box.real(cell, static_cast<int64_t>(i));
    return d;
  }

  void of_distances(const HeadStage& s) {
    // Scores in a map of their own may have their sigmoid already.
    const bool ready = s.first_score == 0 && within(s.score, 0, kProbability, true);
    if (ready) words = "; scores are probabilities already";
    const float limit = ready ? limits_.score : inverse_sigmoid(limits_.score);
    const Threshold threshold(s.score, limit, params_.rounding());
    for (int64_t cell = 0; cell < s.score.cells(); ++cell) {
      for (int64_t c = 0; c < head_.classes; ++c) {
        if (!threshold.exceeds(s.score, cell, s.first_score + c)) continue;
        const float v = s.score.real(cell, s.first_score + c);
        add(c, ready ? v : sigmoid(v),
            placed_box(sides(s, cell), cell % s.score.columns(), cell / s.score.columns(), s.stride,
                       p_));
      }
    }
  }

  void of_anchors(const HeadStage& s) {
    const auto stride = static_cast<float>(s.stride);
    const auto at = static_cast<size_t>(std::find(kStrides.begin(), kStrides.end(), s.stride) -
                                        kStrides.begin());
    const int64_t each = head_.classes + 5;
    for (int64_t cell = 0; cell < s.box.cells(); ++cell) {
      for (int64_t a = 0; a < 3; ++a) {
        const auto value = [&](int64_t i) { return sigmoid(s.box.real(cell, a * each + i)); };
        const float object = value(4);
        if (!(object > limits_.score)) continue;
        const auto centre = [&](float v, int64_t grid) {
          return (v * 2.0F - 0.5F + static_cast<float>(grid)) * stride;
        };
        const auto side = [&](float v, size_t i) {
          return v * 2.0F * (v * 2.0F) * kCocoAnchors[at][static_cast<size_t>(a) * 2 + i];
        };
        const std::array<int, 4> box =
            around(centre(value(0), cell % s.box.columns()),
                   centre(value(1), cell / s.box.columns()), side(value(2), 0), side(value(3), 1));
        for (int64_t c = 0; c < head_.classes; ++c) {
          const float score = object * value(5 + c);
          if (score > limits_.score) add(c, score, box);
        }
      }
    }
  }

  bool rows_are_parts() const {
    if (!head_.table.is_real()) return within(head_.table, 0, kLargestPart, false);
    for (int64_t row = 0; row < head_.row_count(); ++row) {
      for (int64_t i = 0; i < 4; ++i) {
        if (head_.row_value(row, i) > kLargestPart) return false;
      }
    }
    return true;
  }

  void of_rows() {
    const bool parts = rows_are_parts();
    if (parts) words = "; its numbers are parts of the input, not pixels";
    const float w = parts ? static_cast<float>(params_.input->width) : 1.0F;
    const float h = parts ? static_cast<float>(params_.input->height) : 1.0F;
    for (int64_t row = 0; row < head_.row_count(); ++row) {
      const auto v = [&](int64_t i) { return head_.row_value(row, i); };
      if (head_.form == HeadForm::rows_corners) {
        if (v(4) > limits_.score) {
          add(std::max(0, trunc_to_int(static_cast<double>(v(5)))), v(4),
              mapped(v(0) * w, v(1) * h, v(2) * w, v(3) * h));
        }
        continue;
      }
      const int64_t first = head_.form == HeadForm::rows ? 4 : 5;
      const float object = first == 5 ? v(4) : 1.0F;
      if (!(object > limits_.score)) continue;
      for (int64_t c = 0; c < head_.classes; ++c) {
        const float score = object * v(first + c);
        if (score > limits_.score) add(c, score, around(v(0) * w, v(1) * h, v(2) * w, v(3) * h));
      }
    }
  }

  const Head& head_;
  const Params& params_;
  const espdl_image::Placement& p_;
  Limits limits_;
  std::vector<Detection> found_;
};

}  // namespace

Result<Decoded> decode_heads(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::Placement placement, params.placement());
  EDGETWIN_TRY_ASSIGN(const Head head, head_of(outputs, params));
  HeadDecoder decoder(head, params, placement);
  Decoded decoded;
  decoded.detections = decoder.find();
  decoded.remarks.push_back("taken as " + head.words + decoder.words);
  decoded.classes_of_head = head.classes;
  return decoded;
}

}  // namespace edgetwin::espdl_decode
