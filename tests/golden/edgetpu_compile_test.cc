// Public networks through the compiler for the Edge TPU: which operators are on the chip, and the
// proof.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/file.h"
#include "edgetwin/compile.h"
#include "edgetwin/edgetpu.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "golden/golden.h"
#include "targets/edgetpu/compile/compile.h"

namespace edgetwin {
namespace {

struct Network {
  const char* file;
  size_t on_chip, operators, groups;
  bool vendor_equal;
  size_t not_decompiled = 0;  // layers that do not come back from the program
};

class EdgetpuCompile : public testing::TestWithParam<Network> {};

TEST_P(EdgetpuCompile, PassesItsProof) {
  const Network& n = GetParam();
  const auto path = golden::shared_data() / "edgetpu" / "models" / n.file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto data = read_file(path.string());
  ASSERT_TRUE(data.ok());
  EdgetpuCompileOptions options;
  options.inputs = 1;
  const auto made = compile_edgetpu(*data, n.file, options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->operators.size(), n.operators);
  EXPECT_EQ(made->on_chip(), n.on_chip);
  EXPECT_EQ(made->groups.size(), n.groups);
  EXPECT_EQ(made->vendor_equal, n.vendor_equal);
  EXPECT_TRUE(made->proven) << made->proof;
  EXPECT_GT(made->layers, 0U);
  EXPECT_EQ(made->layers - made->decompiled, n.not_decompiled) << made->proof;
  // What `check` says is what `compile` does.
  options.plan_only = true;
  const auto plan = compile_edgetpu(*data, n.file, options);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->operators.size(), made->operators.size());
  for (size_t k = 0; k < plan->operators.size(); ++k) {
    EXPECT_EQ(plan->operators[k].group, made->operators[k].group) << k;
    EXPECT_EQ(plan->operators[k].why, made->operators[k].why) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Public, EdgetpuCompile,
    testing::Values(
        Network{"libredgetpu/dense_256.tflite", 3, 3, 1, false},
        Network{"libredgetpu/gabor_64x64_p4.tflite", 4, 4, 1, false},
        Network{"coral_usb_conv/conv2d_k3_same_12x128_32to32.tflite", 1, 1, 1, true},
        Network{"coral_usb_conv/conv2d_k3_same_12x176_32to32.tflite", 1, 1, 1, true},
        Network{"libredgetpu/color_blue_64x64.tflite", 7, 7, 1, false},
        Network{"libredgetpu/looming_64x64_3x3.tflite", 9, 9, 1, false},
        Network{"libredgetpu/bright_16x16.tflite", 6, 6, 1, false},
        Network{"libredgetpu/pattern_64x64_8x8_3ch.tflite", 7, 7, 1, false},
        Network{"coral_test_data/keras_lstm_mnist_ptq.tflite", 6, 6, 1, false},
        Network{"coral_test_data/movenet_single_pose_lightning_ptq.tflite", 105, 157, 3, false},
        Network{"coral_test_data/mobilenet_v1_0.25_128_quant.tflite", 31, 31, 1, false}),
    [](const testing::TestParamInfo<Network>& info) {
      std::string name = std::filesystem::path(info.param.file).stem().string();
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

// A detector's end: its heads leave as lists whose parts are joined in the chip. No source of it is
// public; the network is the one that the vendor's file computes.
TEST(EdgetpuCompile, TheEndOfADetectorComesBack) {
  const auto path = golden::shared_data() / "edgetpu" / "models" / "coral_test_data" / "pipeline" /
                    "ssd_mobilenet_v1_coco_quant_postprocess_segment_1_of_2_edgetpu.tflite";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto theirs = read_file(path.string());
  ASSERT_TRUE(theirs.ok());
  const auto network = decompile(*theirs, "theirs");
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EdgetpuCompileOptions options;
  options.inputs = 1;
  const auto made = compile_edgetpu(network->file, "second half", options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_TRUE(made->proven) << made->proof;
  EXPECT_EQ(made->layers, 21U);
  EXPECT_EQ(made->decompiled, made->layers) << made->proof;
}

// Programs of ours have no more bytes than the vendor's for the same network, and use no more
// narrow memory.
TEST(EdgetpuCompile, ProgramsAreNoLargerThanTheVendors) {
  const auto folder = golden::shared_data() / "edgetpu" / "models";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  for (const std::string name :
       {"coral_test_data/posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder",
        "../silicon/pose/posenet_mobilenet_v1_075_481_641_16_quant_decoder",
        "coral_test_data/posenet/bodypix_mobilenet_v1_075_512_512_16_quant_decoder",
        "coral_test_data/deeplab_mobilenet_edgetpu_slim_cityscapes_quant",
        "coral_test_data/mobilenet_v1_0.5_160_quant", "libredgetpu/looming_64x64_3x3",
        "libredgetpu/looming_128x128_3x3", "libredgetpu/gabor_64x64_p4"}) {
    SCOPED_TRACE(name);
    const auto source = read_file((folder / (name + ".tflite")).string());
    const auto theirs = read_file((folder / (name + "_edgetpu.tflite")).string());
    ASSERT_TRUE(source.ok() && theirs.ok());
    const auto model = tflite::read(*source, name);
    ASSERT_TRUE(model.ok());
    const auto made = edgetpu::compiler::compile_model(*model);
    ASSERT_TRUE(made.ok());
    ASSERT_EQ(made->partition.groups.size(), 1u);
    const auto file = darwinn::read(*theirs, name);
    ASSERT_TRUE(file.ok() && file->ops.size() == 1);
    const darwinn::Executable* ours = made->partition.groups[0].package.inference();
    const darwinn::Executable* vendor = file->ops[0].packages.at(0).inference();
    ASSERT_TRUE(ours != nullptr && vendor != nullptr);
    const auto bytes = [](const darwinn::Executable& e) {
      size_t n = 0;
      for (const auto& b : e.bitstreams) n += b.data.size();
      return n;
    };
    EXPECT_LE(bytes(*ours), bytes(*vendor));
    EXPECT_LE(ours->narrow_memory_per_tile, vendor->narrow_memory_per_tile);
  }
}

// With the vendor's style, from the source alone.
TEST(EdgetpuLikeVendor, WholeFilesComeOutByteForByte) {
  const auto folder = golden::shared_data() / "edgetpu" / "models" / "libredgetpu";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  for (const std::string name :
       {"dense_256", "dense_1024", "gabor_64x64_7k_4o_2s", "gabor_128x128_7k_4o_2s"}) {
    SCOPED_TRACE(name);
    const auto source = read_file((folder / (name + ".tflite")).string());
    const auto theirs = read_file((folder / (name + "_edgetpu.tflite")).string());
    ASSERT_TRUE(source.ok() && theirs.ok());
    EdgetpuCompileOptions options;
    options.inputs = 1;
    options.like_vendor = true;
    const auto made = compile_edgetpu(*source, name, options);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    EXPECT_TRUE(made->proven) << made->proof;
    const auto likeness = compare_edgetpu(made->file, *theirs, name);
    ASSERT_TRUE(likeness.ok()) << to_text(likeness.error());
    EXPECT_TRUE(likeness->same_bytes);
  }
}

// Networks of which no program of the vendor's newest compiler is pinned: a thousand classes after
// scales for each channel, a loop of a recurrent layer, trackers.
TEST(EdgetpuLikeVendor, OtherNetworksPassTheirProof) {
  const auto folder = golden::shared_data() / "edgetpu" / "models";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  for (const std::string name :
       {"coral_test_data/tf2_mobilenet_v2_1.0_224_ptq", "coral_test_data/keras_lstm_mnist_ptq",
        "libredgetpu/bright_64x64", "libredgetpu/color_red_64x64"}) {
    const auto source = read_file((folder / (name + ".tflite")).string());
    ASSERT_TRUE(source.ok()) << name;
    EdgetpuCompileOptions options;
    options.inputs = 1;
    options.like_vendor = true;
    const auto made = compile_edgetpu(*source, name, options);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    EXPECT_TRUE(made->proven) << name << made->proof;
  }
}

// Layers without heads, from the source alone: instructions of the vendor's program, those that are
// equal wherever parameters rest, and of these the ones with equal waits.
struct Body {
  std::string file;
  size_t theirs, anywhere, waits;
  size_t all = 0, equal = 0;  // of the whole program, heads among it; 0: not pinned
  bool decompiled = false;  // no source is public: the network is the one that their file computes
  bool before = false;      // made by the compiler before the newest one
};

Result<Bytes> source_of(const Body& body, const std::filesystem::path& folder,
                        const Bytes& theirs) {
  if (!body.decompiled) return read_file((folder / (body.file + ".tflite")).string());
  EDGETWIN_TRY_ASSIGN(DecompiledNetwork network, decompile(theirs, body.file));
  return std::move(network.file);
}

class EdgetpuLikeVendorBody : public testing::TestWithParam<Body> {};

TEST_P(EdgetpuLikeVendorBody, IsEqualAsFarAsItWas) {
  const Body& pinned = GetParam();
  const bool apart = pinned.file.starts_with("silicon/");
  const auto folder = golden::shared_data() / "edgetpu" / (apart ? "" : "models/coral_test_data");
  const auto theirs_path = folder / (pinned.file + "_edgetpu.tflite");
  if (!std::filesystem::exists(theirs_path)) GTEST_SKIP() << theirs_path << " is not there";
  const auto theirs = read_file(theirs_path.string());
  ASSERT_TRUE(theirs.ok());
  const auto source = source_of(pinned, folder, *theirs);
  ASSERT_TRUE(source.ok()) << to_text(source.error());
  EdgetpuCompileOptions options;
  options.inputs = 1;
  options.like_vendor = true;
  options.like_vendor_17 = pinned.before;
  const auto made = compile_edgetpu(*source, pinned.file, options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_TRUE(made->proven) << made->proof;
  const auto likeness = compare_edgetpu(made->file, *theirs, pinned.file);
  ASSERT_TRUE(likeness.ok()) << to_text(likeness.error());
  EXPECT_EQ(likeness->body.theirs, pinned.theirs);
  EXPECT_EQ(likeness->body.anywhere, pinned.anywhere);
  EXPECT_EQ(likeness->body.waits, pinned.waits);
  size_t all = 0, equal = 0;
  for (const EdgetpuLikeness::Opcode& o : likeness->opcodes) {
    if (!o.order) all += o.theirs, equal += o.equal;
  }
  if (pinned.all != 0) {
    EXPECT_EQ(all, pinned.all);
    EXPECT_EQ(equal, pinned.equal);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Public, EdgetpuLikeVendorBody,
    testing::Values(Body{"mobilenet_v1_0.25_128_quant", 273, 273, 273, 1898, 1898},
                    Body{"mobilenet_v1_0.5_160_quant", 475, 475, 475, 2166, 2166},
                    Body{"mobilenet_v1_0.75_192_quant", 317, 317, 317, 2080, 2080},
                    Body{"deeplabv3_mnv2_dm05_pascal_quant", 925, 925, 925, 1315, 1315},
                    Body{"deeplabv3_mnv2_pascal_quant", 2301, 2301, 2301, 3057, 3057},
                    Body{"movenet_single_pose_lightning_ptq", 785, 785, 785, 1287, 1287},
                    Body{"deeplab_mobilenet_edgetpu_slim_cityscapes_quant", 1432, 1432, 1432, 3129,
                         3129},
                    // Another program than theirs, which passes its proof.
                    Body{"keras_lstm_mnist_ptq", 140, 0, 0, 439, 9},
                    Body{"posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder", 757, 757, 757,
                         1018, 1018},
                    Body{"silicon/pose/posenet_mobilenet_v1_075_481_641_16_quant_decoder", 1481,
                         1481, 1481, 1854, 1854},
                    Body{"posenet/bodypix_mobilenet_v1_075_512_512_16_quant_decoder", 860, 854, 854,
                         1224, 1218, false, true},
                    Body{"pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_0_of_2", 652,
                         652, 652, 829, 829, true},
                    Body{"pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_1_of_2", 565,
                         565, 565, 831, 771, true},
                    Body{"pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_3_of_4", 498,
                         498, 498, 814, 770, true}),
    [](const testing::TestParamInfo<Body>& info) {
      std::string name = std::filesystem::path(info.param.file).filename().string();
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace edgetwin
