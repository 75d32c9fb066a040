// Whole runs on a drawn data set: settings, resuming, equality with the twin, event files.
#include "train/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "noise_run.h"
#include "train/journal/events.h"
#include "train/report/page.h"
#include "train/run/setup.h"
#include "train/run/twin.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

TEST(TrainRun, EndsEqualToTheTwinForEveryNumberOfThreads) {
  const TestFolder folder;
  write_all(folder);
  RunSettings one = run_settings(folder, "one", 4);
  const auto result = train_network(one);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  ASSERT_EQ(result->epochs.size(), 4U);
  EXPECT_FALSE(result->epochs[1].quantized);
  EXPECT_TRUE(result->epochs[2].quantized);
  EXPECT_GT(result->test.top1(), 60);
  ASSERT_TRUE(result->twin.has_value());
  EXPECT_EQ(result->twin->items, 30);
  EXPECT_EQ(result->twin->equal, 30);
  RunSettings two = run_settings(folder, "two", 4);
  two.threads = 3;
  ASSERT_TRUE(train_network(two).ok());
  for (const char* name : {"checkpoint.pth.tar", "qat_checkpoint.pth.tar", "qat_best-q.pth.tar"}) {
    EXPECT_EQ(*read_file(one.output / name), *read_file(two.output / name)) << name;
  }
}

TEST(TrainRun, AResumedRunEndsWithTheSameBytes) {
  const TestFolder folder;
  write_all(folder);
  const RunSettings whole = run_settings(folder, "whole", 4);
  ASSERT_TRUE(train_network(whole).ok());
  for (const int stopped : {1, 2, 3}) {
    const RunSettings first = run_settings(folder, "first" + std::to_string(stopped), stopped);
    ASSERT_TRUE(train_network(first).ok());
    RunSettings rest = run_settings(folder, "rest" + std::to_string(stopped), 4);
    rest.resume = first.output / (stopped > 2 ? "qat_checkpoint.pth.tar" : "checkpoint.pth.tar");
    const auto result = train_network(rest);
    ASSERT_TRUE(result.ok()) << to_text(result.error());
    EXPECT_EQ(*read_file(whole.output / "qat_checkpoint.pth.tar"),
              *read_file(rest.output / "qat_checkpoint.pth.tar"))
        << stopped;
    EXPECT_EQ(*read_file(whole.output / "train.log"), *read_file(rest.output / "train.log"));
    ASSERT_EQ(result->epochs.size(), 4U);
    EXPECT_EQ(result->epochs[3].epoch, 3);
  }
}

// The twin rounds means as training does: ties to even.
TEST(TrainRun, MeansAreThoseOfTheTwinRoundedOrCutOff) {
  const TestFolder folder;
  write_all(folder);
  std::string text = kRunNetwork;
  const size_t at = text.find("max_pool");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 3, "avg");
  ASSERT_TRUE(write_file(folder / "net.yaml", as_byte_span(text), Overwrite::yes).ok());
  std::vector<double> losses;
  for (const bool rounds : {false, true}) {
    RunSettings s = run_settings(folder, rounds ? "rounded" : "cut", 3);
    s.average_rounding = rounds;
    const auto result = train_network(s);
    ASSERT_TRUE(result.ok()) << to_text(result.error());
    ASSERT_TRUE(result->twin.has_value());
    EXPECT_EQ(result->twin->equal, 30);
    losses.push_back(result->epochs.back().train_loss);
  }
  EXPECT_NE(losses[0], losses[1]);
}

// Integers of other weights: what a bug would look like.
TEST(TrainRun, ADifferenceFromTheTwinIsNamed) {
  const TestFolder folder;
  write_all(folder);
  const RunSettings s = run_settings(folder, "a", 1);
  auto setup = set_up(s);
  ASSERT_TRUE(setup.ok()) << to_text(setup.error());
  start_quantization(setup->model);
  Model other = setup->model;
  for (float& w : other.parameters.back().weights) w = -w;
  const auto quantized = quantized_checkpoint(setup->network, other);
  ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
  ThreadPool pool(1);
  std::vector<float> trained;
  evaluate(setup->model, setup->objective, setup->data.test, all_indices(setup->data.test.items()),
           pool, [&](const Maps& some, const IntMaps&) {
             const std::vector<float> planes = to_planes(some);
             trained.insert(trained.end(), planes.begin(), planes.end());
           });
  const auto compared =
      compare_with_twin(s, *setup, setup->model, *quantized, {.real = trained, .sums = {}});
  ASSERT_FALSE(compared.ok());
  EXPECT_EQ(compared.error().id(), "TRAIN-RUN-02");
  EXPECT_THAT(compared.error().message, testing::StartsWith("test item 0, output "));
}

TEST(TrainRun, RefusesOverridesOfOtherLayers) {
  const TestFolder folder;
  write_all(folder);
  RunSettings s = run_settings(folder, "run", 1);
  s.overrides["conv9"] = {};
  const auto result = train_network(s);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().id(), "TRAIN-QAT-01");
}

TEST(TrainRun, PatienceEndsARun) {
  const TestFolder folder;
  write_all(folder);
  RunSettings s = run_settings(folder, "equal", 6);
  s.optimizer.rate = 0;  // equal scores: the later epoch is the best
  s.qat_start.reset();
  s.norm = NormKind::none;
  s.patience = 1;
  const auto same = train_network(s);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->epochs.size(), 6U);
  // Noise that hides the patterns: scores go up and down.
  s = run_settings(folder, "noise", 40);
  s.qat_start.reset();
  s.validation = 0.5;
  s.augment = {{.kind = AugmentKind::noise, .sigma = 250}};
  s.patience = 1;
  const auto ended = train_network(s);
  ASSERT_TRUE(ended.ok());
  EXPECT_LT(ended->epochs.size(), 40U);
  EXPECT_EQ(ended->epochs.back().epoch, ended->best_epoch + 1);
}

TEST(TrainRun, StopsAfterAWholeStep) {
  const TestFolder folder;
  write_all(folder);
  RunSettings s = run_settings(folder, "run", 4);
  int steps = 0;
  s.stopped = [&steps] { return ++steps == 11; };  // 7 steps an epoch
  const auto result = train_network(s);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->epochs.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(s.output / "checkpoint.pth.tar"));
  const RunSettings whole = run_settings(folder, "whole", 4);
  ASSERT_TRUE(train_network(whole).ok());
  RunSettings rest = run_settings(folder, "rest", 4);
  rest.resume = s.output / "checkpoint.pth.tar";
  ASSERT_TRUE(train_network(rest).ok());
  EXPECT_EQ(*read_file(whole.output / "qat_checkpoint.pth.tar"),
            *read_file(rest.output / "qat_checkpoint.pth.tar"));
  EXPECT_EQ(*read_file(whole.output / "train.log"), *read_file(rest.output / "train.log"));
}

TEST(TrainRun, RefusesAPartBesideTheDatasOwn) {
  Data data;
  data.train.labels = {0, 1, 0};
  data.validation = {1};
  RunSettings s;
  const auto own = parts_of(s, data);
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->training, (std::vector<uint32_t>{0, 2}));
  s.validation = 0.5;
  const auto both = parts_of(s, data);
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().id(), "TRAIN-SET-02");
}

TEST(TrainRun, LearnsFromATeacher) {
  const TestFolder folder;
  write_all(folder);
  RunSettings first = run_settings(folder, "teacher", 5);
  first.qat_start.reset();
  first.schedule.reset();
  const auto teacher = train_network(first);
  ASSERT_TRUE(teacher.ok());
  RunSettings s = run_settings(folder, "student", 5);
  s.qat_start.reset();
  s.schedule.reset();
  s.loss.kind = LossKind::distillation;
  s.loss.teacher = first.output / "best.pth.tar";
  s.loss.distillation = {.temperature = 2, .distill_weight = 0.5, .student_weight = 0.5};
  const auto result = train_network(s);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  EXPECT_GT(teacher->test.top1(), 60);
  EXPECT_GT(result->test.top1(), 60);
}

TEST(TrainRun, FrozenLayersStay) {
  const TestFolder folder;
  write_all(folder);
  RunSettings s = run_settings(folder, "a", 1);
  s.qat_start.reset();
  s.layers["conv1"].freeze = true;
  auto before = set_up(s);
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(train_network(s).ok());
  s.init = s.output / "checkpoint.pth.tar";
  const auto after = open_trained(s);
  ASSERT_TRUE(after.ok()) << to_text(after.error());
  EXPECT_EQ(before->model.parameters[0].weights, after->model.parameters[0].weights);
  EXPECT_NE(before->model.parameters[1].weights, after->model.parameters[1].weights);
  s.layers["conv9"].freeze = true;
  EXPECT_EQ(set_up(s).error().id(), "TRAIN-SET-01");
}

TEST(TrainPage, HasCurvesLayersAndWorstItems) {
  const TestFolder folder;
  write_all(folder);
  const RunSettings s = run_settings(folder, "run", 3);
  ASSERT_TRUE(train_network(s).ok());
  const Bytes bytes = *read_file(s.output / "report.html");
  const std::string page(as_text(bytes));
  for (const char* part :
       {"<h3>Loss</h3>", "quantization</text>", "<h2>Layers</h2>", "conv2", "<h2>Confusion</h2>",
        "data:image/png;base64,iVBOR", "The run is done", "30 of 30 test items"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("http-equiv"), std::string::npos);
  RunPage open;
  open.title = "a<b";
  EXPECT_NE(run_page(open).find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_NE(run_page(open).find("a&lt;b"), std::string::npos);
  const Bytes rows = *read_file(s.output / "layers.csv");
  const std::string text(as_text(rows));
  EXPECT_EQ(layer_rows_text(parse_layer_rows(text)), text);
  EXPECT_EQ(parse_layer_rows(text).size(), 9U);
}

TEST(TrainHistory, ComesBackAsItWas) {
  EpochRow row;
  row.epoch = 3;
  row.quantized = true;
  row.rate = 0.05;
  row.validation_loss = 1.25;
  const std::string text = history_text({row});
  const auto rows = parse_history(text, "h");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(history_text(*rows), text);
  EXPECT_FALSE(parse_history(text + "4,qat,x\n", "h").ok());
  EXPECT_EQ(log_until("a\nEpoch: [0] b\nEpoch: [1] c\n", 0), "a\nEpoch: [0] b\n");
}

TEST(TrainEvents, RecordsAreThoseOfTheFormat) {
  EXPECT_EQ(crc32c(as_byte_span(std::string("123456789"))), 0xE3069283U);
  const auto hex = [](const Bytes& bytes) {
    std::string text;
    for (const std::byte b : bytes) {
      char two[3];
      std::snprintf(two, sizeof two, "%02X", static_cast<unsigned>(b));
      text += two;
    }
    return text;
  };
  // Lengths, check sums and messages of the specification, sums little-endian.
  EXPECT_EQ(hex(first_event()),
            "1800000000000000A37F4B22"
            "09000000000000F03F1A0D627261696E2E4576656E743A32"
            "86BF577A");
  EXPECT_EQ(hex(scalar_event(2.0, 3, {{"a", 0.5}})),
            "1700000000000000E7CEF81E"
            "090000000000000040"
            "1003"
            "2A0A0A080A016115"
            "0000003F"
            "959AA0CE");
}

TEST(TrainSettings, ReadsSchedulesAndPolicies) {
  const auto schedule = parse_schedule(
      "lr_schedulers:\n  a: {class: MultiStepLR, milestones: [5, 9], gamma: 0.25}\n"
      "policies:\n  - lr_scheduler: {instance_name: a}\n    starting_epoch: 1\n"
      "    ending_epoch: 200\n    frequency: 2\n",
      "s.yaml");
  ASSERT_TRUE(schedule.ok()) << to_text(schedule.error());
  EXPECT_EQ(schedule->scheduler.milestones, (std::vector<int>{5, 9}));
  EXPECT_EQ(schedule->scheduler.gamma, 0.25);
  EXPECT_EQ(schedule->steps_before(6), 3);  // after epochs 1, 3, 5
  RunSettings s;
  ASSERT_TRUE(apply_policy("start_epoch: 7\nweight_bits: 4\nshift_quantile: 0.985\n"
                           "overrides:\n  fc: {weight_bits: 8}\n",
                           "q.yaml", s)
                  .ok());
  EXPECT_EQ(s.qat_start, 7);
  EXPECT_EQ(s.weight_bits, 4);
  EXPECT_EQ(s.shift_quantile, 0.985F);
  EXPECT_EQ(s.overrides.at("fc").bits, 8);
  ASSERT_TRUE(apply_settings("train:\n  optimizer: {type: adam, lr: 0.001}\n  epochs: 3\n"
                             "  batch_norm: plain\n  qat: none\n  data:\n    augment:\n"
                             "      - pad_crop: 4\n      - affine: {rotate: 20, shift: 0.1}\n",
                             "t.yaml", s)
                  .ok());
  EXPECT_EQ(s.optimizer.kind, OptimizerKind::adam);
  EXPECT_EQ(s.epochs, 3);
  EXPECT_FALSE(s.qat_start.has_value());
  ASSERT_TRUE(apply_setting("optimizer.lr=0.25", s).ok());
  EXPECT_EQ(s.optimizer.rate, 0.25);
  EXPECT_EQ(s.optimizer.kind, OptimizerKind::adam);
  EXPECT_EQ(apply_setting("optimizer.rate=1", s).error().id(), "TRAIN-SET-01");
  EXPECT_EQ(apply_setting("epochs", s).error().id(), "TRAIN-SET-01");
  ASSERT_TRUE(apply_setting("loss={distil: {teacher: t.pth.tar, temperature: 3}}", s).ok());
  EXPECT_EQ(s.loss.kind, LossKind::distillation);
  const auto inside = apply_description("arch: a\ntrain: {epochs: 9}\n", "n.yaml", s);
  ASSERT_TRUE(inside.ok() && *inside);
  EXPECT_EQ(s.epochs, 9);
  ASSERT_EQ(s.augment.size(), 2U);
  EXPECT_EQ(s.augment[1].rotate, 20);
}

}  // namespace
}  // namespace edgetwin::train
