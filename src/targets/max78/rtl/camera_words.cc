// Words out of a camera's signals.
#include <array>
#include <charconv>

#include "targets/max78/rtl/camera.h"

namespace edgetwin::max78 {
namespace {

// A sample of 8 bits is taken where the clock rises while href is high.
class Receiver {
 public:
  Receiver(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  Status run() {
    if (!next(kCameraHeader)) return bad("the first line is not `vsync,href,pclk,d`");
    bool high = false, row = false;
    while (!rest_.empty()) {
      std::array<int, 3> bit{};
      for (int& b : bit) {
        if (!next("0,") && !next("1,")) return bad("a signal is not 0 or 1");
        b = taken_ == "1," ? 1 : 0;
      }
      uint32_t value = 0;
      const auto [end, error] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 16);
      const auto digits = static_cast<size_t>(end - rest_.data());
      if (error != std::errc() || digits != 2 || rest_.size() < 3 || *end != '\n') {
        return bad("the data is not two hexadecimal digits");
      }
      rest_.remove_prefix(3);
      ++line_;
      if (bit[1] != 0 && !row) rows_.emplace_back();
      row = bit[1] != 0;
      if (bit[2] != 0 && !high && row) rows_.back().push_back(static_cast<uint8_t>(value));
      high = bit[2] != 0;
    }
    return Ok{};
  }

  Error bad(const std::string& what) const {
    Error e(ErrorCode::max78_program_text, what);
    e.place.file = name_;
    e.place.line = line_;
    return std::move(e).with_hint("`compile --rtl --input-csv NAME` writes such a file.");
  }

  const std::vector<std::vector<uint8_t>>& rows() const { return rows_; }

 private:
  static constexpr std::string_view kCameraHeader = "vsync,href,pclk,d\n";

  bool next(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    taken_ = word;
    rest_.remove_prefix(word.size());
    if (word == kCameraHeader) ++line_;
    return true;
  }

  std::string_view rest_, taken_;
  std::string name_;
  int line_ = 1;
  std::vector<std::vector<uint8_t>> rows_;
};

// Pixels of two bytes as three channels; what was lost is 0. A byte left over stays.
std::vector<std::vector<uint8_t>> unpacked(const std::vector<std::vector<uint8_t>>& rows,
                                           bool six) {
  std::vector<std::vector<uint8_t>> to;
  for (const auto& row : rows) {
    auto& bytes = to.emplace_back();
    for (size_t i = 0; i + 1 < row.size(); i += 2) {
      const uint32_t word = uint32_t{row[i]} << 8 | row[i + 1];
      const uint32_t high = six ? word >> 11 << 3 : word >> 10 << 3;
      const uint32_t middle = six ? (word >> 5 & 0x3fU) << 2 : (word >> 5 & 0x1fU) << 3;
      for (const uint32_t v : {high, middle, word << 3}) bytes.push_back(static_cast<uint8_t>(v));
    }
    if (row.size() % 2 != 0) bytes.push_back(row.back());
  }
  return to;
}

}  // namespace

bool is_camera_csv(const std::string& text) { return text.starts_with("vsync,href,pclk,d\n"); }

Result<std::vector<uint32_t>> camera_words(const std::string& csv, const std::string& name,
                                           uint32_t rounds, size_t fifos, int format) {
  Receiver receiver(csv, name);
  EDGETWIN_TRY(receiver.run());
  const std::vector<std::vector<uint8_t>> rows =
      format == 888 ? receiver.rows() : unpacked(receiver.rows(), format == 565);
  size_t bytes = 0;
  for (const auto& row : rows) bytes += row.size();
  // With one FIFO a pixel of up to four channels is a word; with several a word has four pixels.
  const size_t pixels = size_t{rounds} * (fifos > 1 ? 4 : 1);
  const size_t channels = fifos > 1 ? fifos : pixels == 0 ? 0 : bytes / pixels;
  if (channels < 1 || channels > 4 || bytes != pixels * channels) {
    return receiver.bad("the signals do not have the program's words")
        .detail(std::to_string(bytes) + " bytes in " + std::to_string(rows.size()) +
                " rows; the program takes " + std::to_string(rounds) + " words for " +
                std::to_string(fifos) + (fifos == 1 ? " FIFO" : " FIFOs"));
  }
  std::vector<uint32_t> words;
  for (const auto& row : rows) {
    if (fifos == 1) {
      if (row.size() % channels != 0) return receiver.bad("a row ends within a pixel");
      for (size_t i = 0; i < row.size(); i += channels) {
        uint32_t word = 0;
        for (size_t c = 0; c < channels; ++c) word |= uint32_t{row[i + c]} << (8 * c);
        words.push_back(word);
      }
      continue;
    }
    if (row.size() % (4 * channels) != 0) return receiver.bad("a row ends within four pixels");
    for (size_t i = 0; i < row.size(); i += 4 * channels) {
      for (size_t c = 0; c < channels; ++c) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4; ++k) word |= uint32_t{row[i + k * channels + c]} << (8 * k);
        words.push_back(word);
      }
    }
  }
  return words;
}

}  // namespace edgetwin::max78
