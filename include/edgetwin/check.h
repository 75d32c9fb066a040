// The rules of a chip: everything that stands against a network, at once. Nothing is computed and
// nothing is written. docs/espdl-rules.md, docs/max78-rules.md and docs/edgetpu-isa.md have the
// rules with the evidence of each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

// What a network that is not compiled will be on the Edge TPU, asked of its compiler.
struct EdgetpuOutlook {
  // Operators as one program, and what ends it.
  struct Part {
    size_t operators = 0;
    std::string first, last;     // "#3 CONV_2D 'name'"
    std::string end, end_rule;   // the operator behind it that stays on the host; empty: none
    int64_t cached_bytes = 0;    // parameters that rest in the chip
    int64_t streamed_bytes = 0;  // and that come at every inference
    int64_t resident_lines = 0, resident_room = 0;
    int64_t narrow_bytes = 0;  // of the fullest tile
  };
  // A layer's need of narrow memory in the fullest tile.
  struct Layer {
    size_t part = 0;
    std::string label;
    int64_t bytes = 0;       // its result
    int64_t live_bytes = 0;  // all that is in use meanwhile
  };
  // Why operators stay on the host, by rule and kind; the estimate is for their order only.
  struct Cause {
    std::string rule, kind, first, why;  // `first`: of its operators, `why`: of that one
    size_t operators = 0;
    int64_t products = 0, elements = 0;  // that the host computes and writes
    int64_t transferred = 0;             // bytes to and fro because a part ends there
    double microseconds = 0;
  };
  // The largest picture in the network's ratio for which nothing more stays on the host.
  struct Largest {
    int64_t rows = 0, columns = 0;            // as it is
    int64_t most_rows = 0, most_columns = 0;  // 0: none down to 8 rows
    std::string limit;                        // against one row more; empty: none up to 4,096 rows
  };
  size_t operators = 0, on_chip = 0;
  std::vector<Part> parts;
  std::vector<Layer> layers;
  std::vector<Cause> causes;  // the costliest first
  std::optional<Largest> largest;
  Bytes picture;  // PNG of `layers`
};
EDGETWIN_API std::string to_text(const EdgetpuOutlook& outlook);

// One chip's answer about one model.
struct TargetCheck {
  std::string model;               // of a package: the model's name
  const Target* target = nullptr;  // of the table of targets
  std::vector<Finding> findings;   // errors first, then warnings, then notes
  // No rule is broken: no finding is an error.
  bool fits = false;
  // Of a network for the Edge TPU that is not compiled: where each operator is computed, and what
  // follows from it.
  std::vector<PlacedOperator> operators;
  std::shared_ptr<const EdgetpuOutlook> outlook;

  EDGETWIN_API size_t count(Severity severity) const;
};

// One row for each model of the file and each chip that is asked about: options.target; without it
// the chip that the file tells, or of a file that fits several all of them (.espdl: those with a
// vector unit, if it does not say more; .onnx: the same; .yaml: MAX78000 and MAX78002; .tflite: the
// Edge TPU). `options.member` picks one model of a package. A network for the Edge TPU is asked of
// its compiler; of a float network integers stand in whose ranges are noise's.
// Errors: file_*, file_kind where no chip has rules for the content, usage where the target is
// unknown or not the file's, and those of the readers.
EDGETWIN_API Result<std::vector<TargetCheck>> check(const std::string& file,
                                                    const OpenOptions& options = {});
// `name` is what messages call the bytes.
EDGETWIN_API Result<std::vector<TargetCheck>> check(ByteSpan bytes, const std::string& name,
                                                    const OpenOptions& options = {});

}  // namespace edgetwin
