// `verify --transform`: a network that is a Fourier transform, against the plain sum in double
// precision.
#include <cmath>

#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "cli/streams/transforms.h"
#include "cli/verify/kinds.h"
#include "edgetwin/network.h"
#include "report/format.h"
#include "signals/measure/measure.h"

namespace edgetwin::cli {
namespace {

constexpr uint32_t kSamplesSeed = 7;
constexpr size_t kFrames = 8;

struct TransformRow {
  std::string_view word;  // of the document
  std::string what;
  std::vector<signals::Complex> samples;
};

std::string snr_text(double snr) {
  return std::isfinite(snr) ? report::fixed_text(snr, 1) + " dB" : std::string("nothing differs");
}

}  // namespace

Result<int> verify_transform(const VerifyArguments& a, VerifyReport& results) {
  EDGETWIN_TRY_ASSIGN(const Network network,
                      Network::open(a.model, open_options(a.compute, a.max78)));
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  EDGETWIN_TRY_ASSIGN(const std::shared_ptr<Runner> runner, network.runner(how));
  EDGETWIN_TRY_ASSIGN(const StreamTransform transform, transform_of(runner, a.model, a.order));
  say_order(transform, results.console());
  const signals::InputOrder order = transform.order;
  EDGETWIN_TRY_ASSIGN(const auto packing, signals::FftPacking::create(transform.input, order));
  const size_t count = kFrames * packing.size() * packing.batch();
  const TransformRow rows[] = {
      {"noise", "noise of 1/4", signals::test_noise(count, kSamplesSeed)},
      {"tones", "tones of 1/2, 1/4 and 1/16", signals::test_tones(count, kSamplesSeed)}};
  const bool real = transform.input.dtype == DType::float32, judged = real || a.least.has_value();
  const double least = a.least.value_or(signals::kLeastFloatSnr);
  bool good = true;
  report::Json document = report::Json::object();
  results.console().print(runner->description() + "\n");
  for (const TransformRow& row : rows) {
    EDGETWIN_TRY_ASSIGN(
        const auto quality,
        signals::measure_transform(transform.input, order, row.samples, transform.compute));
    const bool enough = !judged || quality.snr >= least;
    good = good && enough;
    std::string detail = snr_text(quality.snr);
    if (!enough) detail += ", " + report::fixed_text(least, 1) + " dB are asked for";
    if (quality.cut_off > 0) {
      detail += ", " + std::to_string(quality.cut_off) + " parts of samples cut off at the input";
    }
    results.row(enough, !judged ? "measured" : enough ? "good" : "bad", row.what, detail);
    document.set(std::string(row.word), quality.snr);
  }
  results.console().json().set("signal_to_noise_db", std::move(document));
  results.console().json().set("numerics", runner->numerics());
  const std::string verdict = !judged ? "measured: no bound was asked for, see --least"
                              : good  ? "verified"
                                      : "not verified";
  results.console().print(verdict + "\n");
  return results.finish(good, verdict);
}

}  // namespace edgetwin::cli
