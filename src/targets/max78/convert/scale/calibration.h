// What the samples make of every tensor: ranges, and means of channels.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "quantize/calibration/float_runs.h"
#include "quantize/calibration/observer.h"
#include "quantize/calibration/sample.h"
#include "targets/max78/convert/scale/settings.h"

namespace edgetwin::max78 {

// A tensor in a run of the float network, rectified where the device has that before pooling.
std::vector<float> values_of(const DraftTensor& tensor, const exec::Session& session);

// Mean and mean square.
struct Channel {
  double sum = 0, power = 0;
};

class Calibration {
 public:
  Calibration(const Draft& d, const std::vector<quantize::Sample>& samples,
              const ConvertSettings& settings)
      : d_(d), samples_(samples), settings_(settings), all_(d.tensors.size()) {
    for (Statistics& s : all_) {
      s.runs.resize(samples.size());
      s.channels.resize(samples.size());
    }
  }

  Status run(const std::shared_ptr<const Graph>& graph, const ProgressSink& progress);

  // The exponent of the range that the method makes; nothing where all was zero.
  std::optional<int> exponent(size_t t) const;
  // The largest magnitude seen.
  double most(size_t t) const;
  // Of a channel over all samples.
  Channel channel(size_t t, size_t c) const;

 private:
  struct Statistics {
    std::vector<quantize::RangeStatistics> runs;
    std::vector<std::vector<Channel>> channels;  // by run
    int64_t pixels = 0;
    std::optional<quantize::Histogram> histogram;
  };

  Status take(size_t i, const exec::Session& session);
  void prepare_histograms();

  const Draft& d_;
  const std::vector<quantize::Sample>& samples_;
  const ConvertSettings& settings_;
  std::vector<Statistics> all_;
};

}  // namespace edgetwin::max78
