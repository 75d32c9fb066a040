// cnn_unload. Source: specification "codegen" 5.
#include "targets/max78/chip/regs.h"
#include "targets/max78/place/region.h"
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

std::string unload_address(uint32_t address) {
  return "*((volatile uint32_t *) " + hex_text(address) + ")";
}
std::string pointer(uint32_t address) { return "(volatile uint32_t *) " + hex_text(address); }

// 8-bit results: bytes go to channel after channel.
std::string bytes_loop(const Plan& plan, const Region& r, int pass, const Quad& q, int64_t base) {
  const int64_t step = int64_t{r.expand} * (r.write_gap + 1);
  std::string text = "  addr = " + pointer(region_address(plan, r, 0, pass, q.quad, 0)) + ";\n";
  text += "  for (i = 0; i < " + std::to_string(r.pixels) +
          "; i++) {\n    val = *addr;\n    addr += " + std::to_string(step) + ";\n";
  int c = q.channel;
  for (int b = 0; b < 4; ++b) {
    if (((q.bits >> b) & 1U) == 0) continue;
    const std::string value = b == 0 ? "val" : "(val >> " + std::to_string(8 * b) + ")";
    text += "    out[" + std::to_string(base + c * r.pixels) + " + i] = (uint8_t) (" + value +
            " & 0xff);\n";
    ++c;
  }
  return text + "  }\n";
}

std::string words_loop(const Plan& plan, const Region& r, int pass, const Quad& q) {
  const int64_t step = int64_t{4} * r.expand * (r.write_gap + 1);
  std::string text = "  addr = " + pointer(region_address(plan, r, 0, pass, q.quad, 0)) + ";\n";
  text += "  for (i = 0; i < " + std::to_string(r.pixels) + "; i++) {\n";
  for (int b = 0; b < 4; ++b) {
    if (((q.bits >> b) & 1U) != 0) text += "    *out_buf++ = addr[" + std::to_string(b) + "];\n";
  }
  return text + "    addr += " + std::to_string(step) + ";\n  }\n";
}

// The byte swapper: four pixels of a channel in a word.
std::string swapped_loop(const Plan& plan, const Region& r, int pass, const Quad& q, int64_t base) {
  const int g = q.quad / 4;
  const uint32_t control = address(*plan.chip, GlobalReg::ctl, g);
  std::string text;
  int c = q.channel;
  for (uint32_t b = 0; b < 4; ++b) {
    if (((q.bits >> b) & 1U) == 0) continue;
    const uint32_t place =
        (static_cast<uint32_t>(r.offset / 4) + static_cast<uint32_t>(pass * (r.write_gap + 1))) |
        static_cast<uint32_t>(q.quad) << plan.chip->pointer_shift;
    text += "  // Channel " + std::to_string(c) + "\n";
    text += "  " + unload_address(address(*plan.chip, LayerReg::wptr_base, g, 0)) + " = " +
            hex_text(place) + ";\n";
    text += "  " + unload_address(address(*plan.chip, LayerReg::lctl2, g, 0)) + " = " +
            hex_text(static_cast<uint32_t>(pass)) + ";\n";
    text += "  " + unload_address(control) + " = " + hex_text(1U << 16 | b << 17 | 1U << 3) + ";\n";
    text += "  addr = " + pointer(address(*plan.chip, GlobalReg::mlat, g)) + ";\n  val = *addr;\n";
    text +=
        "  for (i = 0; i < " + std::to_string((r.pixels + 3) / 4) + "; i++) {\n    val = *addr;\n";
    text += "    memcpy(out + " + std::to_string(base + c * r.pixels) +
            " + 4 * i, &val, sizeof(val));\n  }\n";
    text += "  " + unload_address(control) + " = " + hex_text(1U << 3) + ";\n";
    ++c;
  }
  return text;
}

}  // namespace

std::string unload_function(const Plan& plan) {
  const std::vector<Region> regions = unload_regions(plan);
  bool bytes = false;
  for (const Region& r : regions) bytes = bytes || r.width == 8;
  std::string text = "int cnn_unload(uint32_t *out_buf)\n{\n  volatile uint32_t *addr;\n  int i;\n";
  if (bytes) text += "  uint32_t val;\n  uint8_t *out = (uint8_t *) out_buf;\n";
  text += "\n";
  int64_t base = 0;
  for (const Region& r : regions) {
    if (bytes && r.width == 32)
      text += "  out_buf = (uint32_t *) (void *) (out + " + std::to_string(base) + ");\n";
    for (int e = 0; e < r.expand; ++e) {
      for (const Quad& q : quads_of(r, e)) {
        text += r.width == 32          ? words_loop(plan, r, e, q)
                : swaps_bytes(plan, r) ? swapped_loop(plan, r, e, q, base)
                                       : bytes_loop(plan, r, e, q, base);
      }
    }
    base += r.channels * r.pixels * r.width / 8;
  }
  return text + "\n  return CNN_OK;\n}\n\n";
}

}  // namespace edgetwin::max78
