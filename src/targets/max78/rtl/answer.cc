// What check_output compares. Source: specification "rtl" 4.
#include <algorithm>

#include "targets/max78/chip/regs.h"
#include "targets/max78/place/region.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

class Answer {
 public:
  Answer(const Plan& plan, RtlAnswer& to) : plan_(plan), to_(to) {}

  void compare(const Run& r) {
    auto& s = to_.steps;
    if (!s.empty() && s.back().compare && s.back().run.mask == r.mask &&
        s.back().run.address + 4 * s.back().run.words.size() == r.address) {
      auto& words = s.back().run.words;
      words.insert(words.end(), r.words.begin(), r.words.end());
      return;
    }
    s.push_back({.compare = true, .run = r, .access = {}});
  }

  // The power-on tests: their error bits are 0.
  void tests() {
    for (const Access& a : cnn_init(plan_).accesses) {
      if (a.kind == Kind::read) compare({a.address, a.mask, {0}});
    }
  }

  void layer(const LayerPlan& l, const Tensor& out) {
    const Region r = region_of(l);
    if (plan_.options.mlator && r.width == 8) {
      swapped(r, out);
      return;
    }
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      for (int e = 0; e < r.expand; ++e) {
        for (const Quad& q : quads_of(r, e)) quad(r, out, pixel, e, q);
      }
    }
  }

 private:
  static uint8_t byte_of(const Region& r, const Tensor& out, int channel, int64_t pixel) {
    if (pixel >= r.pixels) return 0;
    return static_cast<uint8_t>(out.as<int8_t>()[static_cast<size_t>(channel * r.pixels + pixel)]);
  }

  void quad(const Region& r, const Tensor& out, int64_t pixel, int pass, const Quad& q) {
    uint32_t value = 0, mask = 0;
    int c = q.channel;
    for (int b = 0; b < 4; ++b) {
      if (((q.bits >> b) & 1U) == 0) continue;
      if (r.width == 32) {
        const auto index = static_cast<size_t>(c * r.pixels + pixel);
        const auto wide = static_cast<uint32_t>(out.as<int32_t>()[index]);
        compare({region_address(plan_, r, pixel, pass, q.quad, b), 0xffffffffU, {wide}});
      } else {
        value |= uint32_t{byte_of(r, out, c, pixel)} << (8 * b);
        mask |= 0xffU << (8 * b);
      }
      ++c;
    }
    if (r.width == 8) compare({region_address(plan_, r, pixel, pass, q.quad, 0), mask, {value}});
  }

  // --mlator: four pixels of a channel at a time.
  void swapped(const Region& r, const Tensor& out) {
    for (int e = 0; e < r.expand; ++e) {
      for (const Quad& q : quads_of(r, e)) {
        int c = q.channel;
        for (uint32_t b = 0; b < 4; ++b) {
          if (((q.bits >> b) & 1U) == 0) continue;
          channel(r, out, e, q, b, c++);
        }
      }
    }
  }

  void channel(const Region& r, const Tensor& out, int pass, const Quad& q, uint32_t b, int c) {
    const int g = q.quad / 4;
    const uint32_t control = address(*plan_.chip, GlobalReg::ctl, g);
    const uint32_t from = region_address(plan_, r, 0, pass, q.quad, 0);
    const uint32_t place = (from - plan_.chip->data_address(0)) / 4;
    access(Kind::write, address(*plan_.chip, LayerReg::wptr_base, g, 0), place);
    access(Kind::write, address(*plan_.chip, LayerReg::lctl2, g, 0), 0);
    access(Kind::write, control, 1U << 16 | b << 17 | 1U << 3);
    access(Kind::read, address(*plan_.chip, GlobalReg::mlat, g), 0);
    Run run{from, 0xffffffffU, {}};
    for (int64_t pixel = 0; pixel < r.pixels; pixel += 4) {
      uint32_t value = 0;
      for (int i = 0; i < 4; ++i) value |= uint32_t{byte_of(r, out, c, pixel + i)} << (8 * i);
      run.words.push_back(value);
    }
    to_.steps.push_back({.compare = true, .run = run, .access = {}});
    access(Kind::write, control, 1U << 3);
  }

  void access(Kind kind, uint32_t at, uint32_t value) {
    to_.steps.push_back(
        {.compare = false, .run = {}, .access = {.kind = kind, .address = at, .value = value}});
  }

  const Plan& plan_;
  RtlAnswer& to_;
};

}  // namespace

int64_t RtlAnswer::words() const {
  int64_t n = 0;
  for (const Step& s : steps) {
    if (s.compare) n += static_cast<int64_t>(s.run.words.size());
  }
  return n;
}

std::string to_text(const RtlAnswer& answer) {
  std::string text;
  for (const RtlAnswer::Step& s : answer.steps) {
    if (s.compare) {
      text += expected_text({s.run});
      continue;
    }
    Program one{{{"x", {s.access}}}};
    text += to_text(one).substr(5);  // without "fn x"
  }
  return text;
}

RtlAnswer rtl_layer_answer(const Plan& plan, int layer, const Tensor& out) {
  RtlAnswer answer;
  Answer(plan, answer).layer(plan.layer(layer), out);
  return answer;
}

RtlAnswer rtl_answer(const Plan& plan, const std::vector<Tensor>& outputs) {
  RtlAnswer answer;
  if (!plan.options.kat) return answer;
  Answer to(plan, answer);
  if (plan.options.zero_sram) to.tests();
  const RtlOptions& rtl = plan.options.rtl;
  if (rtl.answer_file_given) {
    Plan whole = plan;
    if (!rtl.compact_data) whole.options.max_checklines.reset();
    for (const Run& r : expected_words(whole, outputs)) to.compare(r);
    return answer;
  }
  const std::vector<int> layers = output_layers(plan);
  for (const int i : plan.order) {
    for (size_t k = 0; k < layers.size() && k < outputs.size(); ++k) {
      if (layers[k] == i) to.layer(plan.layer(i), outputs[k]);
    }
  }
  return answer;
}

}  // namespace edgetwin::max78
