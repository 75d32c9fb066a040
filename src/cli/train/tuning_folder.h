// The folder of a run that tunes an ONNX network: files after each epoch, so that a run that is
// left loses no more than one.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/console.h"
#include "cli/train/arguments.h"
#include "train/tune/tune.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::cli {

class TuningFolder {
 public:
  TuningFolder(const TrainArguments& a, Console& console) : a_(a), console_(console) {}

  // The log of the run that goes on.
  void take_up(const std::string& log) { log_ = log; }
  void log(const std::string& line);
  // Page, history, log and checkpoint. Errors: file_write.
  Status after_epoch(const train::TuneResult& result, train::TuneState state);
  // What a whole run leaves: also the network, for the chip and with its trained weights. Of one
  // that was interrupted only the document.
  Status end(const twin::QuantizeRun& run, const twin::EspdlTask& task,
             const train::TuneResult& result);

 private:
  Status write(const std::string& name, ByteSpan bytes);
  Status write_journal(const train::TuneResult& result, bool done);
  Status write_networks(const twin::QuantizeRun& run, const twin::EspdlTask& task,
                        const train::TuneResult& result);

  const TrainArguments& a_;
  Console& console_;
  std::string log_;
  std::vector<std::string> files_;
};

}  // namespace edgetwin::cli
