#include "signals/measure/measure.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "exec/session.h"
#include "formats/onnx/import/onnx.h"
#include "signals/fft/network.h"
#include "signals/fft/theory.h"
#include "signals/measure/costs.h"
#include "signals/measure/espdl.h"
#include "signals/measure/tables.h"
#include "source_dir.h"

namespace edgetwin::signals {
namespace {

std::shared_ptr<const Graph> network_of(const FftOptions& o, const FftReach& reach) {
  auto model = fft_network(o, reach);
  EXPECT_TRUE(model.ok());
  return std::make_shared<const Graph>(model->main());
}

double snr_of(const FftOptions& o, const std::string& numerics) {
  const auto samples = test_noise(static_cast<size_t>(8 * o.batch * o.size), 11);
  const auto quality =
      measure_fft(network_of(o, fft_reach(o)), input_order(o.form), samples, numerics);
  EXPECT_TRUE(quality.ok());
  EXPECT_EQ(quality->frames, static_cast<size_t>(8 * o.batch));
  return quality->snr;
}

TEST(FftMeasure, FloatFormsArePlainTransforms) {
  for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
    for (const int size : {8, 64, 256}) {
      for (const int batch : {1, 3}) {
        const FftOptions o{size, batch, form, FftScaling::worst, FftNumber::float32};
        EXPECT_GT(snr_of(o, "tflite"), kLeastFloatSnr) << size << " x " << batch;
        const auto file = onnx_fft(o);
        ASSERT_TRUE(file.ok());
        auto model = onnx::read(*file, "fft.onnx");
        ASSERT_TRUE(model.ok()) << to_text(model.error());
        const auto samples = test_noise(static_cast<size_t>(2 * batch * size), 11);
        const auto quality = measure_fft(std::make_shared<const Graph>(model->main()),
                                         input_order(form), samples, "onnx");
        ASSERT_TRUE(quality.ok()) << to_text(quality.error());
        EXPECT_GT(quality->snr, kLeastFloatSnr);
      }
    }
  }
}

// Nothing but the numbers tells, in the numerics whose rounding is the worst too.
TEST(FftMeasure, OrderOfTheSamplesIsFound) {
  for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
    for (const FftScaling scaling : {FftScaling::worst, FftScaling::noise}) {
      for (const int size : {8, 64, 512, 4096}) {
        if (form == FftForm::matrix && size > 512) continue;
        if (form == FftForm::matrix && scaling == FftScaling::noise) continue;
        const FftOptions o{size, 2, form, scaling, FftNumber::int8};
        const auto network = network_of(o, fft_reach(o));
        auto session = exec::Session::create(network, {.numerics = "tflite"});
        ASSERT_TRUE(session.ok());
        Tensor input = *Tensor::zeros(DType::int8, network->value(network->inputs[0]).shape);
        input.quant = network->value(network->inputs[0]).quant;
        const auto found = find_order(input, [&](const Tensor& t) -> Result<Tensor> {
          EDGETWIN_TRY(session->set_input(0, t.data));
          EDGETWIN_TRY(session->run());
          return session->output(0);
        });
        ASSERT_TRUE(found.ok()) << to_text(found.error());
        EXPECT_EQ(*found, input_order(form)) << size;
      }
    }
  }
}

// Where the rounding has no mean error, and nothing is cut off, theory and twin differ by less than
// 1.2 dB: frames are few, and errors of one stage are not quite independent.
TEST(FftMeasure, TheoryHolds) {
  for (const int size : {64, 256}) {
    const FftOptions worst{size, 1, FftForm::butterfly, FftScaling::worst, FftNumber::int8};
    EXPECT_NEAR(snr_of(worst, "edgetpu"), expected_snr(worst, fft_reach(worst), kNoiseLevel), 1.2);
    FftOptions noise = worst;
    noise.scaling = FftScaling::noise;
    EXPECT_NEAR(snr_of(noise, "tflite"), expected_snr(noise, fft_reach(noise), kNoiseLevel), 1.2);
    FftOptions matrix = worst;
    matrix.form = FftForm::matrix;
    EXPECT_NEAR(snr_of(matrix, "tflite"), expected_snr(matrix, fft_reach(matrix), kNoiseLevel),
                1.2);
  }
}

// Ties of the reference kernels go away from zero: where each stage halves, half of all sums are
// ties, and small numbers grow. The Edge TPU's round half to even does not do this.
TEST(FftMeasure, TiesAwayFromZeroCostDecibels) {
  const FftOptions o{256, 1, FftForm::butterfly, FftScaling::worst, FftNumber::int8};
  EXPECT_GT(snr_of(o, "edgetpu") - snr_of(o, "tflite"), 3.0);
}

TEST(FftMeasure, EspdlInBothWidths) {
  const FftOptions o{64, 1, FftForm::butterfly, FftScaling::worst, FftNumber::float32};
  for (const auto& [bits, least] : {std::pair(8, 20.0), std::pair(16, 65.0)}) {
    auto network = espdl_fft(o, espdl::Target::esp32p4, bits, calibration_noise(64));
    ASSERT_TRUE(network.ok()) << to_text(network.error());
    const auto quality = measure_fft(std::make_shared<const Graph>(std::move(network).value()),
                                     input_order(o.form), test_noise(512, 11), "espdl-p4");
    ASSERT_TRUE(quality.ok());
    EXPECT_GT(quality->snr, least);
    EXPECT_LT(quality->snr, least + 15.0);
  }
}

// The product costs the same before it is quantized for ESP-DL, which the table counts on.
TEST(FftCosts, OfTheProductBeforeAndAfter) {
  const FftOptions o{64, 1, FftForm::matrix, FftScaling::worst, FftNumber::int8};
  const auto samples = test_noise(256, 11);
  const auto model = fft_network(o, fft_reach(o));
  ASSERT_TRUE(model.ok());
  for (const auto target : {espdl::Target::esp32s3, espdl::Target::esp32p4}) {
    const auto quantized = espdl_fft(o, target, 8, samples);
    ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
    EXPECT_DOUBLE_EQ(espdl_milliseconds(*quantized, o, target),
                     espdl_milliseconds(model->main(), o, target));
  }
}

TEST(FftTables, TheDocumentHasTheTablesOfToday) {
  std::ifstream file(source_dir() + "/docs/signals.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto made = with_fft_tables(document);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(*made, document) << "cmake --build build/release --target update_docs";
}

}  // namespace
}  // namespace edgetwin::signals
