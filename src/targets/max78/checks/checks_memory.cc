// Rules on data memory: sizes, and what overwrites what. Source: specification "network" 5,
// "memory" 7 and 8.
#include <algorithm>

#include "targets/max78/checks/checks.h"
#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

constexpr int64_t kMostWords = int64_t{1} << 21;  // of a picture, passes counted
constexpr int kRamBytes = 16384;                  // of MAX78002's data memories

void check_readahead(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (!l.yaml->readahead || plan.small()) return;
  const int64_t in_bytes = int64_t{4} * l.in_dim.h * l.in_dim.w * l.in_expand * l.operands;
  const int64_t out_bytes =
      int64_t{4} * l.out_dim.h * l.out_dim.w * l.out_expand * l.output_width / 8;
  const auto rams = [](int64_t offset, int64_t bytes) {
    return std::pair{offset / kRamBytes, (offset + bytes - 1) / kRamBytes};
  };
  const auto in = rams(l.in_offset, in_bytes), out = rams(l.out_offset, out_bytes);
  if (in.second < out.first || out.second < in.first || (l.processors & l.out_processors) == 0)
    return;
  add_finding(findings, plan, Rule::readahead_memory, l.index,
              "input in blocks " + std::to_string(in.first) + " to " + std::to_string(in.second) +
                  ", output in " + std::to_string(out.first) + " to " + std::to_string(out.second),
              {}, ai8x::Key::readahead);
}

// One bit for every word of the data memories.
class WordMap {
 public:
  explicit WordMap(const Limits& chip)
      : words_(chip.instance_words), bits_(static_cast<size_t>(16 * chip.instance_words / 64), 0) {}

  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  bool inside(int64_t word) const { return word >= 0 && word < words_; }
  bool at(int instance, int64_t word) const {
    const size_t n = place(instance, word);
    return ((bits_[n / 64] >> (n % 64)) & 1U) != 0;
  }
  void set(int instance, int64_t word) {
    const size_t n = place(instance, word);
    bits_[n / 64] |= uint64_t{1} << (n % 64);
  }
  void add(const WordMap& other) {
    for (size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }

 private:
  size_t place(int instance, int64_t word) const {
    return static_cast<size_t>(instance * words_ + word);
  }
  int64_t words_;
  std::vector<uint64_t> bits_;
};

class Tracker {
 public:
  Tracker(Findings& findings, const HardwarePlan& plan)
      : findings_(findings),
        plan_(plan),
        live_(*plan.chip),
        kept_(*plan.chip),
        written_(*plan.chip) {}

  void run() {
    if (!plan_.options.use_fifo()) input(plan_.layer(plan_.start));
    for (const int i : plan_.order) {
      const HardwareLayer& l = plan_.layer(i);
      written_.clear();
      // What streaming layers write is gone before they end: the vendor does not track it either.
      if (!l.streaming) output(l);
      if (l.output) kept_.add(written_);
      const bool next_streams = l.next != ai8x::kStop && plan_.layer(l.next).streaming;
      if (!next_streams) live_.clear();
      live_.add(written_);
      live_.add(kept_);
    }
  }

 private:
  void input(const HardwareLayer& l) {
    const int64_t pixels = int64_t{l.in_dim.h} * l.in_dim.w;
    const int64_t words = l.yaml->big_data ? (pixels + 3) / 4 : pixels * l.in_expand * l.operands;
    for (int i = 0; i < 16; ++i) {
      if (((l.processors >> (4 * i)) & 0xfU) == 0) continue;
      for (int64_t w = 0; w < words; ++w) {
        if (live_.inside(l.in_offset / 4 + w)) live_.set(i, l.in_offset / 4 + w);
      }
    }
  }

  void output(const HardwareLayer& l) {
    const Region r = region_of(l);
    for (int pass = 0; pass < r.expand; ++pass) {
      for (const Quad& q : quads_of(r, pass)) {
        for (int b = 0; b < (r.width == 32 ? 4 : 1); ++b) {
          if (r.width == 32 && ((q.bits >> b) & 1U) == 0) continue;
          if (!words(l, r, pass, q.quad, b)) return;
        }
      }
    }
  }

  // All pixels of a pass in one data memory. False after a finding: one per layer is enough.
  bool words(const HardwareLayer& l, const Region& r, int pass, int quad, int byte) {
    const int64_t first = r.offset / 4 + word_index(r, 0, pass, byte);
    const int64_t step = word_index(r, 1, pass, byte) - word_index(r, 0, pass, byte);
    const bool check = !plan_.options.overlap_data;
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      const int64_t w = first + pixel * step;
      const std::string_view why = !written_.inside(w)             ? "outside"
                                   : check && written_.at(quad, w) ? "twice"
                                   : check && live_.at(quad, w)    ? "live"
                                                                   : "";
      if (!why.empty()) {
        report(l, why,
               "pixel " + std::to_string(pixel) + " of pass " + std::to_string(pass) +
                   " goes to byte " + std::to_string(4 * w) + " of data memory " +
                   std::to_string(quad));
        return false;
      }
      written_.set(quad, w);
    }
    return true;
  }

  void report(const HardwareLayer& l, std::string_view why, const std::string& what) {
    if (why == "outside") {
      add_finding(findings_, plan_, Rule::data_output, l.index, what,
                  {"the memory has " + std::to_string(plan_.chip->instance_bytes()) + " bytes"},
                  ai8x::Key::out_offset);
      return;
    }
    const Rule rule = why == "twice" ? Rule::overwrites_output : Rule::overwrites_input;
    Finding& f = add_finding(findings_, plan_, rule, l.index, what + ", which is in use", {},
                             ai8x::Key::out_offset);
    if (!plan_.options.error_stop) f.severity = Severity::warning;
  }

  Findings& findings_;
  const HardwarePlan& plan_;
  WordMap live_, kept_, written_;
};

}  // namespace

void check_memory(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const int64_t pixels = int64_t{l.in_dim.h} * l.in_dim.w;
  const int64_t room = plan.chip->instance_bytes();
  if (pixels * l.in_expand >= kMostWords) {
    add_finding(findings, plan, Rule::picture_limit, l.index,
                std::to_string(pixels) + " pixels * " + std::to_string(l.in_expand) +
                    " passes >= " + std::to_string(kMostWords));
  }
  const int word = l.yaml->big_data ? 1 : 4;
  const int64_t in = pixels * l.in_expand * l.operands * word + l.in_offset;
  if (!l.streaming && in > room) {
    add_finding(findings, plan, Rule::data_input, l.index,
                "it needs " + std::to_string(in) + " bytes of each data memory, there are " +
                    std::to_string(room),
                {std::to_string(l.in_dim.h) + " * " + std::to_string(l.in_dim.w) + " pixels * " +
                 std::to_string(l.in_expand) + " passes * " + std::to_string(l.operands) +
                 " operands * " + std::to_string(word) + " bytes + offset " +
                 std::to_string(l.in_offset) + " = " + std::to_string(in)},
                ai8x::Key::in_offset);
  }
  const int64_t out_pixels = int64_t{l.out_dim.h} * l.out_dim.w + l.out_pad;
  const int64_t out = out_pixels * l.out_expand * 4 * l.output_width / 8 + l.out_offset;
  if ((!l.streaming || l.index == plan.last) && out > room) {
    add_finding(findings, plan, Rule::data_output, l.index,
                "it needs " + std::to_string(out) + " bytes of each data memory, there are " +
                    std::to_string(room),
                {std::to_string(out_pixels) + " pixels * " + std::to_string(l.out_expand) +
                 " passes * 4 bytes * " + std::to_string(l.output_width) + " / 8 + offset " +
                 std::to_string(l.out_offset) + " = " + std::to_string(out)},
                ai8x::Key::out_offset);
  }
  check_readahead(findings, plan, l);
}

void check_overlap(Findings& findings, const HardwarePlan& plan) {
  if (has_errors(findings)) return;  // addresses would not mean much
  Tracker(findings, plan).run();
}

}  // namespace edgetwin::max78
