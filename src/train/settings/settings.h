// What a training run is asked to do. Specification: training, 8, 9, 18.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "formats/ai8x/network.h"
#include "targets/max78/options/options.h"
#include "train/data/data.h"
#include "train/losses/detections.h"
#include "train/network/model.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"

namespace edgetwin::train {

// Of one layer, in a policy.
struct LayerOverride {
  std::optional<int> bits;
  std::optional<float> quantile;
  Place place;  // in the policy
};

enum class LossKind : uint8_t {
  cross_entropy,  // of classes, also of each place
  mse,            // of numbers
  autoencoder,    // mean square error against the input itself
  distillation,   // cross entropy and the distance to another network's outputs
  multibox,       // of objects: their boxes and their classes
};

// Of LossKind::multibox.
struct DetectorSettings {
  std::vector<PriorSize> priors;  // at each place of the last layer
  MultiboxOptions loss;
  DetectionOptions found;
  // Outputs of one place: 4 numbers of a box and the scores of the background and all classes.
  int channels(int classes) const { return static_cast<int>(priors.size()) * (4 + 1 + classes); }
};

struct LossSettings {
  LossKind kind = LossKind::cross_entropy;
  std::filesystem::path teacher, teacher_description;  // a checkpoint; empty: this description
  DistillationOptions distillation;
  DetectorSettings detector;
};

// What `layers` of the settings says about one.
struct LayerSettings {
  std::optional<bool> bias = {}, freeze = {};
  std::optional<NormKind> norm;
  std::optional<float> quantile, dropout;
  std::optional<bool> he_fan_out;  // InitKind
  Place place;
};

struct RunSettings {
  std::filesystem::path description, data, output;
  // Of a converted network: instead of the files `description` (whose name stays) and `init`.
  std::string description_text;
  Bytes initial;
  ai8x::Device device = ai8x::Device::max78000;
  int epochs = 90, batch = 256;
  OptimizerOptions optimizer;
  std::optional<SchedulePolicy> schedule;
  std::optional<int> qat_start = 30;  // epoch; empty: quantization never takes part
  std::optional<int> weight_bits;     // where the description does not say; 8
  float shift_quantile = 1;
  bool older_quantile = false;  // QuantileRule::older
  QuantizationMethod qat_method = QuantizationMethod::shifts;
  std::optional<float> outlier_score;              // of thresholds: deviations from the mean; 8
  std::map<std::string, LayerOverride> overrides;  // by the name of the layer
  bool bias = true;
  NormKind norm = NormKind::none;
  double dropout = 0;  // of all layers with weights but the last
  // Part of the training items; 0: the test items validate. Empty: the data's own part, or 0.1.
  std::optional<double> validation;
  LossSettings loss;
  std::vector<int> input;  // channels and sizes that the data must have; empty: the description's
  DataOptions data_options;
  std::map<std::string, double> class_weights;  // by the name of the class; others 1
  std::map<std::string, LayerSettings> layers;  // by name
  std::vector<Augmentation> augment;            // of training items, in this order
  bool he_fan_out = false;                      // InitKind of new parameters
  std::optional<int> patience;  // epochs after the best one of a phase before the run ends
  uint64_t seed = 0;
  int threads = 1;
  std::filesystem::path resume, init;  // checkpoints; empty: none
  bool reset_optimizer = false;        // `resume` begins with epoch 0 and a fresh optimizer
  std::string name;                    // in front of the checkpoints' names
  bool average_rounding = false;       // means are rounded half to even
  // Of the twin; that of the vendor's training code equals what was trained.
  max78::Arithmetic arithmetic = max78::Arithmetic::training;
  int sample = 0;                    // test item that is written for the compilers
  bool events = true;                // TensorBoard's event file
  bool histograms = false;           // in it: of the weights
  bool curves = false;               // in it: precision and recall of each class
  bool confusion = false;            // in the log, after each validation
  bool last_batch_accuracy = false;  // in the log: Top1 of training is that of the last batch
  int print_every = 10;              // steps; the last one of an epoch has a line too
  std::string command;               // for it; empty: left out
  // Asked after each step; true ends the run. Empty: never.
  std::function<bool()> stopped;
  // How far the run is, with rate, time left, loss and score. Empty: nobody asks.
  std::function<void(double, const std::string&)> progress;
  // Lines of the log, each with its newline.
  std::function<void(const std::string&)> log;
};

}  // namespace edgetwin::train
