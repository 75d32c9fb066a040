#include "lut/pictures.h"

#include <algorithm>
#include <cmath>

#include "plot/chart.h"

namespace edgetwin::lut {
namespace {

using plot::Chart;
using plot::Panel;
using plot::Series;

constexpr double kMainHeight = 2.0;
constexpr size_t kMaxName = 60;

std::string parameters_text(const TableSpec& spec) {
  std::string text = "input 2^" + std::to_string(spec.in_exponent) + ", output 2^" +
                     std::to_string(spec.out_exponent) + ", " + std::to_string(spec.bits) + " bits";
  if (spec.bits == 16) text += ", step " + std::to_string(spec.step);
  text += spec.rounding == Rounding::half_even ? ", half even" : ", half up";
  return text;
}

std::string title(std::string_view layer, const Report& report, std::string_view what) {
  std::string text(what);
  text += ": " + function_name(report.spec);
  // The end of a long name tells more than its start.
  const bool cut = layer.size() > kMaxName;
  const std::string_view shown = cut ? layer.substr(layer.size() - kMaxName) : layer;
  if (!layer.empty()) text += std::string(cut ? " (..." : " (") + std::string(shown) + ")";
  return text;
}

double real_input(const TableSpec& spec, int q) { return std::ldexp(q, spec.in_exponent); }

// Limited to what the output can hold, so that poles do not flatten everything else.
double shown(const TableSpec& spec, double y) {
  const double limit = std::ldexp(-lowest_input(spec.bits), spec.out_exponent);
  return std::clamp(y, -limit, limit);
}

Series function_series(const TableSpec& spec) {
  Series s = {function_name(spec), plot::kGrey, Series::Style::line, 6.0, {}, {}};
  for (int q = lowest_input(spec.bits); q < -lowest_input(spec.bits); ++q) {
    s.x.push_back(real_input(spec, q));
    s.y.push_back(shown(spec, static_cast<double>(real_value(spec, q))));
  }
  s.color = {176, 190, 208};
  return s;
}

void add_rule(const TableSpec& spec, const RuleReport& rule, plot::Color color, double width,
              Panel& values, Panel& errors) {
  if (!rule.runs) return;
  const std::string text(name(rule.rule));
  Series value = {text, color, Series::Style::line, width, {}, {}};
  Series error = {text + ", largest " + std::to_string(rule.deviation.largest),
                  color,
                  Series::Style::line,
                  1.2,
                  {},
                  {}};
  int q = lowest_input(spec.bits);
  TableSpec full = spec;
  full.step = 1;
  for (const int16_t output : rule.outputs) {
    const double x = real_input(spec, q);
    value.x.push_back(x);
    value.y.push_back(std::ldexp(output, spec.out_exponent));
    error.x.push_back(x);
    error.y.push_back(output - rounded_value(full, q));
    ++q;
  }
  values.series.push_back(std::move(value));
  errors.series.push_back(std::move(error));
}

}  // namespace

Result<Bytes> parity_picture(std::string_view layer, const Report& report, const Tensor& table) {
  const TableSpec& spec = report.spec;
  Series entries = {"entries", plot::kBlue, Series::Style::points, 5.0, {}, {}};
  Series errors = {"entry - function", plot::kRed, Series::Style::line, 1.2, {}, {}};
  for (int64_t i = 0; i < report.parity.entries; ++i) {
    const int q = lowest_input(spec.bits) + static_cast<int>(i) * spec.step;
    const double entry = element_as_double(table.dtype, table.data, i);
    entries.x.push_back(real_input(spec, q));
    entries.y.push_back(std::ldexp(entry, spec.out_exponent));
    errors.x.push_back(real_input(spec, q));
    errors.y.push_back(entry - rounded_value(spec, q));
  }
  if (report.parity.entries > 300) entries.width = 3.0;
  Chart chart;
  chart.title = title(layer, report, "Parity of entries");
  chart.subtitle = parameters_text(spec) + "; " + std::to_string(report.form.count) + " entries, " +
                   std::to_string(report.parity.differing) + " differ, largest " +
                   std::to_string(report.parity.largest) + " LSB";
  chart.x_label = "input (real value)";
  chart.panels = {
      {"output (real value)", {function_series(spec), std::move(entries)}, kMainHeight, {}},
      {"difference (LSB)", {std::move(errors)}, 1.0, {}}};
  if (report.parity.differing == 0) chart.panels[1].y_range = plot::Range{-1.0, 1.0};
  return plot::render_png(chart);
}

Result<Bytes> sweep_picture(std::string_view layer, const Report& report) {
  const TableSpec& spec = report.spec;
  Chart chart;
  chart.title = title(layer, report, "All inputs");
  chart.subtitle = parameters_text(spec);
  chart.x_label = "input (real value)";
  Panel values = {"output (real value)", {function_series(spec)}, kMainHeight, {}};
  Panel errors = {"error (LSB)", {}, 1.0, {}};
  if (spec.bits == 16 && spec.step > 1) {
    add_rule(spec, report.nearest, plot::kOrange, 2.0, values, errors);
    add_rule(spec, report.interpolate, plot::kBlue, 1.6, values, errors);
  } else {
    add_rule(spec, report.interpolate, plot::kBlue, 1.6, values, errors);
    values.series.back().label = "table";
  }
  const bool flat =
      report.interpolate.deviation.largest == 0 && report.nearest.deviation.largest == 0;
  if (flat) errors.y_range = plot::Range{-1.0, 1.0};
  chart.panels = {std::move(values), std::move(errors)};
  return plot::render_png(chart);
}

}  // namespace edgetwin::lut
