#include "lut/error_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "image/image.h"
#include "lut/advise.h"
#include "lut/header.h"
#include "lut/pictures.h"

namespace edgetwin::lut {
namespace {

using ::testing::HasSubstr;

TableSpec swish(int step) {
  TableSpec spec;
  spec.function = Function::swish;
  spec.in_exponent = spec.out_exponent = -12;
  spec.step = step;
  return spec;
}

Tensor shortened(const Tensor& table, int64_t count) {
  Tensor t = *Tensor::zeros(table.dtype, Shape{count});
  std::copy_n(table.data.begin(), t.data.size(), t.data.begin());
  return t;
}

TEST(Fencepost, TablesOfTheRightLengthAreComplete) {
  for (int step = 1; step <= 32768; step *= 2) {
    const auto f = check_fencepost(*build(swish(step)), LutRule::interpolate, Rounding::half_up);
    ASSERT_TRUE(f.ok());
    EXPECT_TRUE(f->complete) << step;
    EXPECT_EQ(f->intended_step, step);
  }
}

// 256 entries: the runtime takes 257 for the step, and nothing is right any more.
TEST(Fencepost, StepOf256WithoutItsLastEntry) {
  const Tensor table = shortened(*build(swish(256)), 256);
  const auto f = check_fencepost(table, LutRule::interpolate, Rounding::half_up);
  ASSERT_TRUE(f.ok());
  EXPECT_FALSE(f->complete);
  EXPECT_EQ(f->derived_step, 257);
  EXPECT_EQ(f->intended_step, 256);
  EXPECT_EQ(f->needed, 257);
  EXPECT_EQ(f->reads_beyond, 1);
  EXPECT_EQ(f->first_beyond, 32767);
  EXPECT_EQ(f->undefined, 0);  // its weight is 0
  EXPECT_GT(f->wrong, 25000);
  EXPECT_GT(f->largest_wrong, 100);
  const Error error = f->error();
  EXPECT_EQ(error.code, ErrorCode::lut_fencepost);
  EXPECT_EQ(error.message, "the table lacks its last entry: it has 256 and needs 257");
  EXPECT_THAT(to_text(error), HasSubstr("65536 / (256 - 1) = 257"));

  const auto stopped = check_fencepost(table, LutRule::nearest, Rounding::half_up);
  ASSERT_TRUE(stopped.ok());
  EXPECT_FALSE(stopped->runs);
}

// 2048 entries: the step is right by luck, the last 31 inputs read after the end.
TEST(Fencepost, StepOf32WithoutItsLastEntry) {
  const Tensor table = shortened(*build(swish(32)), 2048);
  const auto f = check_fencepost(table, LutRule::interpolate, Rounding::half_up);
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f->derived_step, 32);
  EXPECT_EQ(f->reads_beyond, 32);
  EXPECT_EQ(f->first_beyond, 32736);
  EXPECT_EQ(f->last_beyond, 32767);
  EXPECT_EQ(f->undefined, 31);
  EXPECT_EQ(f->wrong, 0);
  const auto n = check_fencepost(table, LutRule::nearest, Rounding::half_up);
  ASSERT_TRUE(n.ok());
  EXPECT_EQ(n->reads_beyond, 16);
  EXPECT_EQ(n->undefined, 16);
}

TEST(Fencepost, LengthsOfNoStep) {
  const Tensor table = shortened(*build(swish(1)), 657);
  const auto f = check_fencepost(table, LutRule::interpolate, Rounding::half_up, 100);
  ASSERT_TRUE(f.ok());
  EXPECT_FALSE(f->complete);
  EXPECT_EQ(f->derived_step, 99);
  EXPECT_EQ(f->intended_step, 100);
  EXPECT_GT(f->wrong, 0);
  // Derived step 1, but most inputs lie after the end.
  const auto g =
      check_fencepost(shortened(*build(swish(1)), 40000), LutRule::interpolate, Rounding::half_up);
  ASSERT_TRUE(g.ok());
  EXPECT_FALSE(g->complete);
  EXPECT_EQ(g->reads_beyond, 65536 - 40000);
  EXPECT_FALSE(g->intended_step.has_value());
  EXPECT_THAT(g->error().message, HasSubstr("no usable step"));
}

// Every length that a file can have.
TEST(Fencepost, OddLengthsDoNoHarm) {
  for (int64_t count = 3; count < 65538; count = count * 5 / 4 + 1) {
    const Tensor table = *Tensor::zeros(DType::int16, Shape{count});
    for (const LutRule rule : {LutRule::interpolate, LutRule::nearest}) {
      for (const int declared : {2, 100, 256, 32768}) {
        EXPECT_TRUE(check_fencepost(table, rule, Rounding::half_even, declared).ok());
      }
    }
    EXPECT_TRUE(examine(swish(1), table).ok()) << count;
  }
}

TEST(Report, OfAGoodTable) {
  const auto report = examine(swish(32), *build(swish(32)));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->good());
  EXPECT_EQ(report->spec.step, 32);
  EXPECT_EQ(report->parity.entries, 2049);
  EXPECT_EQ(report->interpolate.deviation.largest, 1);
  EXPECT_EQ(report->nearest.deviation.largest, 18);
  EXPECT_NEAR(static_cast<double>(report->interpolate.deviation.differing) / 65536, 0.342957, 1e-6);
  EXPECT_GT(report->nearest.deviation.mean, 1.0);
  ASSERT_EQ(report->nearest.stress.size(), 4U);
  EXPECT_EQ(report->nearest.stress[0].real, -40000.0 / 4096);
  EXPECT_EQ(report->nearest.stress[0].input, -32768);
  EXPECT_EQ(report->nearest.stress[1].input, -32768);
  EXPECT_EQ(report->nearest.stress[2].input, 32767);
  EXPECT_EQ(report->nearest.stress[3].output, report->nearest.outputs.back());
}

TEST(Report, FindsAWrongEntry) {
  Tensor table = *build(swish(32));
  table.as<int16_t>()[1500] += 3;
  const auto report = examine(swish(32), table);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->good());
  EXPECT_EQ(report->parity.differing, 1);
  EXPECT_EQ(report->parity.largest, 3);
  EXPECT_EQ(report->parity.first, 1500);
  EXPECT_EQ(report->parity.pivots_differing, 0);
}

TEST(Report, DeviationSaysWhere) {
  TableSpec spec = swish(1);
  spec.function = Function::identity;
  std::vector<int16_t> outputs = *ideal(spec);
  outputs[70] = static_cast<int16_t>(outputs[70] + 5);
  outputs[90] = static_cast<int16_t>(outputs[90] - 5);
  const auto d = deviation(spec, outputs);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->differing, 2);
  EXPECT_EQ(d->largest, 5);
  EXPECT_EQ(d->at, -32768 + 70);
  EXPECT_EQ(d->got - d->wanted, 5);
  EXPECT_EQ(d->mean, 10.0 / 65536);
  EXPECT_EQ(d->largest_real, 5.0 / 4096);
  outputs.pop_back();
  EXPECT_FALSE(deviation(spec, outputs).ok());
}

TEST(Report, WithoutTheLastEntryIsNotGood) {
  const auto report = examine(swish(1), shortened(*build(swish(256)), 256));
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->good());
  EXPECT_EQ(report->spec.step, 256);
  EXPECT_EQ(report->parity.entries, 256);
  EXPECT_EQ(report->parity.differing, 0);
  EXPECT_GT(report->parity.pivots_differing, 100);
  EXPECT_FALSE(report->nearest.runs);
}

TEST(Advise, SmallestTableThatSuffices) {
  Wanted wanted;
  wanted.lsb = 1.0;
  const auto advice = advise(swish(1), wanted, false);
  ASSERT_TRUE(advice.ok());
  ASSERT_EQ(advice->candidates.size(), 10U);
  EXPECT_EQ(advice->candidates[0].bits, 8);
  ASSERT_TRUE(advice->best_interpolate.has_value());
  const Candidate& best = advice->candidates[*advice->best_interpolate];
  EXPECT_EQ(best.step, 256);
  EXPECT_EQ(best.bytes, 514);
  ASSERT_TRUE(advice->best_nearest.has_value());
  EXPECT_EQ(advice->candidates[*advice->best_nearest].step, 1);
  for (size_t i = 1; i < advice->candidates.size(); ++i) {
    EXPECT_GT(advice->candidates[i].bytes, advice->candidates[i - 1].bytes);
  }
}

TEST(Advise, ChoosesAnExponentThatDoesNotSaturate) {
  TableSpec spec = swish(1);
  spec.function = Function::sigmoid;
  Wanted wanted;
  wanted.real = 1e-3;
  const auto advice = advise(spec, wanted, true);
  ASSERT_TRUE(advice.ok());
  // sigmoid(8) = 0.99966 is 32756.9 of 2^-15, and 65514 of 2^-16.
  EXPECT_EQ(advice->spec.out_exponent, -15);
  EXPECT_EQ(advice->saturated_inputs, 0);
  spec.out_exponent = -16;
  const auto forced = advise(spec, wanted, false);
  ASSERT_TRUE(forced.ok());
  EXPECT_EQ(forced->exponent_without_saturation, -15);
  EXPECT_GT(forced->saturated_inputs, 30000);
  EXPECT_FALSE(forced->best_interpolate.has_value());
}

TEST(Advise, RefusesWhatHasNoAnswer) {
  EXPECT_FALSE(advise(swish(1), {}, false).ok());
  Wanted wanted;
  wanted.lsb = -1.0;
  EXPECT_FALSE(advise(swish(1), wanted, false).ok());
  wanted.lsb = 1.0;
  TableSpec spec = swish(1);
  spec.function = Function::exp;
  spec.in_exponent = 0;
  EXPECT_FALSE(advise(spec, wanted, true).ok());
}

TEST(Header, IntegersAndTheFloatForm) {
  TableSpec spec = swish(1);
  spec.bits = 8;
  spec.in_exponent = spec.out_exponent = -5;
  const Tensor table = *build(spec);
  const Report report = *examine(spec, table);
  const std::string header = integer_header(3, "a*/b\n", report, report.nearest, table);
  EXPECT_THAT(header, HasSubstr("a_/b_: swish s8 in 2^-5 out 2^-5"));
  EXPECT_THAT(header, HasSubstr("enum { lut_3_expected_len = 256 };"));
  EXPECT_THAT(header, HasSubstr("static const int8_t lut_3_table[] = {\n"));
  const std::string floats = float_header(3, "x", report, report.nearest);
  EXPECT_THAT(floats, testing::StartsWith("#pragma once\n// x"));
  EXPECT_THAT(floats,
              HasSubstr("const float input_3[] = {\n-1250.000000f, -4.031250f, -4.000000f, "));
  EXPECT_THAT(floats, HasSubstr("const int input_3_len = 260;\nconst float output_3[] = {\n"));
  EXPECT_THAT(floats, HasSubstr("const int output_3_len = 260;\n"));
}

TEST(Pictures, AreDrawnForGoodAndBadTables) {
  const Tensor good = *build(swish(256));
  const Tensor bad = shortened(good, 256);
  for (const Tensor* table : {&good, &bad}) {
    const Report report = *examine(swish(1), *table);
    const auto parity = parity_picture("model.4/act", report, *table);
    const auto sweep = sweep_picture("model.4/act", report);
    ASSERT_TRUE(parity.ok());
    ASSERT_TRUE(sweep.ok());
    EXPECT_EQ(decode_image(*sweep, "x")->shape, Shape({800, 1200, 3}));
    const char* folder = std::getenv("EDGETWIN_KEEP_PICTURES");
    if (folder == nullptr) continue;
    const std::string base = std::string(folder) + (table == &good ? "/good_" : "/bad_");
    EXPECT_TRUE(write_file(base + "parity.png", *parity, Overwrite::yes).ok());
    EXPECT_TRUE(write_file(base + "sweep.png", *sweep, Overwrite::yes).ok());
  }
}

}  // namespace
}  // namespace edgetwin::lut
