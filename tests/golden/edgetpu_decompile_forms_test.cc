// What the decompiler finds must not depend on how a compiler happened to write it down: programs
// of the data folder with loops fused, split, left out and written where they do nothing, with
// tiles apart, and those of a whole family of shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "golden/json_file.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"

namespace edgetwin::golden {
namespace {

using namespace edgetpu;
using nlohmann::json;

fs::path models() { return shared_data() / "edgetpu" / "models"; }

// ---- one family, many shapes -----------------------------------------------------------------
TEST(EdgetpuDecompileForms, EveryMemberOfTheConvolutions) {
  if (!fs::exists(models())) GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(models() / "coral_usb_conv")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".eo.bin")) continue;
    fs::path card_path = entry.path();
    card_path.replace_extension();
    const json card = load_json(card_path.replace_extension(".json"));
    const auto data = read_file(entry.path());
    ASSERT_TRUE(data.ok());
    const auto executable = darwinn::read_executable(*data, name);
    ASSERT_TRUE(executable.ok()) << name;
    const auto found = find_layers(*executable, nullptr);
    ASSERT_TRUE(found.ok()) << name << " " << to_text(found.error());
    ASSERT_EQ(found->layers.size(), 1U) << name;
    const DecompiledLayer& l = found->layers[0];
    const Extent2D in{card["height"], card["width"], card["in_channels"]};
    const Extent2D out{card["height"], card["width"], card["out_channels"]};
    EXPECT_EQ(l.type, LayerType::conv) << name;
    EXPECT_EQ(l.in, in) << name;
    EXPECT_EQ(l.out, out) << name;
    EXPECT_EQ(l.kernel_h, card["kernel_size"].get<int>()) << name;
    EXPECT_EQ(l.kernel_w, card["kernel_size"].get<int>()) << name;
    EXPECT_EQ(l.stride_h, card["stride"].get<int>()) << name;
    EXPECT_EQ(l.stride_w, card["stride"].get<int>()) << name;
    EXPECT_EQ(l.dilation, 1) << name;
    EXPECT_EQ(l.pad, DecompiledLayer::Pad::same) << name;
    EXPECT_EQ(l.inputs, (std::vector<Operand>{{{input_producer(0)}}})) << name;
    EXPECT_EQ(l.numbers.input_zero_point, card["input"]["zero_point"].get<int>() + 128) << name;
    EXPECT_EQ(l.numbers.output_zero_point, card["output"]["zero_point"].get<int>() + 128) << name;
    // A scale for each channel stands in the parameters; the instruction multiplies by one.
    EXPECT_TRUE(l.numbers.has_scales && l.numbers.multiplier == 1.0F) << name;
    EXPECT_EQ(l.shape.has_bias, card["use_bias"].get<bool>()) << name;
    ASSERT_EQ(found->outputs.size(), 1U) << name;
    EXPECT_EQ(found->outputs[0].from.from, std::vector<Producer>{0}) << name;
    ++compared;
  }
  EXPECT_GE(compared, 90);
}

// ---- the same program, written in another way --------------------------------------------------
struct Form {
  std::string side;  // "in" or "out"
  int64_t start = 0;
  std::vector<Level> levels;
};

// A tensor instruction taken apart, changed, and put together again.
struct FormTensor {
  Bytes bytes;
  Form in, out;
  uint32_t tiles = 0;
  explicit FormTensor(const Instruction& i) : bytes(i.bytes.begin(), i.bytes.end()) {
    const Nest n = *decode_nest(i);
    tiles = n.tiles;
    const auto take = [](const char* side, const Traversal& t) {
      return Form{side, t.start, {t.level.begin(), t.level.begin() + static_cast<long>(t.size)}};
    };
    in = take("in", n.in);
    out = take("out", n.out);
  }
  uint64_t get(const std::string& field) const {
    const FieldInfo* f = field_named(Opcode::tensor, field);
    return get_bits(bytes, f->bit, f->width);
  }
  void put(const std::string& field, uint64_t value, size_t element = 0) {
    const FieldInfo* f = field_named(Opcode::tensor, field);
    set_bits(bytes, f->bit_of(element), f->width, value);
  }
  void put(const Form& form) {
    put(form.side + ".start", static_cast<uint64_t>(form.start));
    int64_t end = 0;
    for (size_t k = 0; k < kLoopLevels; ++k) {
      const Level l = k < form.levels.size() ? form.levels[k] : Level{0, 1, end};
      put(form.side + ".step", static_cast<uint64_t>(l.net - end), k);
      put(form.side + ".count", static_cast<uint64_t>(l.count - 1), k);
      end += l.net * (l.count - 1);
    }
  }
  Bytes made() {
    put(in);
    put(out);
    put("tiles", tiles);
    return bytes;
  }
  // The innermost level of the output is a burst and stays; levels with shorter passes too.
  bool shorter() const { return get("out.short_level") != 0 || get("in.short_level") != 0; }
};

using Rewrite = std::function<std::vector<FormTensor>(FormTensor)>;

std::vector<FormTensor> drop_single(FormTensor t) {
  if (t.shorter()) return {t};
  std::erase_if(t.in.levels, [](const Level& l) { return l.count == 1; });
  bool first = true;
  std::erase_if(t.out.levels, [&](const Level& l) {
    const bool drop = !first && l.count == 1;
    first = false;
    return drop;
  });
  return {t};
}

std::vector<FormTensor> add_single(FormTensor t) {
  if (t.shorter()) return {t};
  t = drop_single(t).front();
  for (Form* f : {&t.in, &t.out}) {
    for (size_t k = 1; k < f->levels.size() && f->levels.size() < kLoopLevels; k += 2) {
      f->levels.insert(f->levels.begin() + static_cast<long>(k), Level{0, 1, 8});
    }
  }
  return {t};
}

// Neighbouring loops that go on where the one inside of them ends are one; words of a pixel stay
// apart from pixels, as they do in all public programs.
std::vector<FormTensor> fuse(FormTensor t) {
  if (t.shorter()) return {t};
  t = drop_single(t).front();
  for (Form* f : {&t.in, &t.out}) {
    const size_t first = f == &t.out ? 1 : 0;
    for (size_t k = first; k + 1 < f->levels.size();) {
      Level& a = f->levels[k];
      const Level& b = f->levels[k + 1];
      if (b.net != a.net * a.count || a.net == 0 || a.net == 4) {
        ++k;
        continue;
      }
      a.count *= b.count;
      f->levels.erase(f->levels.begin() + static_cast<long>(k) + 1);
    }
  }
  return {t};
}

// Loops of an even count over positions, of two loops.
std::vector<FormTensor> unfuse(FormTensor t) {
  if (t.shorter()) return {t};
  t = drop_single(t).front();
  for (size_t k = 1; k < t.out.levels.size() && t.out.levels.size() < kLoopLevels; ++k) {
    Level& l = t.out.levels[k];
    const bool groups = l.net == 4 * t.out.levels[0].count && k + 1 == t.out.levels.size();
    if (l.count % 2 != 0 || l.count < 4 || l.net == 4 || groups) continue;
    const Level outer{0, 2, l.net * (l.count / 2)};
    l.count /= 2;
    t.out.levels.insert(t.out.levels.begin() + static_cast<long>(k) + 1, outer);
    break;
  }
  return {t};
}

std::vector<FormTensor> tiles_apart(const FormTensor& t) {
  std::vector<FormTensor> all;
  for (uint32_t tile = 0; tile < 16; ++tile) {
    if ((t.tiles >> tile & 1U) == 0) continue;
    all.push_back(t);
    all.back().tiles = 1U << tile;
  }
  return all;
}

darwinn::Executable rewritten(const darwinn::Executable& from, const Rewrite& rewrite) {
  darwinn::Executable e = from;
  for (darwinn::Bitstream& b : e.bitstreams) {
    Bytes made;
    for (const Instruction& i : parse(b.data).instructions) {
      if (i.opcode() != Opcode::tensor) {
        made.insert(made.end(), i.bytes.begin(), i.bytes.end());
        continue;
      }
      for (FormTensor& t : rewrite(FormTensor(i))) {
        const Bytes bytes = t.made();
        made.insert(made.end(), bytes.begin(), bytes.end());
      }
    }
    b.data = std::move(made);
  }
  return e;
}

std::string text(const DecompiledLayer& l) {
  std::string t(name(l.type));
  for (const Operand& o : l.inputs) {
    t += " from";
    for (const Producer p : o.from) t += " " + std::to_string(p);
  }
  for (const int n : {l.in.h, l.in.w, l.in.c, l.out.h, l.out.w, l.out.c, l.kernel_h, l.kernel_w,
                      l.stride_h, l.stride_w, l.dilation, static_cast<int>(l.pad), l.pad_top,
                      l.pad_left, l.pad_bottom, l.pad_right, l.add_weight[0], l.add_weight[1]}) {
    t += " " + std::to_string(n);
  }
  for (const BlockPlace& b : l.blocks) t += " at " + std::to_string(b.offset);
  return t + " " + l.problem;
}

TEST(EdgetpuDecompileForms, TheWayLoopsAreWrittenDoesNotMatter) {
  if (!fs::exists(models())) GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA";
  const std::pair<const char*, Rewrite> forms[] = {{"single loops left out", drop_single},
                                                   {"single loops written", add_single},
                                                   {"loops fused", fuse},
                                                   {"loops split", unfuse},
                                                   {"a tile each", tiles_apart}};
  const char* const kSsd =
      "coral_test_data/pipeline/"
      "ssd_mobilenet_v1_coco_quant_postprocess_segment_0_of_2_edgetpu.tflite";
  const char* const names[] = {
      "coral_test_data/mobilenet_v1_0.25_128_quant_edgetpu.tflite",
      "coral_test_data/deeplabv3_mnv2_dm05_pascal_quant_edgetpu.tflite",
      "coral_test_data/posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder_edgetpu.tflite",
      "coral_test_data/movenet_single_pose_lightning_ptq_edgetpu.tflite",
      kSsd,
      "coral_usb_conv/conv2d_k3_same_12x176_32to32_edgetpu.tflite",
      "libredgetpu/looming_64x64_3x3_edgetpu.tflite",
      "libredgetpu/color_red_64x64_edgetpu.tflite",
      "libredgetpu/gabor_64x64_p4_edgetpu.tflite",
      "libredgetpu/dense_256_edgetpu.tflite"};
  for (const char* file_name : names) {
    const auto data = read_file(models() / file_name);
    ASSERT_TRUE(data.ok()) << file_name;
    if (kInstrumented && data->size() > (size_t{1} << 20U)) continue;
    const auto file = darwinn::read(*data, file_name);
    ASSERT_TRUE(file.ok()) << file_name;
    const darwinn::Package& package = file->ops.at(0).packages.at(0);
    const auto* caching = package.find(darwinn::ExecutableType::parameter_caching);
    const auto expected = find_layers(*package.inference(), caching);
    ASSERT_TRUE(expected.ok()) << file_name;
    for (const auto& [what, rewrite] : forms) {
      const darwinn::Executable other = rewritten(*package.inference(), rewrite);
      const auto found = find_layers(other, caching);
      ASSERT_TRUE(found.ok()) << file_name << ", " << what << ": " << to_text(found.error());
      ASSERT_EQ(found->layers.size(), expected->layers.size()) << file_name << ", " << what;
      for (size_t l = 0; l < found->layers.size(); ++l) {
        EXPECT_EQ(text(found->layers[l]), text(expected->layers[l]))
            << file_name << ", " << what << ", layer " << l;
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::golden
