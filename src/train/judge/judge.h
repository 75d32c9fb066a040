// A checkpoint judged on a part of a data set: in floating point, with quantization in the forward
// pass, or in the chip's integers by the twin. Specification: training, 14.
#pragma once

#include <string>
#include <vector>

#include "train/score/evaluate.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

enum class JudgedPart : uint8_t { test, training, validation };
enum class JudgedPhase : uint8_t { floating, quantized, integers };
std::string_view phase_name(JudgedPhase phase);

struct JudgeSettings {
  RunSettings run;        // description, data, device, `init`: the checkpoint, loss, threads
  bool integers = false;  // the twin, even of a checkpoint that is not quantized
  JudgedPart part = JudgedPart::test;
  size_t limit = 0;        // of the items; 0: all
  size_t attribution = 0;  // of how many items, from the first, what speaks for each class is drawn
  // Means are rounded, where the checkpoint does not say; `run` has it from settings.
  bool average_rounding = false;
  std::optional<max78::Arithmetic> arithmetic;  // of the twin; empty: that of training
  bool onnx = false;  // the network as an ONNX file; of `integers` in the chip's integers
};

struct Judged {
  Evaluation evaluation;
  JudgedPhase phase = JudgedPhase::floating;
  bool quantized_here = false;  // the integers were made in memory by the rules of `quantize`
  DataSet data;                 // the set that the items are of
  std::vector<std::string> classes;
  DetectorSettings detector;    // of a detector
  std::vector<uint32_t> items;  // indices into it
  MapShape shape;               // of one item's outputs
  std::vector<float> outputs;  // of all items, in the order (channels, rows, columns); real numbers
  std::vector<int32_t> integer_outputs;                     // the same of JudgedPhase::integers
  std::vector<std::pair<std::string, Bytes>> attributions;  // names and pictures
  Bytes onnx;
  std::vector<std::string> inexact;  // layers whose sums binary32 could round in the ONNX file
};

// Errors: those of open_trained; train_data_part; train_rules; train_exported; train_conflict where
// a checkpoint of integers is to be drawn or written, where means are to be rounded otherwise than
// the checkpoint says, or where an arithmetic is given and the twin does not compute.
Result<Judged> judge(JudgeSettings settings);

// What is written about it: name and content. evaluation.json, outputs.npy, labels.npy (or
// values), predictions.csv, confusion.csv, confusion.png.
Result<std::vector<std::pair<std::string, Bytes>>> judged_files(const Judged& judged);
std::string judged_json(const Judged& judged);
// A page: scores of the classes, confusion, the worst items. `title` and `command` are shown.
std::string judged_page(const Judged& judged, const std::string& title, const std::string& command);
// PREFIX_ytrue.csv, PREFIX_ypred.csv (soft-max), PREFIX_x.csv (means of the input's channels);
// names without the prefix.
std::vector<std::pair<std::string, std::string>> projection_tables(const Judged& judged);

}  // namespace edgetwin::train
