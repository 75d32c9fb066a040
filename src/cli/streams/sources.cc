#include "cli/streams/sources.h"

#include "signals/radio/receiver.h"

namespace edgetwin::cli {
namespace {

constexpr double kReceiverRate = 2048000.0, kReceiverCentre = 100e6;

bool is_receiver(const StreamArguments& a) {
  return a.source == "rtl_sdr" || a.source.starts_with("rtl_sdr:");
}

Result<std::unique_ptr<signals::SampleSource>> receiver_of(const StreamArguments& a) {
  signals::ReceiverOptions options;
  const size_t colon = a.source.find(':');
  if (colon != std::string::npos) {
    const std::string number = a.source.substr(colon + 1);
    if (number.empty() || number.size() > 2 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return Error(ErrorCode::usage, "'" + a.source + "' does not name a receiver")
          .with_hint("Write rtl_sdr, or rtl_sdr:1 for the second one.");
    }
    options.index = static_cast<uint32_t>(std::stoi(number));
  }
  options.sample_rate = a.rate > 0.0 ? a.rate : kReceiverRate;
  options.centre = a.frequency > 0.0 ? a.frequency : kReceiverCentre;
  options.gain = a.gain;
  EDGETWIN_TRY_ASSIGN(auto library, signals::load_rtl_sdr());
  return signals::receiver_source(std::move(library), options);
}

}  // namespace

bool is_endless(const StreamArguments& a) {
  return is_receiver(a) || a.source.starts_with("synthetic:");
}

Result<std::unique_ptr<signals::SampleSource>> source_of(const StreamArguments& a) {
  const bool receiver = is_receiver(a);
  const bool synthetic = a.source.starts_with("synthetic:");
  if (!receiver && (a.frequency > 0.0 || a.gain)) {
    return Error(ErrorCode::usage, "--frequency and --gain are of a receiver")
        .with_hint("Leave them out, or choose rtl_sdr as the source.");
  }
  if ((receiver || synthetic) && !a.samples.empty()) {
    return Error(ErrorCode::usage, "--samples says what a file holds; '" + a.source + "' is none")
        .with_hint("Leave --samples out.");
  }
  if (receiver) return receiver_of(a);
  if (synthetic) {
    return signals::synthetic_source(a.source.substr(a.source.find(':') + 1), a.rate);
  }
  std::optional<recordings::SampleType> type;
  if (!a.samples.empty()) type = recordings::raw_type(a.samples);
  EDGETWIN_TRY_ASSIGN(auto recording, recordings::open_recording(a.source, type, a.rate));
  return signals::recorded_source(std::move(recording), a.source);
}

}  // namespace edgetwin::cli
