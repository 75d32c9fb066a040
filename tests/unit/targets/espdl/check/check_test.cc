// Every rule has a document that breaks it and no other.
#include "targets/espdl/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "unit/targets/espdl/check/check_models.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::ModelFile;
using edgetwin::espdl::Target;
using namespace testing;  // NOLINT: the documents' own words

constexpr DataType kI8 = DataType::int8;
constexpr DataType kI16 = DataType::int16;
constexpr DataType kF = DataType::float32;

struct Case {
  Rule rule;
  Target target;
  std::function<Document()> make;
  std::string calculation;  // part of the message
};

Document changed(Document d, const std::function<void(Document&)>& change) {
  change(d);
  return d;
}

Net add(int64_t a, int64_t b, int64_t out) {
  return Net()
      .in("a", {1, 64}, a)
      .in("b", {1, 64}, b)
      .node("Add", {"a", "b"}, {"y"})
      .out("y", {1, 64}, out);
}

Net lut16(int64_t count, std::vector<Attribute> more = {}, int64_t e = -10) {
  more.push_back(s("lut", "t"));
  return unary("LUT", std::move(more), {1, 64}, kI16).constant("t", kI16, {count}, {e}, 5);
}

Net resize(std::string mode, std::string how, Dims from, Dims to, int64_t e_out = -5) {
  return Net()
      .in("x", from)
      .numbers("sizes", {to[0], to[3], to[1], to[2]})
      .node("Resize", {"x", "", "", "sizes"}, {"y"},
            {s("mode", std::move(mode)), s("coordinate_transformation_mode", std::move(how)),
             s("nearest_mode", "floor")})
      .out("y", to, e_out);
}

Net requantize(int64_t from, int64_t to) {
  return Net().in("x", {1, 64}, from).node("RequantizeLinear", {"x"}, {"y"}).out("y", {1, 64}, to);
}

Net gru(std::vector<Attribute> more = {}) {
  more.push_back(i("hidden_size", 16));
  more.push_back(i("linear_before_reset", 1));
  more.push_back(i("gate_exponent", -9));
  return Net()
      .in("x", {3, 1, 16})
      .constant("w", kI8, {1, 48, 16}, {-7}, 1)
      .constant("r", kI8, {1, 48, 16}, {-7}, 1)
      .constant("b", kI16, {1, 96}, {-9}, 1)
      .node("GRU", {"x", "w", "r", "b"}, {"y"}, std::move(more))
      .out("y", {3, 1, 1, 16}, -7);
}

Net prelu(Dims slope, int64_t out = -5, Dims input = {1, 2, 2, 8}) {
  return Net()
      .in("x", input)
      .constant("a", kI8, std::move(slope), {-5}, 4)
      .node("PRelu", {"x", "a"}, {"y"})
      .out("y", input, out);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {Rule::other_target, Target::esp32s3,
       [] {
         return changed(add(-5, -5, -5).d, [](Document& d) {
           d.metadata.push_back({"target", "esp32p4"});
         });
       },
       "target 'esp32p4', the check is for esp32s3"},
      {Rule::weights_order, Target::esp32s3, [] { return conv({.tag = "NHWC"}).d; },
       "stored as NHWC"},
      {Rule::unknown_operator, Target::c, [] { return unary("Erf").d; }, "no operator 'Erf'"},
      {Rule::no_float, Target::c,
       [] {
         return unary("MaxPool", pool(), {1, 4, 4, 2}, kF).d;
       },
       "F32"},
      {Rule::resize_int16, Target::esp32p4,
       [] {
         Net net = resize("nearest", "asymmetric", {1, 2, 2, 8}, {1, 4, 4, 8});
         for (auto* list : {&net.d.values, &net.d.inputs, &net.d.outputs}) {
           for (ValueInfo& v : *list) v.type = kI16;
         }
         net.d.nodes[0].attributes.back().s = "S16";
         return net.d;
       },
       "S16"},
      {Rule::attribute_missing, Target::c,
       [] {
         return unary("MaxPool", {is("strides", {1, 1}), is("kernel_shape", {1, 1})}, {1, 4, 4, 2})
             .d;
       },
       "pads is missing"},
      {Rule::float_list, Target::c,
       [] {
         return changed(unary("Neg").d, [](Document& d) {
           Attribute a;
           a.name = "scales";
           a.type = AttributeType::floats;
           a.floats = {1.0F, 2.0F};
           d.nodes[0].attributes.push_back(a);
         });
       },
       "list of 2 floats"},
      {Rule::quant_type_unknown, Target::c,
       [] {
         return Net().in("x", {1, 64}).node("Neg", {"x"}, {"y"}, {}, "U8").out("y", {1, 64}).d;
       },
       "'U8'"},
      {Rule::quant_type_mismatch, Target::c,
       [] {
         return Net().in("x", {1, 64}).node("Neg", {"x"}, {"y"}, {}, "S16").out("y", {1, 64}).d;
       },
       "'x' is INT8, quant_type S16 means INT16"},
      {Rule::assignment_type, Target::c,
       [] {
         return Net()
             .in("x", {1, 64}, 0, DataType::int32)
             .node("QuantizeLinear", {"x"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "'x' is INT32"},
      {Rule::unresolved_input, Target::c,
       [] {
         return Net().in("x", {1, 64}).node("Neg", {"z"}, {"y"}).out("y", {1, 64}).d;
       },
       "input 'z'"},
      {Rule::duplicate_name, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .node("Neg", {"x"}, {"y"})
             .node("Neg", {"x"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "'y' exists already"},
      {Rule::wrong_order, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .value("h", {1, 64})
             .node("Neg", {"h"}, {"y"})
             .node("Neg", {"x"}, {"h"})
             .out("y", {1, 64})
             .d;
       },
       "made by #1 Neg 'n1'"},
      {Rule::computed_parameter, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .in("shape", {2}, 0, DataType::int64)
             .node("Reshape", {"x", "shape"}, {"y"}, {i("allowzero", 0)})
             .out("y", {8, 8})
             .d;
       },
       "the shape, input 1 'shape'"},
      {Rule::undeclared_tensor, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .node("Neg", {"x"}, {"h"})
             .node("Neg", {"h"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "'h' has no entry"},
      {Rule::output_not_made, Target::c,
       [] {
         return changed(unary("Neg").out("z", {1, 64}).d, [](Document&) {});
       },
       "no operator makes"},
      {Rule::exponents_missing, Target::c,
       [] {
         return changed(unary("Softmax", {i("axis", -1)}, {1, 64}, kF).d,
                        [](Document& d) { d.values[1].exponents.clear(); });
       },
       "0 exponents"},
      {Rule::exponents_many, Target::c,
       [] {
         return changed(add(-5, -5, -5).d, [](Document& d) { d.values[0].exponents = {-5, -5}; });
       },
       "2 exponents"},
      {Rule::group_exponents, Target::esp32p4, [] { return add(-6, -6, -7).d; },
       "'a' -6, 'b' -6, 'y' -7: the integers are used as they are, real values are off by the "
       "factor 2^(-6 - (-7)) = 2^1"},
      {Rule::clip_bounds, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .constant("low", kI8, {}, {-5}, 0)
             .constant("high", kI8, {}, {-4}, 96)
             .node("Clip", {"x", "low", "high"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "'x' -5, 'high' -4"},
      {Rule::prelu_exponents, Target::c,
       [] {
         return prelu({8, 1, 1}, -4).d;
       },
       "2^1"},
      {Rule::exponent_range, Target::c,
       [] {
         return changed(unary("Neg").d, [](Document& d) {
           for (auto* list : {&d.values, &d.inputs, &d.outputs}) {
             for (ValueInfo& v : *list) v.exponents = {-31};
           }
         });
       },
       "exponent -31"},
      {Rule::per_channel_target, Target::esp32s3,
       [] { return conv({.weight_exponents = Dims(16, -7), .bias_exponents = Dims(16, -12)}).d; },
       "'w' has 16 exponents; Conv on the target esp32s3"},
      {Rule::per_channel_count, Target::esp32p4,
       [] { return conv({.weight_exponents = Dims(5, -7)}).d; },
       "5 exponents for 16 output channels"},
      {Rule::reshape_exponents, Target::c,
       [] {
         return Net()
             .in("x", {1, 64}, -5)
             .numbers("shape", {8, 8})
             .node("Reshape", {"x", "shape"}, {"y"}, {i("allowzero", 0)})
             .out("y", {8, 8}, -4)
             .d;
       },
       "'x' -5, 'y' -4"},
      {Rule::negative_shift, Target::esp32s3, [] { return conv({.out_exponent = -14}).d; },
       "e(output) - e(input) - e(weight) = -14 - (-5) - (-7) = -2"},
      {Rule::wide_shift, Target::esp32p4,
       [] {
         return conv({.weight_exponents = {-33}, .bias_exponents = {-38}, .out_exponent = -4}).d;
       },
       "-4 - (-5) - (-33) = 34, at most 31"},
      {Rule::requantize_factor, Target::esp32s3, [] { return requantize(2, -5).d; },
       "2^(2 - (-5)) = 2^7, possible are up to 2^6 in 8 bits"},
      {Rule::bias_type, Target::esp32s3,
       [] { return conv({.bias_exponents = {-5}, .bias_type = kI8}).d; },
       "is INT8, S8 needs INT32"},
      {Rule::bias_exponent, Target::esp32s3, [] { return conv({.bias_exponents = {-11}}).d; },
       "e(bias) = -11, e(input) + e(weight) = -5 + (-7) = -12"},
      {Rule::grouped, Target::c,
       [] {
         return conv({.weight_dims = {1, 1, 16, 8}, .group = 2, .tag = "HWCN"}).d;
       },
       "group 2, 16 output channels, 8 input channels"},
      {Rule::batch, Target::esp32p4, [] { return conv({.batch = 2}).d; }, "a batch of 2"},
      {Rule::fused_activation, Target::esp32p4,
       [] { return conv({.more = {s("activation", "Clip")}}).d; }, "'Clip'"},
      {Rule::auto_pad, Target::esp32p4,
       [] { return conv({.more = {s("auto_pad", "SAME_UPPER")}}).d; }, "'SAME_UPPER'"},
      {Rule::gemm_form, Target::c,
       [] {
         return Net()
             .in("x", {1, 16})
             .constant("w", kI8, {1, 1, 16, 16}, {-7}, 1)
             .node("Gemm", {"x", "w"}, {"y"}, {i("transB", 1)})
             .out("y", {1, 16}, -4)
             .d;
       },
       "transB is 1"},
      {Rule::partial_sums, Target::esp32s3,
       [] {
         return Net()
             .in("x", {1, 48})
             .constant("w", kI8, {1, 1, 48, 16}, {-7}, 127)
             .node("Gemm", {"x", "w"}, {"y"})
             .out("y", {1, 16}, -2)
             .d;
       },
       "16 of 16 channels; the largest sum, 780288 in channel 0, exceeds 2^19 = 524288 of 20 bits"},
      {Rule::ceil_mode, Target::c,
       [] {
         return unary("MaxPool", pool({i("ceil_mode", 1)}), {1, 4, 4, 2}).d;
       },
       "ceil_mode is 1"},
      {Rule::count_include_pad, Target::c,
       [] {
         return unary("AveragePool",
                      {is("strides", {1, 1}), is("kernel_shape", {3, 3}), is("pads", {1, 1, 1, 1})},
                      {1, 4, 4, 2})
             .d;
       },
       "pads [1, 1, 1, 1] and count_include_pad 0"},
      {Rule::pool_dilations, Target::c,
       [] {
         return unary("MaxPool", pool({is("dilations", {2, 2})}), {1, 4, 4, 2}).d;
       },
       "[2, 2]"},
      {Rule::lut_missing, Target::esp32p4, [] { return unary("Gelu").d; },
       "there is no attribute lut"},
      {Rule::lut_unresolved, Target::c, [] { return unary("Sigmoid", {s("lut", "gone")}).d; },
       "'gone' is not in the file"},
      {Rule::lut_length, Target::esp32p4, [] { return lut16(256).d; },
       "256 entries: the runtime derives the step 65536 / (256 - 1) = 257, and the last entry is "
       "missing"},
      {Rule::lut_exponent, Target::esp32s3, [] { return lut16(2049, {}, -11).d; },
       "the table's exponent is -11, the output's -10"},
      {Rule::lut_type, Target::esp32s3,
       [] { return unary("LUT", {s("lut", "t")}).constant("t", kI16, {256}, {-5}, 5).d; },
       "is INT16, S8 needs INT8"},
      {Rule::lut_ignored, Target::esp32s3,
       [] {
         return unary("Tanh", {s("lut", "t")}, {1, 64}, kI16)
             .constant("t", kI16, {2049}, {-10}, 5)
             .d;
       },
       "'t' of 4098 bytes is not read by Tanh with S16"},
      {Rule::lut_step, Target::esp32s3, [] { return lut16(2049, {i("int16_lut_step", 256)}).d; },
       "int16_lut_step is 256, 2049 entries make the step 65536 / (2049 - 1) = 32"},
      {Rule::depth_to_space_dcr, Target::c,
       [] {
         return Net()
             .in("x", {1, 2, 2, 16})
             .node("DepthToSpace", {"x"}, {"y"}, {i("blocksize", 2), s("mode", "DCR")})
             .out("y", {1, 4, 4, 4})
             .d;
       },
       "16 channels / (2 * 2) = 4 output channels"},
      {Rule::space_to_depth_order, Target::c,
       [] {
         return Net()
             .in("x", {1, 4, 4, 3})
             .node("SpaceToDepth", {"x"}, {"y"}, {i("blocksize", 2)})
             .out("y", {1, 2, 2, 12})
             .d;
       },
       "c * 4 + (position in the block)"},
      {Rule::resize_coordinates, Target::c,
       [] {
         return resize("linear", "pytorch_half_pixel", {1, 2, 2, 8}, {1, 4, 4, 8}).d;
       },
       "'pytorch_half_pixel'"},
      {Rule::resize_mode, Target::c,
       [] {
         return resize("cubic", "half_pixel", {1, 2, 2, 8}, {1, 4, 4, 8}).d;
       },
       "'cubic'"},
      {Rule::resize_single, Target::c,
       [] {
         return resize("linear", "half_pixel", {1, 1, 2, 8}, {1, 2, 4, 8}).d;
       },
       "axis 1 has 1 element and grows to 2"},
      {Rule::resize_exponents, Target::c,
       [] {
         return resize("nearest", "asymmetric", {1, 2, 2, 8}, {1, 4, 4, 8}, -4).d;
       },
       "'x' -5, 'y' -4"},
      {Rule::split_num_outputs, Target::c,
       [] {
         return Net()
             .in("x", {1, 8})
             .node("Split", {"x"}, {"y", "z"}, {i("axis", 1), i("num_outputs", 2)})
             .out("y", {1, 4})
             .out("z", {1, 4})
             .d;
       },
       "num_outputs is 2: parts of length 2, of 8 elements"},
      {Rule::reduce_l2_range, Target::c,
       [] {
         return Net()
             .in("x", {1, 64}, -16, kI16)
             .numbers("axes", {1})
             .node("ReduceL2", {"x", "axes"}, {"y"}, {}, "S16")
             .out("y", {1, 1}, -10, kI16)
             .d;
       },
       "e(input) = -16"},
      {Rule::softmax_overflow, Target::c,
       [] {
         return Net()
             .in("x", {1, 8}, 0)
             .node("Softmax", {"x"}, {"y"}, {i("axis", -1)})
             .out("y", {1, 8}, 0, kF)
             .d;
       },
       "127 * 2^0 = 127"},
      {Rule::gather_negative, Target::c,
       [] {
         return Net()
             .in("x", {1, 8})
             .numbers("at", {0, -1})
             .node("Gather", {"x", "at"}, {"y"}, {i("axis", 1)})
             .out("y", {1, 2})
             .d;
       },
       "index -1, the axis has 8 elements"},
      {Rule::slice_step, Target::c,
       [] {
         return Net()
             .in("x", {1, 8})
             .numbers("starts", {7})
             .numbers("ends", {-9})
             .numbers("axes", {1})
             .numbers("steps", {-1})
             .node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"})
             .out("y", {1, 8})
             .d;
       },
       "a step of -1"},
      {Rule::div_first_run, Target::c,
       [] {
         return Net()
             .in("a", {1, 64})
             .in("b", {1})
             .node("Div", {"a", "b"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "the denominator 'b'"},
      {Rule::div_zero, Target::c,
       [] {
         return Net()
             .in("a", {1, 64})
             .constant("b", kI8, {1}, {-5}, 0)
             .node("Div", {"a", "b"}, {"y"})
             .out("y", {1, 64})
             .d;
       },
       "'b' is the constant 0"},
      {Rule::prelu_shape, Target::c, [] { return prelu({8}).d; }, "the slope 1 dimensions and 8"},
      {Rule::prelu_single, Target::c,
       [] {
         return prelu({1, 1, 1}).d;
       },
       "1 slope for 8 channels"},
      {Rule::clip_float, Target::c,
       [] {
         return Net()
             .in("x", {1, 64}, 0, kF)
             .constant("high", kF, {}, {0}, 6)
             .node("Clip", {"x", "", "high"}, {"y"}, {}, "F32")
             .out("y", {1, 64}, 0, kF)
             .d;
       },
       "no lower bound"},
      {Rule::mod_fmod, Target::c,
       [] {
         return Net()
             .in("a", {1, 64})
             .in("b", {1, 64})
             .node("Mod", {"a", "b"}, {"y"}, {i("fmod", 0)})
             .out("y", {1, 64})
             .d;
       },
       "fmod is 0"},
      {Rule::pad_mode, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .numbers("pads", {0, 1, 0, 1})
             .node("Pad", {"x", "pads"}, {"y"}, {s("mode", "wrap")})
             .out("y", {1, 66})
             .d;
       },
       "'wrap'"},
      {Rule::pad_axes, Target::c,
       [] {
         return Net()
             .in("x", {1, 64})
             .numbers("pads", {0, 1, 0, 1})
             .numbers("axes", {0, 1})
             .node("Pad", {"x", "pads", "", "axes"}, {"y"}, {s("mode", "edge")})
             .out("y", {1, 66})
             .d;
       },
       "'axes' is not read"},
      {Rule::scatter_mul, Target::c,
       [] {
         return Net()
             .in("x", {8, 2})
             .list("at", DataType::int64, {1, 1}, {0}, {3})
             .in("v", {1, 2})
             .node("ScatterND", {"x", "at", "v"}, {"y"}, {s("reduction", "mul")})
             .out("y", {8, 2})
             .d;
       },
       "too large by 2^5"},
      {Rule::rank, Target::c,
       [] {
         return Net()
             .in("a", {1, 2, 2, 2, 4})
             .in("b", {1, 2, 2, 2, 4})
             .node("Add", {"a", "b"}, {"y"})
             .out("y", {1, 2, 2, 2, 4})
             .d;
       },
       "'a' has 5 dimensions"},
      {Rule::spatial_rank, Target::c,
       [] {
         return unary("GlobalAveragePool", {}, {1, 64}).d;
       },
       "2 dimensions [1, 64]"},
      {Rule::cache_axis, Target::c,
       [] {
         return Net()
             .in("x", {2, 3, 8})
             .node("StreamingCache", {"x"}, {"y"}, {i("window_size", 3), i("frame_axis", 1)})
             .out("y", {2, 5, 8})
             .d;
       },
       "dimension 0 before it is 2"},
      {Rule::recurrent_inferred, Target::c, [] { return gru().d; }, "not a recording"},
      {Rule::plan_remark, Target::c,
       [] {
         return Net().in("x", {1, 64}).node("Neg", {"x"}, {"y"}).out("y", {64, 1}).d;
       },
       "64x1"},
  };
  return kCases;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += f.id + " " + to_text(f.place) + ": " + f.message + "\n";
  return text;
}

// Rules that cannot be broken alone, and those of the file; tested below.
const std::set<Rule> kApart = {Rule::header_edl1,    Rule::reader_remark,
                               Rule::bias_range,     Rule::recurrent_reverse,
                               Rule::recurrent_form, Rule::recurrent_state};

TEST(Check, EveryRuleHasACase) {
  std::set<Rule> covered = kApart;
  for (const Case& c : cases()) covered.insert(c.rule);
  for (size_t i = 0; i < all_rules().size(); ++i) {
    EXPECT_TRUE(covered.contains(static_cast<Rule>(i))) << all_rules()[i].id;
  }
}

TEST(Check, EachCaseBreaksItsRuleAlone) {
  for (const Case& c : cases()) {
    const RuleInfo& row = info(c.rule);
    const auto findings = check(c.make(), c.target);
    std::set<std::string> ids;
    bool calculated = false;
    for (const Finding& f : findings) {
      ids.insert(f.id);
      calculated = calculated || f.message.find(c.calculation) != std::string::npos;
      EXPECT_FALSE(f.place.empty()) << row.id;
    }
    EXPECT_EQ(ids, std::set<std::string>{std::string(row.id)}) << row.id << "\n"
                                                               << text_of(findings);
    EXPECT_TRUE(calculated) << row.id << " without '" << c.calculation << "'\n"
                            << text_of(findings);
    ASSERT_FALSE(findings.empty()) << row.id;
    EXPECT_EQ(findings[0].severity, row.severity) << row.id;
  }
}

TEST(Check, RightModelsHaveNoFindings) {
  const std::vector<std::pair<Document, Target>> right = {
      {conv().d, Target::esp32s3},
      {conv().d, Target::esp32p4},
      {conv({.tag = "NHWC"}).d, Target::c},
      {conv({.weight_exponents = Dims(16, -7), .bias_exponents = Dims(16, -12)}).d,
       Target::esp32p4},
      {add(-5, -5, -5).d, Target::esp32s3},
      {lut16(2049, {i("int16_lut_step", 32)}).d, Target::esp32p4},
      {requantize(1, -5).d, Target::esp32s3},
      {requantize(2, -5).d, Target::esp32p4},
      {prelu({8, 1, 1}).d, Target::c},
      {resize("nearest", "asymmetric", {1, 2, 2, 8}, {1, 4, 4, 8}).d, Target::esp32s3},
      {unary("Sigmoid").d, Target::c},
  };
  for (const auto& [document, target] : right) {
    const auto findings = check(document, target);
    EXPECT_TRUE(findings.empty()) << document.nodes[0].op_type << "\n" << text_of(findings);
  }
}

bool has(const std::vector<Finding>& findings, Rule rule, Severity severity,
         const std::string& part) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.id == info(rule).id && f.severity == severity &&
           f.message.find(part) != std::string::npos;
  });
}

TEST(Check, BiasesAreMeasuredInTheirLanes) {
  // 2^19 needs 21 bits; a bias so large can also leave its accumulator together with products.
  const auto at = [](int64_t bias, Target target) { return check(conv({.bias = bias}).d, target); };
  EXPECT_TRUE(has(at(524288, Target::esp32s3), Rule::bias_range, Severity::error,
                  "16 of 16 channels; the largest bias, 524288 in channel 0"));
  EXPECT_FALSE(has(at(520000, Target::esp32s3), Rule::bias_range, Severity::error, ""));
  EXPECT_FALSE(has(at(-524288, Target::esp32s3), Rule::bias_range, Severity::error, ""));
  EXPECT_TRUE(has(at(-524289, Target::esp32s3), Rule::bias_range, Severity::error, ""));
  EXPECT_TRUE(at(524288, Target::esp32p4).empty());
}

TEST(Check, PartialSumsAreExact) {
  // 16 channels of weight 127 and input -128 or 127: 16 * 127 * 128 = 260096 in either direction.
  const auto with_bias = [](int64_t bias) {
    return check(conv({.weight = 127, .bias = bias}).d, Target::esp32s3);
  };
  EXPECT_TRUE(with_bias(524287 - 16 * 127 * 127).empty());
  EXPECT_TRUE(
      has(with_bias(524288 - 16 * 127 * 127), Rule::partial_sums, Severity::note, "16 of 16"));
  EXPECT_TRUE(with_bias(-524288 + 16 * 127 * 128).empty());
  EXPECT_TRUE(has(with_bias(-524289 + 16 * 127 * 128), Rule::partial_sums, Severity::note, ""));
}

TEST(Check, RecurrentOperatorsAreReadClosely) {
  const auto reverse = check(gru({s("direction", "reverse")}).d, Target::c);
  EXPECT_TRUE(has(reverse, Rule::recurrent_reverse, Severity::error, "forward"));
  Document batch = gru().d;
  batch.values[0].shape[1] = 2;
  EXPECT_TRUE(has(check(batch, Target::c), Rule::recurrent_form, Severity::error, "batch is 2"));
  Document state = gru().out("h", {1, 1, 16}, -6).d;
  state.nodes[0].outputs.push_back("h");
  EXPECT_TRUE(has(check(state, Target::c), Rule::recurrent_state, Severity::error,
                  "'y' -7, 'h' -6 must be equal"));
}

TEST(Check, MulMayShiftLeftWhereItIsFloat) {
  const auto mul = [](Dims dims, Target target) {
    return check(
        Net().in("a", dims).in("b", dims).node("Mul", {"a", "b"}, {"y"}).out("y", dims, -12).d,
        target);
  };
  EXPECT_TRUE(has(mul({1, 64}, Target::esp32s3), Rule::negative_shift, Severity::error,
                  "-12 - (-5) - (-5) = -2"));
  EXPECT_TRUE(has(mul({1, 8}, Target::esp32s3), Rule::negative_shift, Severity::note, "float"));
  EXPECT_TRUE(has(mul({1, 64}, Target::c), Rule::negative_shift, Severity::note, "float"));
}

TEST(Check, ConvOnPlainChipsShiftsLeft) {
  const auto findings = check(conv({.out_exponent = -14, .tag = "NHWC"}).d, Target::c);
  EXPECT_TRUE(has(findings, Rule::negative_shift, Severity::note, "shifts left"));
}

TEST(Check, SaysWhatTheReaderHasSeen) {
  ModelFile model;
  model.edl_version = 1;
  model.document = unary("Neg").d;
  model.findings.push_back({Severity::note, "", "payload", "3 bytes after the model", ""});
  const auto findings = check(model, Target::c);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, info(Rule::header_edl1).id);
  EXPECT_EQ(findings[1].id, info(Rule::reader_remark).id);
  EXPECT_EQ(findings[1].message, "3 bytes after the model");
}

TEST(Check, AllCausesOfOneModelAtOnce) {
  Document d = add(-6, -6, -7).d;
  const auto more = unary("Erf").d;
  d.nodes.push_back(more.nodes[0]);
  d.nodes.back().inputs = {"y"};
  d.nodes.back().outputs = {"z"};
  const auto findings = check(d, Target::esp32s3);
  std::set<std::string> ids;
  for (const Finding& f : findings) ids.insert(f.id);
  EXPECT_EQ(ids, (std::set<std::string>{"ESPDL-EXP-01", "ESPDL-OP-01", "ESPDL-REF-05"}));
}

TEST(Check, ErrorsOfPlanningThatNoRuleForeseesAreFindings) {
  const auto findings =
      check(Net().in("a", {1, 3}).in("b", {1, 4}).node("Add", {"a", "b"}, {"y"}).out("y", {1, 4}).d,
            Target::c);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "OPS-SHAPE-01");
  EXPECT_EQ(findings[0].place, "#0 Add 'n0'");
  EXPECT_FALSE(findings[0].hint.empty());
  CheckOptions without;
  without.plan = false;
  EXPECT_TRUE(check(unary("Neg").d, Target::c, without).empty());
}

TEST(Check, MissingAttributesWeighDifferently) {
  const auto severity = [](const Document& d) {
    for (const Finding& f : check(d, Target::c)) {
      if (f.id == info(Rule::attribute_missing).id) return f.severity;
    }
    ADD_FAILURE() << "no finding";
    return Severity::note;
  };
  Document d = unary("Neg").d;
  d.nodes[0].attributes.clear();
  EXPECT_EQ(severity(d), Severity::error);  // quant_type
  d = conv({.tag = "NHWC"}).d;
  std::erase_if(d.nodes[0].attributes, [](const auto& a) { return a.name == "kernel_shape"; });
  EXPECT_EQ(severity(d), Severity::note);  // shipped files lack it
}

TEST(Check, SurvivesNonsense) {
  Document d = conv({.weight_exponents = {INT64_MIN}, .bias_exponents = {INT64_MAX}}).d;
  d.values[0].exponents = {INT64_MAX};
  d.values[0].shape = {INT64_MAX, INT64_MAX, -3, INT64_MAX};
  d.nodes[0].outputs.clear();
  d.nodes.push_back(Node());
  for (const Target target : {Target::c, Target::esp32s3, Target::esp32p4}) {
    EXPECT_FALSE(check(d, target).empty());
    EXPECT_NO_FATAL_FAILURE(check(Document(), target));
  }
}

}  // namespace
}  // namespace edgetwin::targets::espdl
