#include "decode/espdl/detect/head_form.h"

#include <algorithm>
#include <map>

#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int64_t kUsualClasses = 80;  // of COCO
constexpr int64_t kUsualBins = 16;
constexpr int64_t kAnchors = 3;
constexpr int64_t kCorners = 6;
constexpr int64_t kMaskNumbers = 32;

Error form_error(const std::string& what, std::span<const Tensor> maps) {
  std::string shapes;
  for (const Tensor& t : maps) {
    shapes += (shapes.empty() ? "'" : ", '") + t.name + "' " + to_string(t.shape);
  }
  return Error(ErrorCode::decode_maps, what)
      .detail("outputs: " + shapes)
      .with_hint(
          "Known are maps of strides 8, 16 and 32 and rows of boxes; docs/espdl-decode.md has the "
          "forms. 'classes' in --params, or --labels, say how many classes there are.");
}

// A way to read a map of `channels`.
struct Reading {
  HeadForm form;
  int64_t bins, classes;
};

std::string words_of(const Reading& r) {
  const std::string tail =
      ", " + std::to_string(r.classes) + (r.classes == 1 ? " class" : " classes");
  if (r.form == HeadForm::anchors) return "YOLOv5: three anchors of COCO per cell" + tail;
  if (r.bins == 1) return "YOLO without anchors and without bins (distances themselves)" + tail;
  return "YOLOv8, v9 or v11: distances by " + std::to_string(r.bins) + " bins" + tail;
}

std::vector<Reading> readings_of(int64_t channels) {
  std::vector<Reading> all;
  if (channels > kUsualBins * 4) {
    all.push_back({HeadForm::distances, kUsualBins, channels - kUsualBins * 4});
  }
  if (channels > 4) all.push_back({HeadForm::distances, 1, channels - 4});
  if (channels % kAnchors == 0 && channels / kAnchors > 5) {
    all.push_back({HeadForm::anchors, 1, channels / kAnchors - 5});
  }
  return all;
}

// The one reading whose number of classes was given, or is that of COCO.
Result<Reading> choose(int64_t channels, std::span<const Tensor> maps, const Params& params) {
  const std::vector<Reading> all = readings_of(channels);
  const int64_t wanted = params.classes.value_or(kUsualClasses);
  std::string tried;
  for (const Reading& r : all) {
    if (r.classes == wanted) return r;
    tried += (tried.empty() ? "" : "; ") + words_of(r);
  }
  if (!params.classes && all.size() == 1) return all[0];
  return form_error(
      "maps of " + std::to_string(channels) + " channels are " +
          (all.empty()      ? "no head of a detector"
           : params.classes ? "no head of " + std::to_string(wanted) + " classes: " + tried
                            : "not told by their shape: " + tried),
      maps);
}

class Finder {
 public:
  Finder(std::span<const Tensor> maps, const Params& params) : maps_(maps), params_(params) {}

  Result<Head> find() {
    if (!params_.input) {
      return Error(ErrorCode::bad_value, "'input' is missing: [width, height]").in_field("input");
    }
    for (const Tensor& t : maps_) {
      EDGETWIN_TRY_ASSIGN(const Map map, Map::of(t));
      // Rows have one axis less than maps.
      const bool row = t.shape.rank() == 2 || (t.shape.rank() == 3 && t.shape[0] == 1);
      (row ? tables_ : grids_).push_back(map);
    }
    if (tables_.size() == 1 && grids_.size() <= 1) return of_rows(tables_[0]);
    if (tables_.empty() && !grids_.empty()) return of_maps();
    return form_error("these outputs are no head of a detector", maps_);
  }

 private:
  int64_t cells() const {
    int64_t n = 0;
    for (const int s : kStrides)
      n += int64_t{params_.input->width / s} * (params_.input->height / s);
    return n;
  }

  Result<Head> of_rows(const Map& table) {
    Head head;
    head.table = table;
    const int64_t a = table.cells(), b = table.channels(), n = cells();
    const bool eight = a == n || b == n, five = a == n * kAnchors || b == n * kAnchors;
    if (!eight && !five) {
      if (b != kCorners) {
        return form_error("rows of " + std::to_string(a) + " x " + std::to_string(b) +
                              ": an input of " + std::to_string(params_.input->width) + " x " +
                              std::to_string(params_.input->height) + " has " + std::to_string(n) +
                              " cells, with three anchors " + std::to_string(n * kAnchors),
                          maps_);
      }
      head.form = HeadForm::rows_corners;
      head.words = "boxes after the network's own suppression: corners, score, class";
      return head;
    }
    head.table_turned = eight ? a != n : a != n * kAnchors;
    const int64_t numbers = head.table_turned ? a : b;
    const int64_t masks = grids_.size() == 1 ? kMaskNumbers : 0;
    head.form = eight ? HeadForm::rows : HeadForm::rows_object;
    head.classes = numbers - (eight ? 4 : 5) - masks;
    if (head.classes < 1 || (params_.classes && *params_.classes != head.classes)) {
      return form_error("rows of " + std::to_string(numbers) + " numbers have " +
                            std::to_string(head.classes) + " classes",
                        maps_);
    }
    head.words = std::string(eight ? "rows of YOLOv8, v9 or v11" : "rows of YOLOv5") + ", " +
                 std::to_string(head.classes) + (head.classes == 1 ? " class" : " classes") +
                 (masks > 0 ? "; their masks are not decoded" : "");
    return head;
  }

  Result<int> stride_of(const Map& map) const {
    const int64_t w = params_.input->width, h = params_.input->height;
    const int64_t stride = w / std::max<int64_t>(1, map.columns());
    const bool known = std::find(kStrides.begin(), kStrides.end(), stride) != kStrides.end();
    if (known && map.columns() * stride == w && map.rows() * stride == h) {
      return static_cast<int>(stride);
    }
    return form_error("the map '" + map.name() + "' of " + std::to_string(map.rows()) + " x " +
                          std::to_string(map.columns()) + " is no part 1/8, 1/16 or 1/32 of " +
                          std::to_string(h) + " x " + std::to_string(w),
                      maps_);
  }

  Result<Head> of_maps() {
    std::map<int, std::vector<Map>> by_stride;
    for (const Map& m : grids_) {
      EDGETWIN_TRY_ASSIGN(const int stride, stride_of(m));
      by_stride[stride].push_back(m);
    }
    const size_t each = by_stride.begin()->second.size();
    for (const auto& [stride, maps] : by_stride) {
      if (maps.size() != each || each > 2) {
        return form_error("there are " + std::to_string(maps.size()) + " maps of stride " +
                              std::to_string(stride) + ", one or two of each are known",
                          maps_);
      }
    }
    return each == 1 ? of_joined(by_stride) : of_pairs(by_stride);
  }

  Result<Head> of_joined(const std::map<int, std::vector<Map>>& by_stride) {
    const int64_t channels = by_stride.begin()->second[0].channels();
    EDGETWIN_TRY_ASSIGN(const Reading reading, choose(channels, maps_, params_));
    Head head;
    head.form = reading.form;
    head.bins = reading.bins;
    head.classes = reading.classes;
    head.words = words_of(reading) + ", one map per stage";
    for (const auto& [stride, maps] : by_stride) {
      if (maps[0].channels() != channels) {
        return form_error("the maps have different numbers of channels", maps_);
      }
      const int64_t first = head.form == HeadForm::anchors ? 5 : reading.bins * 4;
      head.stages.push_back({stride, maps[0], maps[0], first});
    }
    return head;
  }

  bool is_box(int64_t channels) const { return channels == 4 || channels == kUsualBins * 4; }

  Result<Head> of_pairs(const std::map<int, std::vector<Map>>& by_stride) {
    Head head;
    for (const auto& [stride, maps] : by_stride) {
      // Where both could be boxes the number of classes decides, else the first is.
      const int64_t a = maps[0].channels(), b = maps[1].channels();
      const bool first = is_box(a) && (!is_box(b) || params_.classes.value_or(b) == b);
      const Map& box = first ? maps[0] : maps[1];
      const Map& score = first ? maps[1] : maps[0];
      const bool same = head.classes == 0 ||
                        (head.classes == score.channels() && head.bins == box.channels() / 4);
      if (!is_box(box.channels()) || !same ||
          (params_.classes && *params_.classes != score.channels())) {
        return form_error("pairs of " + std::to_string(a) + " and " + std::to_string(b) +
                              " channels are not boxes (4 or 64) and classes",
                          maps_);
      }
      head.bins = box.channels() / 4;
      head.classes = score.channels();
      head.stages.push_back({stride, box, score, 0});
    }
    head.words = words_of({HeadForm::distances, head.bins, head.classes}) + ", two maps per stage";
    return head;
  }

  std::span<const Tensor> maps_;
  const Params& params_;
  std::vector<Map> tables_, grids_;
};

}  // namespace

Result<Head> head_of(std::span<const Tensor> maps, const Params& params) {
  return Finder(maps, params).find();
}

}  // namespace edgetwin::espdl_decode
