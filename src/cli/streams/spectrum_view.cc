#include "cli/streams/spectrum_view.h"

#include <algorithm>

#include "base/bytes.h"
#include "cli/streams/sources.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr size_t kLineWidth = 64;
constexpr int kRowsOfEndless = 32;  // of sources without an end, where --rows is not given
// A picture has no more rows, and a terminal no more lines, than one wants to see.
constexpr size_t kMostRows = 16384;

// "-0.1", never "-0.0"; digits are not grouped.
std::string tidy(double value, int digits) {
  std::string text = report::fixed_text(value, digits);
  std::erase(text, ' ');
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text.starts_with("-") ? text.substr(1) : text;
}

// The place of the strongest line, for people and for the document.
Json line_of(const std::vector<float>& row, double rate, double centre, std::string& text) {
  const size_t peak = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  const double share = signals::frequency_of(peak, row.size());
  Json json = Json::object();
  json.set("peak_db", static_cast<double>(row[peak])).set("peak_place", share);
  text = tidy(static_cast<double>(row[peak]), 1) + " dB at ";
  if (rate > 0.0) {
    text += tidy(centre + share * rate, 0) + " Hz";
    json.set("peak_hz", centre + share * rate);
  } else {
    text += tidy(share, 4) + " of the rate";
  }
  return json;
}

// complex64 as NumPy has it: pairs of float32, one row a transform.
Result<Bytes> complex_npy(const std::vector<std::complex<float>>& numbers, size_t size) {
  std::string header = "{'descr': '<c8', 'fortran_order': False, 'shape': (" +
                       std::to_string(numbers.size() / size) + ", " + std::to_string(size) + "), }";
  constexpr size_t kBefore = 10;  // magic, version, length of the header
  header += std::string(63 - (kBefore + header.size()) % 64, ' ') + "\n";
  ByteWriter w;
  w.append(as_byte_span("\x93NUMPY\x01"), "magic");
  w.write(uint8_t{0}, "version");
  w.write(static_cast<uint16_t>(header.size()), "length");
  w.append(as_byte_span(header), "header");
  w.append(std::as_bytes(std::span(numbers)), "numbers");
  return w.bytes();
}

}  // namespace

Status SpectrumView::show(signals::SampleSource& source, const StreamTransform& transform,
                          bool keep_spectra) {
  console_.print(source.description() + "\n");
  EDGETWIN_TRY_ASSIGN(const auto packing,
                      signals::FftPacking::create(transform.input, transform.order));
  size_ = packing.size();
  const auto window =
      a_.window.empty() ? signals::Window::hann : signals::window_by_name(a_.window);
  signals::StreamOptions options{*window, a_.overlap / 100.0, std::max(a_.average, 1), a_.rows};
  if (options.rows == 0 && is_endless(a_)) options.rows = kRowsOfEndless;
  signals::StreamSinks sinks{nullptr,
                             [&](const std::vector<float>& row) { return take(row, source); }};
  if (keep_spectra) {
    sinks.frame = [this](std::span<const std::complex<float>> spectrum) -> Status {
      numbers_.insert(numbers_.end(), spectrum.begin(), spectrum.end());
      return Ok{};
    };
  }
  EDGETWIN_TRY_ASSIGN(const auto summary,
                      signals::stream_spectrum(source, transform.input, transform.order, options,
                                               transform.compute, sinks));
  finish(summary, source);
  return Ok{};
}

Result<bool> SpectrumView::take(const std::vector<float>& row,
                                const signals::SampleSource& source) {
  if (rows_.empty()) first_ = signals::range_of({row});
  std::string text;
  lines_.push(line_of(row, source.sample_rate(), source.centre(), text));
  console_.print("|" + signals::waterfall_line(row, kLineWidth, first_) + "| " + text + "\n");
  rows_.push_back(row);
  return rows_.size() < kMostRows;
}

void SpectrumView::finish(const signals::StreamSummary& s, const signals::SampleSource& source) {
  const uint64_t lost = source.lost(), rest = source.rest();
  console_.print(std::to_string(s.samples) + " samples, " + std::to_string(s.frames) +
                 " transforms, " + std::to_string(s.rows) + " rows\n");
  const auto say = [this](uint64_t count, const char* what) {
    if (count > 0) console_.print(std::to_string(count) + what);
  };
  say(s.unused, " samples at the end fill no transform\n");
  say(rest, " bytes at the end are no whole sample\n");
  say(s.cut_off, " parts of samples are beyond the input's range and were cut off\n");
  say(lost, " samples came faster than they were computed and are lost\n");
  summary_.set("source", source.description()).set("samples", s.samples);
  summary_.set("transforms", s.frames).set("unused", s.unused).set("rest_bytes", rest);
  summary_.set("cut_off", s.cut_off).set("lost", lost).set("rows", std::move(lines_));
  console_.json().merge(summary_);
}

Result<Bytes> SpectrumView::waterfall() const {
  return signals::waterfall_png(rows_, signals::range_of(rows_));
}
Result<Bytes> SpectrumView::spectra() const { return complex_npy(numbers_, size_); }

}  // namespace edgetwin::cli
