// Data sets of evaluations: samples in a fixed order, each with what is known to be true of it.
// docs/evaluate.md has the kinds and their forms.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::evaluation {

enum class Task : uint8_t {
#define TASK(name, text) name,
#include "evaluate/data/tasks.def"
#undef TASK
};
std::string_view name(Task task);
// Precondition: one of task_names().
Task task_of(std::string_view name);
std::vector<std::string> task_names();

// A true object in a picture, in pixels.
struct TrueObject {
  int64_t category = 0;           // as in the file, then the network's class
  std::array<double, 4> box{};    // left, top, width, height
  double area = 0.0;              // as annotated
  bool crowd = false;             // a group: may be found any number of times
  std::vector<double> keypoints;  // x, y, visible of each; empty: none annotated
  int64_t visible = 0;            // key points that are annotated
};

// What is true of a sample.
struct Truth {
  std::string word;                 // the label as the set has it; empty: it has none
  int64_t label = -1;               // the network's class, once resolved
  std::vector<double> numbers;      // of regression
  std::vector<TrueObject> objects;  // of detection
  std::string mask;                 // of segmentation: a file
};

struct Sample {
  std::string name;      // the same on every machine: relative to the set
  std::string file;      // empty: it is in an array
  std::string set_file;  // what names it, for messages
  int line = 0;          // there; 0: none
  size_t place = 0;      // among those that the set's files hold
  Truth truth;
};

// The numbers of a sample: a picture of uint8, (rows, columns, 1 or 3), or an array.
struct Loaded {
  Tensor tensor;
  bool picture = false;
  bool sound = false;  // float32 from -1 to 1, one channel
};

struct Category {
  int64_t id = 0;
  std::string name;
  int line = 0;  // in the set's file; 0: not known
};

struct SampleSet {
  bool pictures = true;  // some samples may be pictures
  std::string kind;      // "folder", "list", …, for the result
  std::string digest;    // sha256 of names and truths, and of the files that hold several samples
  std::vector<Sample> samples;
  std::vector<std::string> classes;  // names that the set has, by label; may be empty
  std::vector<Category> categories;  // of COCO, by id
  std::vector<Finding> findings;
  // May be called from several threads. Errors: those of reading files.
  std::function<Result<Loaded>(const Sample& sample)> load;
  // Of sets whose samples are in memory and of one form: the bytes of a sample's tensor. Else
  // empty.
  std::function<ByteSpan(const Sample& sample)> bytes = {};
};

struct SetOptions {
  Task task{};
  std::string pictures;        // folder with the pictures of COCO annotations
  std::string targets;         // .npy with the labels of an .npy
  int64_t input_elements = 0;  // of the network's input
};

// By content. Errors: set_kind, set_empty, set_damaged, set_truth, file_*, usage for an option that
// changes nothing for this set.
Result<SampleSet> open_set(const std::string& path, const SetOptions& options);

// Labels as classes of the network: by the names in `names` (of --labels) where there are any;
// whole numbers as they are, plus `offset`; else the set's own names, sorted. `classes` 0: not
// known. A name that two classes have is a finding of the set, or an error where a label is this
// name. Errors: set_label with file and line, labels_short, labels_double, usage for an offset that
// changes nothing.
struct LabelRule {
  std::vector<std::string> names;
  std::string names_file;
  int64_t offset = 0;
  int64_t classes = 0;
  std::vector<int> lines = {};  // of the names in their file, from 1; 0: not known
};
Result<std::string> resolve_labels(SampleSet& set, const LabelRule& rule);
// Of anomalies: 0 normal, 1 not.
Result<std::string> resolve_anomalies(SampleSet& set, const LabelRule& rule);
// The same of COCO's categories; `by_id`: category n is class n - 1, else classes are the
// categories in the order of their ids.
Result<std::string> resolve_categories(SampleSet& set, const LabelRule& rule, bool by_id);

// A permutation by xorshift and Fisher and Yates where `shuffle` is not 0, then the first `limit`
// samples; 0: all.
void choose_samples(SampleSet& set, uint32_t shuffle, uint64_t limit);

}  // namespace edgetwin::evaluation
