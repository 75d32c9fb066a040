#include "targets/max78/analysis/memory_map.h"

#include <algorithm>

#include "targets/max78/place/region.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string hex(uint64_t value, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string address_range(int64_t begin, int64_t end) {
  return hex(static_cast<uint64_t>(begin), 5) + "-" +
         hex(static_cast<uint64_t>(std::max(end, begin + 1) - 1), 5);
}

int64_t input_bytes(const HardwarePlan& plan, const HardwareLayer& l) {
  const StreamValues v = stream_values(plan, l);
  if (v.rolls) return 4 * v.rollover;
  const int64_t pixels = int64_t{l.in_dim.h} * l.in_dim.w;
  if (l.yaml->big_data) return (pixels + 3) / 4 * 4;
  return 4 * pixels * l.in_expand * l.operands * (l.yaml->in_skip + 1);
}

int64_t output_bytes(const HardwareLayer& l) {
  const Region r = region_of(l);
  return 4 * (word_index(r, r.pixels - 1, r.expand - 1, r.width == 32 ? 3 : 0) + 1);
}

// The last step that reads the output of `layer`; of a result of the network the last step.
int last_read(const HardwarePlan& plan, int layer, int written) {
  int last = written;
  for (size_t step = 0; step < plan.order.size(); ++step) {
    const HardwareLayer& l = plan.layer(plan.order[step]);
    const auto& sources = l.yaml->in_sequences;
    const bool reads = sources && !sources->empty()
                           ? std::find(sources->begin(), sources->end(), layer) != sources->end()
                           : l.prev == layer;
    if (reads) last = std::max(last, static_cast<int>(step));
  }
  if (layer >= 0 && plan.layer(layer).output) last = static_cast<int>(plan.order.size());
  return last;
}

DataRegion output_region(const HardwarePlan& plan, int step,
                         const std::vector<LayerPlace>& places) {
  const LayerPlace& place = places[static_cast<size_t>(step)];
  const HardwareLayer& l = plan.layer(place.layer);
  DataRegion r;
  r.layer = place.layer;
  r.map = place.out_map;
  r.begin = place.out_begin;
  r.end = place.out_end;
  if (l.output_width == 8) r.step = 4 * (int64_t{l.yaml->write_gap} + 1);
  r.written = step;
  r.read = last_read(plan, place.layer, step);
  // What streams into the next layer is read while it is written, in the ring that that layer has.
  if (l.next != ai8x::kStop && plan.layer(l.next).streaming) {
    r.streams = true;
    const LayerPlace& reader = places[static_cast<size_t>(step) + 1];
    r.end = std::min(r.end, r.begin + reader.in_end - reader.in_begin);
  }
  return r;
}

std::string overlaps_of(const Planning& plan) {
  const std::vector<DataRegion> regions = data_regions(plan);
  const std::vector<Overlap> found = overlaps(regions);
  std::string lost, in_place;
  for (const Overlap& o : found) {
    if (!o.harmful) continue;
    (is_lost(plan, regions, o) ? lost : in_place) += "  " + overlap_text(plan, regions, o) + "\n";
  }
  std::string text = "data memory, written over before its last reader:" +
                     (lost.empty() ? " nothing\n" : "\n" + lost);
  if (!in_place.empty())
    text += "data memory, written over by the layer that reads it:\n" + in_place;
  return text;
}

std::string usage(const Planning& planning) {
  static const Plan kNothing{};
  const Plan& plan = planning.placed ? *planning.placed : kNothing;
  std::string text = "kernel memory, columns in use:\n";
  const auto columns = [&plan](int p) {
    const auto& used = plan.kernels[static_cast<size_t>(p)].used;
    return std::pair(std::count(used.begin(), used.end(), true), used.size());
  };
  // Neighbours with the same numbers share a line.
  for (int p = 0; p < kProcessors && !plan.kernels.empty();) {
    int last = p;
    while (last + 1 < kProcessors && columns(last + 1) == columns(p)) ++last;
    const auto [n, whole] = columns(p);
    if (n > 0) {
      text += "  processor" + (last > p ? "s " + std::to_string(p) + "-" : " ") +
              std::to_string(last) + ": " + std::to_string(n) + " of " + std::to_string(whole) +
              "\n";
    }
    p = last + 1;
  }
  text += "bias memory, bytes in use:\n";
  for (size_t g = 0; g < plan.biases.size(); ++g) {
    text += "  group " + std::to_string(g) + ": " +
            padded(std::to_string(plan.biases[g].size()), 4) + " of " +
            std::to_string(planning.hardware->chip->bias_bytes) + "\n";
  }
  return text;
}

void set_places(const LayerPlan& l, LayerPlace& p) {
  if (!l.passthrough() && !l.bypass) {
    p.kernel_begin = l.kern_offs;
    p.kernel_end = l.kern_offs + l.kern_len;
    p.kernels_of = l.kernels_of;
  }
  for (int g = 0; g < kGroups; ++g) {
    const int offset = l.bias_offset[static_cast<size_t>(g)];
    if (offset >= 0) p.biases.emplace_back(g, offset);
  }
}

}  // namespace

std::vector<LayerPlace> layer_places(const Planning& planning) {
  const HardwarePlan& plan = *planning.hardware;
  std::vector<LayerPlace> places;
  for (const int i : plan.order) {
    const HardwareLayer& l = plan.layer(i);
    LayerPlace p;
    p.layer = i;
    p.in_map = l.hw_processors;
    p.out_map = l.out_processors;
    p.in_begin = l.in_offset;
    p.in_end = l.in_offset + input_bytes(plan, l);
    p.out_begin = l.out_offset;
    p.out_end = l.out_offset + output_bytes(l);
    if (planning.placed) set_places(planning.placed->layer(i), p);
    places.push_back(std::move(p));
  }
  return places;
}

std::string memory_map(const Planning& plan) {
  std::string text =
      "layer processors in    bytes in    processors out   bytes out     columns bias\n";
  for (const LayerPlace& p : layer_places(plan)) {
    text += padded(std::to_string(p.layer), 5) + " " + hex(p.in_map, 16) + " " +
            address_range(p.in_begin, p.in_end) + " " + hex(p.out_map, 16) + " " +
            address_range(p.out_begin, p.out_end) + " ";
    const bool kernels = p.kernel_end > p.kernel_begin;
    text += padded(
        kernels ? std::to_string(p.kernel_begin) + "-" + std::to_string(p.kernel_end - 1) : "-", 9);
    if (p.kernels_of >= 0) text += " (layer " + std::to_string(p.kernels_of) + ")";
    for (const auto& [group, offset] : p.biases) {
      text += " " + std::to_string(group) + ":" + std::to_string(offset);
    }
    text += "\n";
  }
  return text + overlaps_of(plan) + usage(plan);
}

uint64_t DataRegion::instances() const {
  uint64_t bits = 0;
  for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
    if (((map >> (4 * i)) & 0xfU) != 0) bits |= uint64_t{1} << i;
  }
  return bits;
}

std::vector<DataRegion> data_regions(const Planning& planning) {
  const HardwarePlan& plan = *planning.hardware;
  const std::vector<LayerPlace> places = layer_places(planning);
  std::vector<DataRegion> regions;
  if (places.empty()) return regions;
  DataRegion input;
  input.map = places[0].in_map;
  input.begin = places[0].in_begin;
  input.end = places[0].in_end;
  input.read = std::max(last_read(plan, ai8x::kInput, 0), 0);
  input.streams = plan.layer(plan.start).streaming || plan.options.use_fifo();
  regions.push_back(input);
  int streaming = -1;  // the last step that streams: until then all rings are in use
  for (size_t step = 0; step < places.size(); ++step) {
    regions.push_back(output_region(plan, static_cast<int>(step), places));
    if (plan.layer(places[step].layer).streaming) streaming = static_cast<int>(step);
  }
  for (DataRegion& r : regions) {
    if (r.streams) r.read = std::max(r.read, streaming);
  }
  return regions;
}

std::vector<Overlap> overlaps(const std::vector<DataRegion>& regions) {
  std::vector<Overlap> found;
  for (size_t b = 1; b < regions.size(); ++b) {
    const DataRegion& second = regions[b];
    for (size_t a = 0; a < b; ++a) {
      const DataRegion& first = regions[a];
      Overlap o{a,
                b,
                std::max(first.begin, second.begin),
                std::min(first.end, second.end),
                first.instances() & second.instances(),
                first.read >= second.written,
                first.read == second.written};
      if (o.instances == 0 || o.begin >= o.end) continue;
      // Words that lie between each other's.
      const bool between = first.step == second.step && first.step > 4 &&
                           (second.begin - first.begin) % first.step != 0;
      if (!between) found.push_back(o);
    }
  }
  return found;
}

bool is_lost(const Planning& planning, const std::vector<DataRegion>& regions, const Overlap& o) {
  if (!o.harmful || !o.in_place) return o.harmful;
  const int layer = regions[o.second].layer;
  return std::any_of(planning.findings.begin(), planning.findings.end(), [&](const Finding& f) {
    return is(f, Rule::overwrites_input) && f.place.layer_number == layer &&
           f.severity == Severity::error;
  });
}

std::string region_name(const DataRegion& region) {
  return region.layer < 0 ? "the input" : "layer " + std::to_string(region.layer);
}

std::string instances_text(uint64_t instances) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    if (((instances >> i) & 1U) == 0) continue;
    int last = i;
    while (last + 1 < 64 && ((instances >> (last + 1)) & 1U) != 0) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(i) + (last > i ? "-" + std::to_string(last) : "");
    i = last;
  }
  return text;
}

std::string overlap_text(const Planning& planning, const std::vector<DataRegion>& regions,
                         const Overlap& o) {
  const DataRegion& first = regions[o.first];
  const DataRegion& second = regions[o.second];
  const std::vector<int>& order = planning.hardware->order;
  const auto steps = static_cast<int>(order.size());
  std::string text = "bytes " + address_range(o.begin, o.end) + " of data " +
                     ((o.instances & (o.instances - 1)) == 0 ? "memory " : "memories ") +
                     instances_text(o.instances) + ": " + region_name(second) + " over " +
                     region_name(first);
  if (first.read >= steps) return text + ", which is a result of the network";
  const int reader = order[static_cast<size_t>(std::max(first.read, 0))];
  return text + (o.harmful ? ", which layer " + std::to_string(reader) + " reads"
                           : ", last read by layer " + std::to_string(reader));
}

}  // namespace edgetwin::max78
