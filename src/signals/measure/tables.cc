#include "signals/measure/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/chart.h"
#include "signals/fft/network.h"
#include "signals/fft/theory.h"
#include "signals/measure/costs.h"
#include "signals/measure/espdl.h"
#include "signals/measure/measure.h"

namespace edgetwin::signals {
namespace {

constexpr uint32_t kSeed = 7;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Enough for a tenth of a decibel or two.
size_t frames_of(size_t size) { return std::clamp<size_t>(8192 / size, 2, 8); }

struct TableColumn {
  FftForm form;
  FftNumber number;
  FftScaling scaling;
};
constexpr TableColumn kColumns[] = {
    {FftForm::butterfly, FftNumber::int8, FftScaling::worst},
    {FftForm::butterfly, FftNumber::int8, FftScaling::noise},
    {FftForm::butterfly, FftNumber::int8, FftScaling::calibrated},
    {FftForm::matrix, FftNumber::int8, FftScaling::worst},
    {FftForm::matrix, FftNumber::int8, FftScaling::calibrated},
    {FftForm::butterfly, FftNumber::int16, FftScaling::worst},
    {FftForm::butterfly, FftNumber::int16, FftScaling::calibrated},
    {FftForm::matrix, FftNumber::int16, FftScaling::calibrated},
};

struct Cell {
  double theory = kNone, tflite = kNone, edgetpu = kNone;
};

std::string decibels(double value) { return decimals(value, 1); }

bool is_measured(FftForm form, int size) {
  return form == FftForm::butterfly || size <= kMostMeasuredMatrix;
}

Result<Cell> cell_of(const TableColumn& c, int size, bool tones) {
  if (!is_measured(c.form, size)) return Cell{};
  const FftOptions o{size, 1, c.form, c.scaling, c.number};
  const auto n = static_cast<size_t>(size);
  FftReach reach = fft_reach(o);
  const auto samples =
      tones ? test_tones(frames_of(n) * n, kSeed) : test_noise(frames_of(n) * n, kSeed);
  if (c.scaling == FftScaling::calibrated) {
    EDGETWIN_TRY_ASSIGN(reach, calibrated_reach(o, tones ? samples : calibration_noise(n)));
  }
  EDGETWIN_TRY_ASSIGN(const Model model, fft_network(o, reach));
  const auto network = std::make_shared<const Graph>(model.main());
  Cell cell;
  if (!tones) cell.theory = expected_snr(o, reach, kNoiseLevel);
  EDGETWIN_TRY_ASSIGN(const FftQuality tflite,
                      measure_fft(network, input_order(c.form), samples, "tflite"));
  cell.tflite = tflite.snr;
  if (c.number == FftNumber::int16) return cell;
  EDGETWIN_TRY_ASSIGN(const FftQuality edgetpu,
                      measure_fft(network, input_order(c.form), samples, "edgetpu"));
  cell.edgetpu = edgetpu.snr;
  return cell;
}

std::string text_of(const Cell& cell, const TableColumn& c, bool tones) {
  if (std::isnan(cell.tflite)) return "–";
  std::string text = tones ? "" : decibels(cell.theory) + " / ";
  text += decibels(cell.tflite);
  if (c.number == FftNumber::int8) text += " / " + decibels(cell.edgetpu);
  return text;
}

Result<std::vector<std::string>> espdl_row(int size) {
  std::vector<std::string> row = {std::to_string(size)};
  const auto n = static_cast<size_t>(size);
  const auto samples = test_noise(frames_of(n) * n, kSeed);
  for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
    const FftOptions o{size, 1, form, FftScaling::worst, FftNumber::float32};
    for (const int bits : {8, 16}) {
      std::string text;
      for (const auto& [target, numerics] : {std::pair(espdl::Target::esp32s3, "espdl-s3"),
                                             std::pair(espdl::Target::esp32p4, "espdl-p4")}) {
        if (!is_measured(form, size)) continue;
        EDGETWIN_TRY_ASSIGN(Graph made, espdl_fft(o, target, bits, calibration_noise(n)));
        EDGETWIN_TRY_ASSIGN(const FftQuality quality,
                            measure_fft(std::make_shared<const Graph>(std::move(made)),
                                        input_order(form), samples, numerics));
        text += (text.empty() ? "" : " / ") + decibels(quality.snr);
      }
      row.push_back(text.empty() ? "–" : text);
    }
  }
  return row;
}

}  // namespace

Result<std::string> tflite_fft_table(bool tones) {
  std::vector<std::string> titles = {"N"};
  for (const TableColumn& c : kColumns) {
    titles.push_back(std::string(name(c.form)) + " " + std::string(name(c.number)) + " " +
                     std::string(name(c.scaling)));
  }
  std::string text = table_head(titles);
  for (int size = kLeastFft; size <= kMostFft; size *= 2) {
    std::vector<std::string> row = {std::to_string(size)};
    for (const TableColumn& c : kColumns) {
      EDGETWIN_TRY_ASSIGN(const Cell cell, cell_of(c, size, tones));
      row.push_back(text_of(cell, c, tones));
    }
    text += table_line(row);
  }
  return text;
}

Result<std::string> espdl_fft_table() {
  std::string text = table_head(
      {"N", "butterfly int8, S3 / P4", "butterfly int16", "matrix int8", "matrix int16"});
  for (const int size : {16, 64, 256}) {
    EDGETWIN_TRY_ASSIGN(const auto row, espdl_row(size));
    text += table_line(row);
  }
  return text;
}

namespace {

Status add_series(const TableColumn& c, plot::Color color, plot::Panel& panel) {
  plot::Series theory, measured;
  theory.label = std::string(name(c.form)) + " " + std::string(name(c.scaling));
  theory.color = measured.color = color;
  measured.style = plot::Series::Style::points;
  measured.width = 6;
  for (int size = kLeastFft; size <= kMostFft; size *= 2) {
    EDGETWIN_TRY_ASSIGN(const Cell cell, cell_of(c, size, false));
    theory.x.push_back(std::log2(size));
    theory.y.push_back(cell.theory);
    measured.x.push_back(theory.x.back());
    measured.y.push_back(cell.tflite);
  }
  panel.series.push_back(std::move(theory));
  panel.series.push_back(std::move(measured));
  return Ok{};
}

}  // namespace

Result<Bytes> fft_chart() {
  constexpr plot::Color kColors[] = {plot::kRed, plot::kOrange, plot::kGreen, plot::kBlue,
                                     plot::kPurple};
  plot::Chart chart;
  chart.title = "Fourier transforms in integers";
  chart.subtitle = "points: the twin of TensorFlow Lite; lines: theory; noise of 1/4";
  chart.x_label = "log2 N";
  for (const FftNumber number : {FftNumber::int8, FftNumber::int16}) {
    plot::Panel panel;
    panel.y_label = std::string(name(number)) + ": signal to noise, dB";
    for (const TableColumn& c : kColumns) {
      if (c.number != number) continue;
      EDGETWIN_TRY(add_series(c, kColors[panel.series.size() / 2], panel));
    }
    chart.panels.push_back(std::move(panel));
  }
  return plot::render_png(chart);
}

Result<std::string> with_table(std::string document, const std::string& name,
                               const std::string& table) {
  const std::string begin = "<!-- " + name + " -->\n", end = "<!-- end " + name + " -->\n";
  const size_t from = document.find(begin), to = document.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    return Error(ErrorCode::bad_value, "the document has no place for the table '" + name + "'");
  }
  return document.replace(from + begin.size(), to - from - begin.size(), table);
}

Result<std::string> with_fft_tables(std::string document) {
  EDGETWIN_TRY_ASSIGN(const std::string noise, tflite_fft_table(false));
  EDGETWIN_TRY_ASSIGN(document, with_table(std::move(document), "fft noise", noise));
  EDGETWIN_TRY_ASSIGN(const std::string tones, tflite_fft_table(true));
  EDGETWIN_TRY_ASSIGN(document, with_table(std::move(document), "fft tones", tones));
  EDGETWIN_TRY_ASSIGN(const std::string espdl, espdl_fft_table());
  EDGETWIN_TRY_ASSIGN(document, with_table(std::move(document), "fft espdl", espdl));
  EDGETWIN_TRY_ASSIGN(const std::string costs, fft_cost_table());
  return with_table(std::move(document), "fft costs", costs);
}

}  // namespace edgetwin::signals
