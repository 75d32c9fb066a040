// Accuracy of networks over data sets: the integers that the chip computes, judged against what is
// true, on one machine or many. docs/evaluate.md.
//
//   const auto made = evaluate({{"net.tflite"}}, {.task = "classify", .data = "pictures"});
//   std::cout << made->text;
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"

namespace edgetwin {

// One network, opened and run in its own way. RunnerOptions::threads is that of all.
struct Candidate {
  std::string file;
  OpenOptions open;
  RunnerOptions run;
  // Of pictures, where the file does not say what its integers stand for (MAX78000, MAX78002): one
  // step of the input. Its integers are (pixel - mean) / std over this; empty: the pixel minus 128.
  std::optional<double> input_step = {};
};

// Several processes that share one evaluation. The default is one process.
class EDGETWIN_API Cluster {
 public:
  virtual ~Cluster();
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  // All processes have come here.
  virtual Status barrier();
  // A number that no other process gets: 0, 1, 2, …
  virtual Result<uint64_t> next();
  // The texts of all ranks, in their order; of others than rank 0 nothing.
  virtual Result<std::vector<std::string>> gather(const std::string& text);
};

struct EvaluateOptions {
  std::string task;          // "classify", "detect", "segment", "keypoints", "regress", "anomaly"
  std::string data;          // a set, docs/evaluate.md
  std::string pictures;      // folder with the pictures of COCO annotations
  std::string targets;       // .npy with the labels of an .npy
  std::string labels;        // names of the classes, one per line
  int64_t label_offset = 0;  // added to labels that are numbers
  // Of pictures. "nearest", "half-pixel", "lanczos", "letterbox", "crop"; empty: what the task's
  // networks are used to.
  std::string resize;
  std::vector<float> mean, std;
  std::string params;   // of ESP-DL's own preprocessing (JSON); with it nothing of the above
  std::string decoder;  // a name of all_decoders(); empty: by the task and the network
  std::optional<double> threshold;  // of found objects; none: all
  uint64_t limit = 0;               // 0: all samples
  uint32_t shuffle = 0;             // seed; 0: the set's own order
  uint64_t shard = 1, shards = 1;   // sample i belongs to shard i % shards + 1
  bool part = false;                // Evaluation::json is a part, of the only shard too
  int workers = 1;                  // samples computed at a time; their number changes no byte
  // What is computed is kept beside this file, block for block, and a second start goes on with it.
  // Empty: nothing is kept. remove_journals() after the file is written.
  std::string journal;
  Cluster* cluster = nullptr;
  bool page = false;  // Evaluation::page
  ProgressSink progress;
};

struct Evaluation {
  std::string json;  // the document, or a part where that was asked for; empty on ranks but 0
  std::string text;  // for people
  std::string page;  // HTML with the worst samples
  uint64_t samples = 0, broken = 0;  // of this shard
  uint64_t resumed = 0;              // taken from the journal
  double seconds = 0.0, rate = 0.0;  // computed samples per second
  std::vector<Finding> findings;
};

// Judges all networks on the same samples. Errors: usage, those of Network::open, of runners and
// of reading sets (set_*, labels_*), part_other, set_broken where no sample can be used.
EDGETWIN_API Result<Evaluation> evaluate(const std::vector<Candidate>& candidates,
                                         const EvaluateOptions& options);

// The parts of all shards as the document of the whole. Errors: file_*, part_*.
EDGETWIN_API Result<Evaluation> merge_parts(const std::vector<std::string>& files,
                                            bool page = false);

// Once the file is written.
EDGETWIN_API Status remove_journals(const std::string& output);

EDGETWIN_API std::vector<std::string> evaluation_tasks();

}  // namespace edgetwin
