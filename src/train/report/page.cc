#include "train/report/page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/markup.h"

namespace edgetwin::train {
namespace {

constexpr double kWidth = 640, kHeight = 200, kLeft = 56, kBottom = 24;
constexpr size_t kMostConfusion = 40;

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;color:#222;"
    "background:#fff}h2{margin-top:2em}table{border-collapse:collapse}"
    "td,th{padding:2px 8px;text-align:right;border-bottom:1px solid #ddd}"
    "figure{display:inline-block;margin:4px;width:9em;font-size:12px}"
    "img{width:100%;image-rendering:pixelated;display:block}svg{max-width:100%}"
    ".item{position:relative;border:1px solid #ccc}.item i{position:absolute;box-sizing:border-box}"
    "i.true{border:2px solid #0072b2}i.found{border:2px dashed #d55e00}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}"
    "td,th{border-color:#444}text{fill:#ddd}}";

struct Curve {
  std::string name, color;
  std::vector<std::pair<double, double>> points;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string place(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string base64_of(const Bytes& data) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < data.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < data.size() ? static_cast<uint32_t>(data[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += i + k <= data.size() ? kLetters[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

struct Limits {
  double left = 0, right = 1, low = 0, high = 1;
  double x(double v) const { return kLeft + (v - left) / (right - left) * (kWidth - kLeft - 8); }
  double y(double v) const {
    return kHeight - kBottom - (v - low) / (high - low) * (kHeight - kBottom - 10);
  }
};

Limits limits_of(const std::vector<Curve>& curves) {
  Limits l{HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (const Curve& c : curves) {
    for (const auto& [x, y] : c.points) {
      l.left = std::min(l.left, x);
      l.right = std::max(l.right, x);
      if (!std::isfinite(y)) continue;
      l.low = std::min(l.low, y);
      l.high = std::max(l.high, y);
    }
  }
  if (!(l.left < l.right)) l.right = l.left + 1;
  if (!(l.low < l.high)) l = {l.left, l.right, l.low - 0.5, l.low + 0.5};
  return l;
}

// `mark`: the epoch from which quantization takes part; below 0: none.
std::string chart(const std::string& title, const std::vector<Curve>& curves, double mark) {
  if (curves.empty() || curves[0].points.empty()) return "";
  const Limits l = limits_of(curves);
  std::string svg = "<h3>" + markup_escaped(title) + "</h3><svg viewBox=\"0 0 " + place(kWidth) +
                    " " + place(kHeight) + "\" width=\"" + place(kWidth) +
                    "\" role=\"img\" aria-label=\"" + markup_escaped(title) + "\">";
  for (const double v : {l.low, (l.low + l.high) / 2, l.high}) {
    const std::string y = place(l.y(v));
    svg += "<line x1=\"" + place(kLeft) + "\" x2=\"" + place(kWidth) + "\" y1=\"" + y + "\" y2=\"" +
           y + "\" stroke=\"#8885\"/><text x=\"4\" y=\"" + y + "\" font-size=\"11\">" + number(v) +
           "</text>";
  }
  if (mark >= l.left && mark <= l.right) {
    svg += "<line x1=\"" + place(l.x(mark)) + "\" x2=\"" + place(l.x(mark)) + "\" y1=\"0\" y2=\"" +
           place(kHeight - kBottom) + "\" stroke=\"#888\" stroke-dasharray=\"4\"/><text x=\"" +
           place(l.x(mark) + 3) + "\" y=\"12\" font-size=\"11\">quantization</text>";
  }
  double legend = kLeft;
  for (const Curve& c : curves) {
    svg += "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + c.color + "\" points=\"";
    for (const auto& [x, y] : c.points) {
      if (std::isfinite(y)) svg += place(l.x(x)) + "," + place(l.y(y)) + " ";
    }
    svg += "\"/><text x=\"" + place(legend) + "\" y=\"" + place(kHeight - 6) +
           "\" font-size=\"12\" fill=\"" + c.color + "\" style=\"fill:" + c.color + "\">" +
           markup_escaped(c.name) + "</text>";
    legend += 14 + 7.5 * static_cast<double>(c.name.size());
  }
  return svg + "</svg>\n";
}

std::string curves_of(const RunPage& page) {
  Curve train{"training", "#c2410c", {}}, valid{"validation", "#1d4ed8", {}};
  Curve train_top1 = train, valid_top1 = valid, rate{"learning rate", "#15803d", {}};
  Curve precision{"validation", "#1d4ed8", {}};
  double mark = -1;
  for (const EpochRow& r : page.epochs) {
    const double e = r.epoch;
    if (r.quantized && mark < 0) mark = e;
    train.points.emplace_back(e, r.train_loss);
    valid.points.emplace_back(e, r.validation_loss);
    rate.points.emplace_back(e, r.rate);
    if (r.train_top1) train_top1.points.emplace_back(e, *r.train_top1);
    if (r.validation_map) precision.points.emplace_back(e, *r.validation_map);
    if (r.validation_top1) valid_top1.points.emplace_back(e, *r.validation_top1);
  }
  return chart("Loss", {train, valid}, mark) + chart("Top1, %", {train_top1, valid_top1}, mark) +
         chart("mAP, %", {precision}, mark) + chart("Learning rate", {rate}, mark);
}

std::string layers_of(const RunPage& page) {
  static constexpr const char* kColors[] = {"#c2410c", "#1d4ed8", "#15803d", "#7e22ce",
                                            "#b45309", "#0e7490", "#be185d", "#4d7c0f"};
  std::vector<Curve> shifts, saturated, clamped;
  std::string table =
      "<table><tr><th>layer</th><th>shift</th><th>largest weight</th><th>saturated, %</th>"
      "<th>outputs at -128, %</th><th>at 127, %</th>"
      "<th>weights, from -largest to largest</th></tr>";
  const int last = page.layers.empty() ? 0 : page.layers.back().epoch;
  for (const LayerRow& r : page.layers) {
    auto at = std::find_if(shifts.begin(), shifts.end(),
                           [&](const Curve& c) { return c.name == r.layer; });
    if (at == shifts.end()) {
      const char* color = kColors[shifts.size() % std::size(kColors)];
      saturated.push_back({r.layer, color, {}});
      clamped.push_back({r.layer, color, {}});
      at = shifts.insert(shifts.end(), {r.layer, color, {}});
    }
    at->points.emplace_back(r.epoch, r.shift);
    const auto own = static_cast<size_t>(at - shifts.begin());
    saturated[own].points.emplace_back(r.epoch, r.saturated);
    clamped[own].points.emplace_back(r.epoch, r.low + r.high);
    if (r.epoch != last) continue;
    const int64_t most = *std::max_element(r.buckets.begin(), r.buckets.end());
    std::string bars = "<svg width=\"160\" height=\"32\">";
    for (size_t b = 0; b < r.buckets.size(); ++b) {
      const double h = 30.0 * static_cast<double>(r.buckets[b]) /
                       static_cast<double>(std::max<int64_t>(most, 1));
      bars += "<rect x=\"" + std::to_string(10 * b) + "\" width=\"9\" y=\"" + place(32 - h) +
              "\" height=\"" + place(h) + "\" fill=\"#1d4ed8\"/>";
    }
    table += "<tr><td>" + markup_escaped(r.layer) + "</td><td>" + std::to_string(r.shift) +
             "</td><td>" + number(r.largest) + "</td><td>" + number(r.saturated) + "</td><td>" +
             number(r.low) + "</td><td>" + number(r.high) + "</td><td>" + bars + "</svg></td></tr>";
  }
  if (shifts.empty()) return "";
  return "<h2>Layers</h2>" + table + "</table>\n" + chart("Shift of each layer", shifts, -1) +
         chart("Saturated weights, %", saturated, -1) +
         chart("Outputs at the limits of 8 bits, %", clamped, -1);
}

std::string confusion_of(const RunPage& page) {
  if (page.test == nullptr || !page.test->classes) return "";
  const auto& rows = page.test->confusion;
  if (rows.size() > kMostConfusion) return "<p>confusion.csv has the classes.</p>";
  std::string html = "<h2>Confusion</h2><table><tr><th>true \\ predicted</th>";
  for (size_t c = 0; c < rows.size(); ++c)
    html += "<th>" + markup_escaped(page.classes[c]) + "</th>";
  html += "</tr>";
  for (size_t r = 0; r < rows.size(); ++r) {
    int64_t items = 0;
    for (const int64_t n : rows[r]) items += n;
    html += "<tr><th>" + markup_escaped(page.classes[r]) + "</th>";
    for (size_t c = 0; c < rows.size(); ++c) {
      const double share =
          items == 0 ? 0 : static_cast<double>(rows[r][c]) / static_cast<double>(items);
      char style[96];
      std::snprintf(style, sizeof style, "<td style=\"background:rgba(%s,%.2f)\">",
                    r == c ? "29,78,216" : "194,65,12", share * 0.7);
      html += style + std::to_string(rows[r][c]) + "</td>";
    }
    html += "</tr>";
  }
  return html + "</table>\n";
}

// The first classes; the axis to the right is the recall.
std::string precision_of(const RunPage& page) {
  static constexpr const char* kColors[] = {"#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#b45309",
                                            "#0e7490", "#be185d", "#4d7c0f", "#57534e", "#0f766e"};
  std::vector<Curve> curves;
  for (size_t c = 0; c < page.curves.size() && curves.size() < std::size(kColors); ++c) {
    Curve curve{page.classes[c], kColors[curves.size()], {}};
    for (size_t t = 0; t < kThresholds; ++t) {
      if (page.curves[c].own[t] == 0) continue;
      curve.points.emplace_back(page.curves[c].recall(t), page.curves[c].precision(t));
    }
    if (curve.points.size() > 1) curves.push_back(std::move(curve));
  }
  return chart("Precision over recall", curves, -1);
}

// Average precision of each class of objects.
std::string precisions_of(const RunPage& page) {
  std::string html =
      "<h2>Classes</h2><table><tr><th>class</th><th>objects</th><th>found</th><th>AP, %</th>"
      "<th>AP at an overlap of 0.5, %</th></tr>";
  for (size_t c = 0; c < page.test->precision.size(); ++c) {
    const AveragePrecision& own = page.test->precision[c];
    html += "<tr><th>" + markup_escaped(page.classes[c]) + "</th><td>" +
            std::to_string(own.objects) + "</td><td>" + std::to_string(own.found) + "</td><td>" +
            place(own.mean) + "</td><td>" + place(own.half) + "</td></tr>";
  }
  return html + "</table>\n";
}

// Precision and recall of each class.
std::string scores_of(const RunPage& page) {
  if (page.test != nullptr && page.test->detects) return precisions_of(page);
  if (page.test == nullptr || !page.test->classes) return "";
  const auto& rows = page.test->confusion;
  std::string html =
      "<h2>Classes</h2><table><tr><th>class</th><th>items</th><th>precision, %</th>"
      "<th>recall, %</th></tr>";
  for (size_t c = 0; c < rows.size(); ++c) {
    int64_t items = 0, predicted = 0;
    for (size_t k = 0; k < rows.size(); ++k) {
      items += rows[c][k];
      predicted += rows[k][c];
    }
    const auto share = [&](int64_t of) {
      return of == 0 ? ""
                     : place(100.0 * static_cast<double>(rows[c][c]) / static_cast<double>(of));
    };
    html += "<tr><th>" + markup_escaped(page.classes[c]) + "</th><td>" + std::to_string(items) +
            "</td><td>" + share(predicted) + "</td><td>" + share(items) + "</td></tr>";
  }
  return html + "</table>\n";
}

// Frames that lie on the picture, with the class as their title.
std::string boxes_of(const WorstItem& item) {
  std::string html;
  for (const DrawnBox& b : item.boxes) {
    const auto part = [](float v) { return 100 * std::clamp(static_cast<double>(v), 0.0, 1.0); };
    const double left = part(b.corners[0]), top = part(b.corners[1]);
    char style[128];
    std::snprintf(style, sizeof style, "left:%.2f%%;top:%.2f%%;width:%.2f%%;height:%.2f%%", left,
                  top, part(b.corners[2]) - left, part(b.corners[3]) - top);
    html += std::string("<i class=\"") + (b.found ? "found" : "true") + "\" title=\"" +
            markup_escaped(b.name) + "\" style=\"" + style + "\"></i>";
  }
  return html;
}

std::string worst_of(const RunPage& page) {
  if (page.worst.empty()) return "";
  std::string html = "<h2>Worst items</h2>";
  const bool objects = page.test != nullptr && page.test->detects;
  if (objects) {
    html +=
        "<p>Blue: true objects. Vermilion, broken: what is found with a score of 0.3 and "
        "above.</p>";
  }
  for (const WorstItem& w : page.worst) {
    html += "<figure>";
    if (!w.picture.empty()) {
      html += "<div class=\"item\"><img alt=\"\" src=\"data:image/png;base64," +
              base64_of(w.picture) + "\">" + boxes_of(w) + "</div>";
    }
    const bool classes = !w.truth.empty();
    html += "<figcaption>" + std::to_string(w.item) + ": " +
            (classes ? markup_escaped(w.truth) + ", taken for " + markup_escaped(w.predicted) + "; "
                     : std::string()) +
            "loss " + number(w.loss) + "</figcaption></figure>";
  }
  return html + "\n";
}

std::string projection_part(const RunPage& page) {
  const std::string svg = projection_svg(page.projection, page.classes);
  if (svg.empty()) return "";
  return "<h2>Outputs</h2><p>Outputs of the test items along the two directions in which they vary "
         "most, by their true class.</p>" +
         svg + "\n";
}

}  // namespace

std::string run_page(const RunPage& page) {
  std::string html = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">";
  if (!page.done) html += "<meta http-equiv=\"refresh\" content=\"5\">";
  html += "<title>" + markup_escaped(page.title) + "</title><style>" + kStyle +
          "</style></head><body><h1>" + markup_escaped(page.title) + "</h1>";
  if (page.is_run) {
    html += page.done ? "<p>The run is done.</p>"
                      : "<p>The run goes on; this page loads itself again.</p>";
  }
  if (page.test != nullptr) {
    html += std::string("<p>") + (page.is_run ? "Test items: " : "") +
            markup_escaped(score_text(*page.test, page.kind)) + "</p>";
  }
  if (!page.verdict.empty()) html += "<p>" + markup_escaped(page.verdict) + "</p>";
  if (!page.remarks.empty()) html += "<ul>";
  for (const std::string& r : page.remarks) html += "<li>" + markup_escaped(r) + "</li>";
  if (!page.remarks.empty()) html += "</ul>";
  if (!page.command.empty()) html += "<pre>" + markup_escaped(page.command) + "</pre>";
  html += curves_of(page) + layers_of(page) + scores_of(page) + precision_of(page) +
          projection_part(page) + confusion_of(page) + worst_of(page);
  if (!page.settings.empty()) {
    html += "<details><summary>Settings</summary><pre>" + markup_escaped(page.settings) +
            "</pre></details>";
  }
  return html + "</body></html>\n";
}

}  // namespace edgetwin::train
