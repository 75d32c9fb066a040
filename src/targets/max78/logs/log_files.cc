#include "targets/max78/logs/log_files.h"

#include <algorithm>
#include <charconv>

#include "targets/max78/logs/log_parts.h"
#include "targets/max78/place/region.h"
#include "targets/max78/registers/layer_regs.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

constexpr int64_t kMostComputations = int64_t{1} << 21;

LogFile text_file(std::string name, const std::string& text) {
  return {std::move(name), to_bytes(std::as_bytes(std::span(text)))};
}

int64_t element(const Tensor& t, int64_t i) {
  const auto at = static_cast<size_t>(i);
  return t.dtype == DType::int32 ? t.as<int32_t>()[at] : t.as<int8_t>()[at];
}

// --- output.csv

// Of a word's place in the window of all data memories; what streams wraps in its ring.
uint64_t word_address(const Plan& plan, const LayerPlan& l, const Region& r, const Quad& q,
                      int64_t index) {
  int64_t offset = r.offset + 4 * index;
  if (l.next != ai8x::kStop && plan.layer(l.next).streaming) {
    const StreamValues ring = stream_values(plan, plan.layer(l.next));
    if (ring.rolls && ring.rollover > 0) {
      offset = (offset - r.offset) % (4 * ring.rollover) + r.offset;
    }
  }
  return (static_cast<uint64_t>(offset) +
          static_cast<uint64_t>(q.quad) * plan.chip->instance_stride) /
         4;
}

void put_word(std::string& to, uint64_t address, uint32_t value, int layer,
              const std::string& channels, int64_t row, int64_t column) {
  to += "w," + log_hex(address) + "," + log_hex(value) + "," + std::to_string(layer) + "," +
        channels + "," + std::to_string(row) + "," + std::to_string(column) + "\n";
}

void put_quad(std::string& to, const Plan& plan, const LayerPlan& l, const Region& r,
              const Tensor& out, int64_t pixel, int pass, const Quad& q) {
  const int64_t row = pixel / l.out_dim.w, column = pixel % l.out_dim.w;
  uint32_t word = 0;
  int channel = q.channel;
  for (int b = 0; b < kInstanceProcessors; ++b) {
    if (((q.bits >> b) & 1U) == 0) continue;
    const int64_t value = element(out, channel * r.pixels + pixel);
    if (r.width == 32) {
      put_word(to, word_address(plan, l, r, q, word_index(r, pixel, pass, b)),
               static_cast<uint32_t>(static_cast<int32_t>(value)), l.index, std::to_string(channel),
               row, column);
    }
    word |= static_cast<uint32_t>(static_cast<uint8_t>(value)) << (8 * b);
    ++channel;
  }
  if (r.width == 32) return;
  std::string channels = std::to_string(q.channel);
  if (channel - 1 > q.channel) channels += "-" + std::to_string(channel - 1);
  put_word(to, word_address(plan, l, r, q, word_index(r, pixel, pass, 0)), word, l.index, channels,
           row, column);
}

std::string output_csv(const Plan& plan, std::span<const LayerResult> layers) {
  std::string text;
  for (const LayerResult& result : layers) {
    const LayerPlan& l = plan.layer(result.layer);
    const Region r = region_of(l);
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      for (int pass = 0; pass < r.expand; ++pass) {
        for (const Quad& q : quads_of(r, pass)) {
          put_quad(text, plan, l, r, result.out, pixel, pass, q);
        }
      }
    }
  }
  return text;
}

// The same words counted, with the bit that the simulated chip's bus has.
std::string pass_csv(std::string_view words) {
  std::string text;
  int64_t count = 0;
  for (size_t at = 0; at < words.size();) {
    const size_t end = words.find('\n', at);
    std::string_view fields[4];  // w, address, value, layer
    for (std::string_view& f : fields) {
      const size_t comma = words.find(',', at);
      f = words.substr(at, comma - at);
      at = comma + 1;
    }
    uint64_t address = 0;
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), address, 16);
    text += "w," + log_hex(address | 0x200000U) + "," + std::string(fields[2]) + "," +
            std::string(fields[3]) + "," + std::to_string(++count) + "\n";
    at = end + 1;
  }
  return text;
}

// --- Arrays.

Status append(Bytes& to, const Tensor& t) {
  EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(t));
  to.insert(to.end(), npy.begin(), npy.end());
  return Ok{};
}

// As the loader has numbers: 64 bits; nothing is an array of no float64.
Status append_wide(Bytes& to, const Tensor& t) {
  Tensor wide;
  if (t.data.empty()) {
    wide.dtype = DType::float64;
    wide.shape = Shape{0};
    return append(to, wide);
  }
  wide.dtype = DType::int64;
  wide.shape = t.shape;
  wide.data.resize(static_cast<size_t>(t.shape.elements()) * sizeof(int64_t));
  for (int64_t i = 0; i < t.shape.elements(); ++i) {
    wide.as<int64_t>()[static_cast<size_t>(i)] = element(t, i);
  }
  return append(to, wide);
}

Tensor first_operand(const LayerResult& r) {
  const Tensor& from = r.pool.data.empty() ? r.in : r.pool;
  Tensor t = from;
  if (t.shape.rank() < 4) return t;
  t.shape = Shape{from.shape[1], from.shape[2], from.shape[3]};
  t.data.resize(static_cast<size_t>(t.shape.elements()));
  return t;
}

// (operands, channels, rows, columns), also of one operand.
Tensor with_operands(const Tensor& pooled) {
  Tensor t = pooled;
  if (t.shape.rank() == 3) t.shape = Shape{1, t.shape[0], t.shape[1], t.shape[2]};
  return t;
}

Result<Bytes> data_npy(std::span<const LayerResult> layers) {
  Bytes all;
  for (const LayerResult& r : layers) {
    EDGETWIN_TRY(append_wide(all, r.in));
    EDGETWIN_TRY(append_wide(all, with_operands(r.pool)));
    EDGETWIN_TRY(append_wide(all, r.elt.data.empty() ? first_operand(r) : r.elt));
    EDGETWIN_TRY(append_wide(all, r.sums));
    EDGETWIN_TRY(append_wide(all, r.out));
  }
  return all;
}

Result<Bytes> weights_npy(const Plan& plan) {
  Bytes all;
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    Tensor t;
    t.dtype = DType::int8;
    const int64_t taps = l.taps(), out = std::max(l.out_channels, 1);
    const auto count = static_cast<int64_t>(l.weights.size());
    if (count > 0) {
      t.shape = Shape{out, count / (out * taps), l.hw_kernel.h, l.hw_kernel.w};
      t.data.resize(l.weights.size());
      std::ranges::transform(l.weights, t.data.begin(),
                             [](int8_t w) { return static_cast<std::byte>(w); });
    }
    EDGETWIN_TRY(append_wide(all, t));
  }
  return all;
}

Result<Bytes> bias_npy(const Plan& plan) {
  Bytes all;
  for (const int i : plan.order) {
    Tensor t;
    t.dtype = DType::int8;
    if (const LayerPlan& l = plan.layer(i); l.has_bias()) {
      t.shape = Shape{static_cast<int64_t>(l.parameters->bias.size())};
      std::ranges::transform(l.parameters->bias, std::back_inserter(t.data),
                             [](int8_t b) { return static_cast<std::byte>(b); });
    }
    EDGETWIN_TRY(append_wide(all, t));
  }
  return all;
}

// --- Pooling.

// Pictures of an operand each, or one picture.
void put_pictures(std::vector<LogFile>& to, const std::string& word, int layer, const Tensor& t) {
  const int rank = t.shape.rank();
  const int64_t operands = rank > 3 ? t.shape[0] : 1;
  const int64_t channels = t.shape[rank - 3], rows = t.shape[rank - 2], columns = t.shape[rank - 1];
  int64_t i = 0;
  for (int64_t n = 0; n < operands; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      std::string text;
      for (int64_t y = 0; y < rows; ++y) {
        for (int64_t x = 0; x < columns; ++x) {
          text += (x > 0 ? "," : "") + std::to_string(element(t, i++));
        }
        text += "\n";
      }
      to.push_back(text_file("pooling/" + word + "-" + std::to_string(n) + "-L" +
                                 std::to_string(layer) + "-ch" + std::to_string(c) + ".csv",
                             text));
    }
  }
}

// --- Computation.

Result<std::string> computation_csv(const Plan& plan, std::span<const LayerResult> layers) {
  int64_t lines = 0;
  for (const LayerResult& r : layers) lines += r.sums.data.empty() ? 0 : r.out.shape.elements();
  if (lines > kMostComputations) {
    return Error(ErrorCode::max78_option, "--debug-computation would write " +
                                              std::to_string(lines) + " lines, at most " +
                                              std::to_string(kMostComputations))
        .with_hint("End the network earlier with --stop-after N.");
  }
  std::string text = "layer,channel,row,column,sum,bias,shift,result\n";
  for (const LayerResult& r : layers) {
    if (r.sums.data.empty()) continue;
    const LayerPlan& l = plan.layer(r.layer);
    const int64_t pixels = int64_t{l.out_dim.h} * l.out_dim.w;
    for (int64_t i = 0; i < r.out.shape.elements(); ++i) {
      const int64_t channel = i / pixels, pixel = i % pixels;
      const int bias = l.has_bias() ? l.parameters->bias[static_cast<size_t>(channel)] : 0;
      text += std::to_string(l.index) + "," + std::to_string(channel) + "," +
              std::to_string(pixel / l.out_dim.w) + "," + std::to_string(pixel % l.out_dim.w) +
              "," + std::to_string(element(r.sums, i)) + "," + std::to_string(bias) + "," +
              std::to_string(l.shift) + "," + std::to_string(element(r.out, i)) + "\n";
    }
  }
  return text;
}

}  // namespace

bool wants_logs(const Options& o) {
  return o.log_intermediate || o.log_pooling || o.debug_computation || !o.result_file.empty();
}

Result<std::vector<LogFile>> log_files(const Plan& plan, std::span<const LayerResult> layers) {
  const Options& o = plan.options;
  std::vector<LogFile> files;
  if (o.log_intermediate) {
    if (o.rtl.on && !o.kat) return files;  // nothing is known
    std::string words = output_csv(plan, layers);
    if (!o.rtl.pass.empty()) files.push_back(text_file(o.rtl.pass + ".csv", pass_csv(words)));
    files.push_back(text_file(o.rtl.output + ".csv", std::move(words)));
    files.push_back(text_file("config.csv", config_csv(plan)));
    EDGETWIN_TRY_ASSIGN(Bytes data, data_npy(layers));
    files.push_back({"data.npy", std::move(data)});
    EDGETWIN_TRY_ASSIGN(Bytes weights, weights_npy(plan));
    files.push_back({"weights.npy", std::move(weights)});
    EDGETWIN_TRY_ASSIGN(Bytes bias, bias_npy(plan));
    files.push_back({"bias.npy", std::move(bias)});
  }
  for (const LayerResult& r : layers) {
    if (!o.log_pooling || r.pool.data.empty()) continue;
    put_pictures(files, "unpooled", r.layer, r.in);
    put_pictures(files, "pooled", r.layer, r.pool);
  }
  if (o.debug_computation) {
    EDGETWIN_TRY_ASSIGN(const std::string text, computation_csv(plan, layers));
    files.push_back(text_file("computation.csv", text));
  }
  if (!o.result_file.empty() && !layers.empty()) {
    Bytes result;
    EDGETWIN_TRY(append_wide(result, layers.back().out));
    files.push_back({o.result_file, std::move(result)});
  }
  return files;
}

}  // namespace edgetwin::max78
