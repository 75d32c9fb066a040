// The Edge TPU's arithmetic against outputs that were recorded on devices: all bytes of one
// convolution, hashes of the raw output of seven, and the heads of a pose network whose decoded key
// points Google recorded.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "formats/darwinn/darwinn.h"
#include "formats/darwinn/relayout.h"
#include "golden/golden.h"
#include "image/bmp.h"
#include "numerics/flavour/edgetpu.h"
#include "ops/conv2d.h"
#include "targets/edgetpu/params/block.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

fs::path silicon() { return shared_data() / "edgetpu" / "silicon"; }
fs::path models() { return shared_data() / "edgetpu" / "models"; }

#define NEED_SILICON()                                                    \
  if (!fs::exists(silicon() / "cases.json")) {                            \
    GTEST_SKIP() << "no recorded device outputs in EDGETWIN_SHARED_DATA"; \
  }

json find_case(const std::string& id) {
  std::ifstream file(silicon() / "cases.json");
  const json all = json::parse(file);
  for (const json& c : all["cases"]) {
    if (c["id"] == id) return c;
  }
  return {};
}

uint64_t fnv1a(ByteSpan data) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : data) {
    hash ^= static_cast<uint64_t>(b);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string hex(uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(v));
  return text;
}

Result<darwinn::File> read_compiled(const fs::path& path, Bytes& data) {
  EDGETWIN_TRY_ASSIGN(data, read_file(path));
  return darwinn::read(data, path.string());
}

// One convolution of a factory test: 3x3, valid, 32x32x3 to 30x30x16, the multiplier as it stands
// in the instruction, weights and biases as they stand in the parameters.
TEST(EdgetpuSilicon, Testconv1IsEqualInAllBytes) {
  NEED_SILICON();
  const json c = find_case("testconv1");
  Bytes data;
  const auto file = read_compiled(silicon() / std::string(c["model"]), data);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const darwinn::Executable& e = *file->ops[0].packages[0].inference();
  const edgetpu::BlockShape shape{
      .out = 16, .in = 3, .kernel_h = 3, .kernel_w = 3, .spatial = true, .has_bias = true};
  const auto block = edgetpu::read_block(shape, e.parameters, 128);
  ASSERT_TRUE(block.ok()) << to_text(block.error());
  const Bytes input = *read_file(silicon() / std::string(c["input"]));
  const Bytes wanted = *read_file(silicon() / std::string(c["output"]));
  ASSERT_EQ(wanted.size(), 14400U);
  numerics::edgetpu::Accumulate<uint8_t> rule;
  rule.input_zero_point = 128;
  rule.weight_zero_points = {128};
  rule.bias = block->bias;
  rule.multipliers.assign(16, std::bit_cast<float>(0x3ae472adU));
  rule.tail = numerics::edgetpu::Tail<uint8_t>::make(
      Quant::affine(e.outputs[0].numerics->factor, 113), {}, {});
  Window2D g;
  g.in_h = g.in_w = 32, g.in_c = 3, g.kernel_h = g.kernel_w = 3;
  g.out_h = g.out_w = 30, g.out_c = 16;
  std::vector<uint8_t> output(14400);
  const auto* x = reinterpret_cast<const uint8_t*>(input.data());
  const auto* w = reinterpret_cast<const uint8_t*>(block->weights.data());
  ops::conv_2d(g, View4<const uint8_t>{x, 1, 32, 32, 3}, View4<const uint8_t>{w, 16, 3, 3, 3}, rule,
               View4<uint8_t>{output.data(), 1, 30, 30, 16}, 0, 30);
  EXPECT_EQ(std::memcmp(output.data(), wanted.data(), output.size()), 0);
  EXPECT_EQ(rule.tail.open->ties, c["ties"]);
}

// The same convolution at another size: a copy of the model's graph with the case's shapes and
// quantization.
std::shared_ptr<const Graph> resized(const Graph& model, const json& c, int height, int width) {
  Graph graph = model;
  const Op& conv = graph.ops.at(0);
  const auto set = [&](ValueId id, const char* scale, const char* zero) {
    Value& v = graph.value(id);
    v.shape[1] = height, v.shape[2] = width;
    v.quant = Quant::affine(c[scale].get<float>(), c[zero].get<int>() - 128);
  };
  set(conv.inputs[0], "input_scale", "input_zero_point_unsigned");
  set(conv.outputs[0], "output_scale", "output_zero_point_unsigned");
  return std::make_shared<const Graph>(std::move(graph));
}

// Unsigned bytes in the order in which 4 x 4 tiles of equal size leave the chip.
Bytes tiled(const Tensor& t) {
  const int64_t h = t.shape[1] / 4, w = t.shape[2] / 4, c = t.shape[3];
  Bytes out;
  for (int64_t tile = 0; tile < 16; ++tile) {
    for (int64_t y = 0; y < h; ++y) {
      const int64_t row = (tile / 4 * h + y) * t.shape[2] + tile % 4 * w;
      const auto from = t.data.begin() + row * c;
      out.insert(out.end(), from, from + w * c);
    }
  }
  for (std::byte& b : out) b ^= std::byte{0x80};
  return out;
}

struct HashCase {
  const char* id;
  int height, width, channels;
};

void check_hash(const HashCase& h, const std::string& numerics, bool fast, bool equal) {
  const json c = find_case(h.id);
  ASSERT_FALSE(c.is_null()) << h.id;
  const std::string channels = std::to_string(h.channels);
  const auto model =
      load_graph(models() / "coral_usb_conv" /
                 ("conv2d_k3_same_12x128_" + channels + "to" + channels + ".tflite"));
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  auto session = exec::Session::create(resized(**model, c, h.height, h.width),
                                       {.numerics = numerics, .fast = fast});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  Bytes input(static_cast<size_t>(h.height * h.width * h.channels));
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<std::byte>(i % 251) ^ std::byte{0x80};
  }
  ASSERT_TRUE(session->set_input(0, input).ok());
  ASSERT_TRUE(session->run().ok());
  const std::string hash = hex(fnv1a(tiled(session->output(0))));
  EXPECT_EQ(hash == c["device_hash"], equal) << h.id << " in " << numerics << ": " << hash;
}

constexpr HashCase kHashes[] = {
    {"conv3x3 p32 12x176", 12, 176, 32}, {"conv3x3 p32 12x184", 12, 184, 32},
    {"conv3x3 p32 12x192", 12, 192, 32}, {"conv3x3 p32 32x32", 32, 32, 32},
    {"conv3x3 p64 64x16", 64, 16, 64},   {"conv3x3 p64 32x32", 32, 32, 64},
    {"conv3x3 p128 128x8", 128, 8, 128},
};

TEST(EdgetpuSilicon, HashesOfSevenConvolutions) {
  NEED_SILICON();
  for (const HashCase& h : kHashes) check_hash(h, "edgetpu", true, true);
}

TEST(EdgetpuSilicon, PlainOperatorsGiveTheSameHashes) {
  NEED_SILICON();
  for (const HashCase& h : {kHashes[0], kHashes[3]}) check_hash(h, "edgetpu", false, true);
}

// What the recordings exclude: this test could not fail otherwise.
TEST(EdgetpuSilicon, OtherArithmeticsMissTheHashes) {
  NEED_SILICON();
  check_hash(kHashes[0], "tflite", true, false);
  check_hash(kHashes[0], "edgetpu:ties=floor", true, false);
  check_hash(kHashes[0], "edgetpu:ties=truncate", true, false);
}

// Bilinear with half-pixel centres in single precision, cut off to bytes, as the recordings' input
// was made; every product and sum is rounded.
Bytes resized_picture(const Tensor& picture, int height, int width) {
  struct Axis {
    int low, high;
    float weight;
  };
  const auto axis = [](int in, int out, int i) {
    const float scale = static_cast<float>(in) / static_cast<float>(out);
    const float p = (static_cast<float>(i) + 0.5F) * scale - 0.5F;
    const int low = std::max(0, static_cast<int>(std::floor(p)));
    return Axis{low, std::min(in - 1, static_cast<int>(std::ceil(p))), p - static_cast<float>(low)};
  };
  const auto in_h = static_cast<int>(picture.shape[0]), in_w = static_cast<int>(picture.shape[1]);
  const auto* from = reinterpret_cast<const uint8_t*>(picture.data.data());
  Bytes out;
  for (int i = 0; i < height; ++i) {
    const Axis y = axis(in_h, height, i);
    for (int j = 0; j < width; ++j) {
      const Axis x = axis(in_w, width, j);
      for (int c = 0; c < 3; ++c) {
        const auto at = [&](int row, int column) {
          return static_cast<float>(from[(row * in_w + column) * 3 + c]);
        };
        float sum = at(y.low, x.low) * ((1 - y.weight) * (1 - x.weight));
        sum += at(y.low, x.high) * ((1 - y.weight) * x.weight);
        sum += at(y.high, x.low) * (y.weight * (1 - x.weight));
        sum += at(y.high, x.high) * (y.weight * x.weight);
        out.push_back(static_cast<std::byte>(static_cast<uint8_t>(sum)));
      }
    }
  }
  return out;
}

struct PoseRun {
  std::vector<std::string> heads;  // hashes
  int64_t ties = 0;
};

void run_pose(const std::string& id, const fs::path& model, const std::string& numerics,
              PoseRun& result) {
  const json c = find_case(id);
  auto graph = load_graph(model);
  ASSERT_TRUE(graph.ok()) << to_text(graph.error());
  const Bytes file = *read_file(silicon() / "pose" / "test_image.bmp");
  const auto picture = decode_bmp(file, "test_image.bmp");
  ASSERT_TRUE(picture.ok()) << to_text(picture.error());
  const Bytes input = resized_picture(*picture, c["input_shape"][0], c["input_shape"][1]);
  ASSERT_EQ(sha256_hex(input), c["input_sha256"]);
  auto session = exec::Session::create(*graph, {.numerics = numerics, .keep_all = true});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  ASSERT_TRUE(session->set_input(0, input).ok());
  ASSERT_TRUE(session->run().ok());
  for (const Op& op : (*graph)->ops) {
    if (op.kind != OpKind::posenet_decoder) continue;
    for (size_t i = 0; i < 3; ++i) {
      Tensor t = session->tensor(op.inputs[i]);
      if (t.dtype == DType::int8) {
        for (std::byte& b : t.data) b ^= std::byte{0x80};
      }
      result.heads.push_back(hex(fnv1a(t.data)));
    }
  }
  for (const Finding& f : session->run_findings()) {
    if (f.message.find("exact ties") != std::string::npos) result.ties += std::stoll(f.message);
  }
}

const std::string kPose481 = "posenet_mobilenet_v1_075_481_641_16_quant_decoder";

std::vector<std::string> wanted_heads(const json& c, const char* which) {
  return {c[which]["heatmaps"], c[which]["short_offsets"], c[which]["mid_offsets"]};
}

// The heads that lead to all 34 recorded rows of key points, score and coordinates to the last
// printed digit; any other rule for ties changes more than half of them.
TEST(EdgetpuSilicon, PoseNet481) {
  NEED_SILICON();
  const json c = find_case(kPose481);
  const fs::path model = silicon() / "pose" / (kPose481 + ".tflite");
  PoseRun chip, cpu, away;
  run_pose(kPose481, model, "edgetpu", chip);
  EXPECT_EQ(chip.heads, wanted_heads(c, "simulated_device_fnv1a64"));
  EXPECT_EQ(chip.ties, c["ties"]);
  run_pose(kPose481, model, "tflite", cpu);
  EXPECT_EQ(cpu.heads, wanted_heads(c, "simulated_cpu_fnv1a64"));
  run_pose(kPose481, model, "edgetpu:ties=away", away);
  ASSERT_EQ(away.heads.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NE(away.heads[i], chip.heads[i]);
}

// Input bytes to output bytes, unsigned as the chip has them, of a model whose tensors are bytes.
Bytes run_bytes(const fs::path& model, const std::string& numerics, const Bytes& input) {
  auto graph = load_graph(model);
  if (!graph.ok()) return {};
  auto session = exec::Session::create(*graph, {.numerics = numerics});
  if (!session.ok() || !session->set_input(0, input).ok() || !session->run().ok()) return {};
  Bytes all;
  for (size_t i = 0; i < session->graph().outputs.size(); ++i) {
    Tensor t = session->output(i);
    if (t.dtype == DType::int8) {
      for (std::byte& b : t.data) b ^= std::byte{0x80};
    }
    all.insert(all.end(), t.data.begin(), t.data.end());
  }
  return all;
}

Bytes picture_of(int size, const std::function<double(int x, int y)>& pixel) {
  Bytes bytes;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      bytes.push_back(static_cast<std::byte>(static_cast<uint8_t>(pixel(x, y))));
    }
  }
  return bytes;
}

std::vector<int> numbers(const Bytes& bytes) {
  std::vector<int> all;
  for (const std::byte b : bytes) all.push_back(static_cast<int>(b));
  return all;
}

// Convolutions, MUL, ADD and an average over 21 x 21: the bytes behind printed zone values.
TEST(EdgetpuSilicon, LoomingDetector) {
  NEED_SILICON();
  const std::map<std::string, std::function<double(int, int)>> rules = {
      {"uniform", [](int, int) { return 128.0; }},
      {"circle", [](int x, int y) { return std::hypot(x - 32, y - 32) < 16 ? 240.0 : 16.0; }},
      {"frame",
       [](int x, int y) {
         return std::min({x, y, 63 - x, 63 - y}) < 4 ? 240.0 : 16.0;
       }},
  };
  const json c = find_case("libredgetpu looming 64");
  int checked = 0;
  for (const json& scene : c["scenes"]) {
    const auto rule = rules.find(scene["name"]);
    if (rule == rules.end()) continue;  // of photographs that are not here
    const Bytes input = picture_of(64, rule->second);
    ASSERT_EQ(sha256_hex(input), scene["input_sha256"]) << rule->first;
    const fs::path model = models() / "libredgetpu" / "looming_64x64_3x3.tflite";
    EXPECT_EQ(numbers(run_bytes(model, "edgetpu", input)),
              scene["device_bytes"].get<std::vector<int>>())
        << rule->first;
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

// SOFTMAX over 4096 values, then weighted sums: the bytes behind printed positions.
TEST(EdgetpuSilicon, SpotTracker) {
  NEED_SILICON();
  const json c = find_case("libredgetpu spot tracker bright 64");
  int checked = 0;
  for (const json& row : c["rows"]) {
    if (row["background"] != "flat") continue;
    const int cx = row["centre"][0], cy = row["centre"][1];
    const Bytes input = picture_of(64, [&](int x, int y) {
      const double r2 = (x - cx) * (x - cx) + (y - cy) * (y - cy);
      return 16.0 + 239.0 * std::exp(-r2 / 72.0);
    });
    ASSERT_EQ(sha256_hex(input), row["input_sha256"]);
    const fs::path model = models() / "libredgetpu" / "bright_64x64.tflite";
    EXPECT_EQ(numbers(run_bytes(model, "edgetpu", input)),
              row["simulated_bytes"].get<std::vector<int>>())
        << cx << ", " << cy;
    ++checked;
  }
  EXPECT_EQ(checked, 9);
}

}  // namespace
}  // namespace edgetwin::golden
