#include "cli/train/arguments.h"

#include "targets/target.h"
#include "train/data/data.h"

namespace edgetwin::cli {
namespace {

void declare_network(OptionSet& options, TrainArguments& a) {
  options.positional("NET", a.network, "A description, .yaml, or a float network, .onnx")
      .kind(ValueKind::file);
  options.text("--target,--device", a.target, "CHIP", targets::targets_with("train"));
  options.folder("--data", a.data,
                 "Folder: IDX or CIFAR files, pictures by class or with masks,\nsounds of words; "
                 "or an .npz or .csv; docs/training.md");
  options.text("--format", a.format, "NAME", "Of the data, where the content could be several")
      .choices(train::kDataFormats);
  options.number("--window", a.window, "N", "Of a table: rows of an item; 1").range(1, 65536);
  options.number("--hop", a.hop, "N", "Rows from one item to the next; those of an item")
      .range(1, 65536);
  options.folder("-o,--output", a.output, "The folder of the run; of --cases, for their results");
  options.number("--epochs", a.epochs, "N", "90").range(1, 100000);
  options.number("-b,--batch-size", a.batch, "N", "256").range(1, 65536);
  options.text("--optimizer", a.optimizer, "NAME", "sgd or adam").choices({"sgd", "adam"});
  options.number("--lr", a.rate, "X", "Learning rate; 0.1").positive();
  options.number("--momentum", a.momentum, "X", "Of sgd; 0.9").range(0.0, 1.0);
  options.number("--wd", a.decay, "X", "Weight decay of all parameters; 0.0001").not_negative();
  options
      .text("--batch-norm", a.batch_norm, "KIND",
            "Of all convolutions but the last layer with weights")
      .choices({"none", "affine", "plain"});
  const OptionHandle no_bias = options.flag("--no-bias", a.no_bias, "Layers have no bias");
  options.flag("--use-bias", a.use_bias, "Layers have a bias, whatever the settings say")
      .excludes(no_bias);
  options.flag("--regression", a.regression, "Numbers instead of classes: mean square error");
  options.flag("--avg-pool-rounding", a.average_rounding, "Means are rounded, not cut off");
  options
      .number("--validation-split", a.validation, "F",
              "Part of the training items that validates; 0.1. 0: the test items")
      .range(0.0, 0.9);
  options.number("--seed", a.seed, "N", "Of all random numbers; 0").not_negative();
  options.file("--schedule,--compress", a.schedule,
               "Learning rate by epoch, as the vendor's files");
  options.number("--patience", a.patience, "N", "Ends N epochs after the best one of the phase")
      .positive();
  options.file("--train", a.settings,
               "Settings of the run (YAML); without it NET.train.yaml beside\nthe description");
  options.repeated("--set", a.set, "KEY=VALUE",
                   "One setting by its path, as in optimizer.lr=0.05; several times");
  options.text("-n,--name", a.name, "NAME", "In front of the checkpoints' names").not_empty();
  options.number("--save-sample", a.sample, "N", "Test item that is the sample; 0").not_negative();
  options.flag("--no-tensorboard", a.no_events, "No event file for TensorBoard");
  options.flag("--param-hist", a.histograms, "Histograms of the weights in the event file");
  options.flag("--pr-curves", a.curves, "Precision over recall of each class in the event file");
  options.flag("--confusion", a.confusion, "Prints who was taken for whom, after each epoch");
  options.number("-p,--print-freq", a.print_every, "N", "Lines within an epoch, every N steps; 10")
      .positive();
  options
      .text("--show-train-accuracy", a.train_accuracy, "KIND",
            "Top1 in training of the epoch so far, full, or of the last\nbatch, last_batch; full")
      .choices({"full", "last_batch"});
  options.flag("--dry-run", a.dry_run,
               "Reads and checks everything, prints layers and data, trains\nnothing");
}

// A note says that they change nothing.
void declare_vendor(OptionSet& options, TrainArguments& a) {
  OptionSet group = options.in_group("Of the vendor's program, without effect");
  group.flag("--deterministic", a.deterministic, "Runs are always so");
  group.text("--gpus", a.gpus, "N", "There are none").not_empty();
  group.text("-j,--workers", a.workers, "N", "Data are read at the start").not_empty();
  group.text("--compiler-mode", a.compiler_mode, "NAME", "Nothing is compiled").not_empty();
  group.text("--compiler-backend", a.compiler_backend, "NAME", "Nothing is compiled").not_empty();
}

void declare_quantization(OptionSet& options, TrainArguments& a) {
  OptionSet group = options.in_group("Quantization in the forward pass");
  const OptionHandle start =
      group.number("--qat-start,--qat-start-epoch", a.qat_start, "N", "From this epoch on; 30")
          .not_negative();
  OptionHandle none = group.flag("--disable-qat", a.no_qat, "Never");
  none.excludes(start);
  group.file("--qat-policy", a.policy, "Policy file as the vendor's, or none").excludes(none);
  group.number("--weight-bits", a.weight_bits, "N", "Where the description does not say; 8")
      .one_of({1, 2, 4, 8});
  group.number("--shift-quantile", a.quantile, "Q", "Of the magnitudes that give the shift; 1")
      .range(0.0, 1.0);
  group.flag("--upstream-bugs", a.upstream_bugs,
             "Quantiles below 1 as the vendor's training before November 2024 took them");
}

void declare_start(OptionSet& options, TrainArguments& a) {
  OptionSet group = options.in_group("Beginning from a checkpoint");
  const OptionHandle resume =
      group.file("--resume-from", a.resume, "Continue after the epoch of a run's checkpoint");
  OptionHandle init = group.file("--init,--exp-load-weights-from", a.init, "Parameters only");
  init.excludes(resume);
  group.flag("--reset-optimizer", a.reset_optimizer, "From epoch 0 with a fresh optimizer")
      .needs(resume);
}

// For the MAX7800x they give the ranges of the description that an ONNX network becomes.
void declare_calibration(OptionSet& options, TrainArguments& a) {
  OptionSet group = options.in_group("ONNX networks");
  group
      .several("--calibrate", a.calibrate, "PATH ..",
               "Pictures or arrays that give the exponents; else items of --data")
      .not_empty()
      .kind(ValueKind::file);
  group.list("--mean", a.mean, "X,..", "Of bytes: (byte - mean) / std; one or one per channel");
  group.list("--std", a.std, "X,..", "Without them 0 and 255; for the MAX7800x 128 and 128");
  group.number("--samples", a.samples, "N", "Of calibration, at most; 32").range(1, 5000);
}

void declare_tuning(OptionSet& options, TrainArguments& a) {
  OptionSet group = options.in_group("ONNX networks for ESP-DL");
  group
      .text("--method", a.method, "NAME",
            "qat (labels; default with --data); without labels, block by block against\nthe "
            "float network: tqt, lsq or adaround")
      .choices({"qat", "tqt", "lsq", "adaround"});
  group.number("--bits", a.bits, "N", "8 (default) or 16").one_of({8, 16});
  group.several("--layer-bits", a.layer_bits, "NAME=N ..", "Of one operator: NAME=16");
  group.list("--lut", a.lut, "TYPE,..",
             "16-bit activations as look-ups, in the forward pass too: Swish,Sigmoid");
  group.list("--with", a.with, "PASS,..", "Before training: bias-correction")
      .choices({"bias-correction"});
  group.number("--step", a.lut_step, "N", "Of 16-bit tables; 256").range(1, 32768);
  group.text("--runtime", a.runtime, "V", "ESP-DL's version; 3.3.9 without it");
  group.flag("--train-exponents", a.train_exponents,
             "Of qat: exponents are trained with the weights");
  group.number("--steps", a.block_steps, "N", "Of a block: tqt, lsq 500, adaround 5000").positive();
  group.number("--block-size", a.block_size, "N", "Operators of a block, at most; 4").positive();
}

void declare_cases(OptionSet& options, TrainArguments& a) {
  OptionSet cases = options.in_group("Recorded cases of the arithmetic");
  const OptionHandle index =
      cases.file("--cases", a.cases, "Compute the cases of an index: cases.json, or its folder");
  cases.text("--only", a.only, "ID", "One case: its id, else its file").needs(index);
  cases.flag("--compare", a.compare, "Compare with the recorded results, by documented tolerances")
      .needs(index);
}

}  // namespace

void declare(OptionSet& options, TrainArguments& a) {
  declare_network(options, a);
  options
      .number("--threads", a.threads, "N", "Without it: all processors; the results are the same")
      .range(1, 256);
  options.force("Overwrite existing files");
  declare_quantization(options, a);
  declare_start(options, a);
  declare_calibration(options, a);
  declare_tuning(options, a);
  declare_vendor(options, a);
  declare_cases(options, a);
}

Verb verb_train() {
  return {
      .name = "train",
      .group = group::kNetworks,
      .summary = "Trains a network in the chip's arithmetic",
      .example =
          "edgetwin train net.yaml --target max78000 --data digits -o run --epochs 5 --qat-start 3",
      .declare = declaration_of<TrainArguments>()};
}

}  // namespace edgetwin::cli
