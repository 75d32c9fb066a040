#include "cli/train/tuning_folder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

std::string history_of(const train::TuneResult& r) {
  std::string text = "epoch,phase,lr,train_loss,train_top1,val_loss,val_top1,seconds\n";
  char row[192];
  for (const train::TuneEpoch& e : r.epochs) {
    std::snprintf(row, sizeof row, "%d,%s,%g,%.9g,%.6g,%.9g,%.6g,%.3f\n", e.epoch,
                  e.quantized ? "qat" : "float", e.rate, e.train_loss, e.train_top1,
                  e.validation.mean_loss(), e.validation.top1(), e.seconds);
    text += row;
  }
  return text;
}

report::Json score_json(const train::OutputForm& form, const train::PartScore& s) {
  report::Json json = report::Json::object();
  json.set("items", s.items).set("loss", s.mean_loss());
  if (form.kind == train::TargetKind::values) {
    json.set("mse", s.mean_loss());
  } else {
    json.set("right", s.right).set("top1", s.top1());
  }
  return json;
}

void fill_json(const train::TuneResult& r, Console& console) {
  report::Json epochs = report::Json::array();
  for (const train::TuneEpoch& e : r.epochs) {
    report::Json row = report::Json::object();
    row.set("epoch", e.epoch)
        .set("phase", e.quantized ? "qat" : "float")
        .set("lr", e.rate)
        .set("train_loss", e.train_loss);
    row.set("validation", score_json(r.form, e.validation)).set("seconds", e.seconds);
    epochs.push(std::move(row));
  }
  console.json().set("epochs", std::move(epochs));
  report::Json blocks = report::Json::array();
  for (const train::BlockResult& b : r.blocks) {
    report::Json row = report::Json::object();
    row.set("block", b.block).set("before", b.before).set("after", b.after).set("kept", b.kept);
    blocks.push(std::move(row));
  }
  console.json().set("blocks", std::move(blocks));
  if (!r.judged || r.interrupted) return;
  report::Json test = report::Json::object();
  test.set("float", score_json(r.form, r.float_test));
  test.set("ptq", score_json(r.form, r.ptq_test));
  test.set("best", score_json(r.form, r.best_test));
  console.json().set("best_epoch", r.best_epoch).set("test", std::move(test));
}

}  // namespace

void TuningFolder::log(const std::string& line) {
  log_ += line;
  if (!console_.options().quiet) console_.print(line);
}

// Each file is written beside and renamed.
Status TuningFolder::write(const std::string& name, ByteSpan bytes) {
  std::error_code failed;
  fs::create_directories(a_.output.path, failed);
  if (failed) {
    return Error(ErrorCode::file_write, "the folder cannot be made").in_file(a_.output.path);
  }
  EDGETWIN_TRY(write_file(fs::path(a_.output.path) / name, bytes, Overwrite::yes));
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
  return Ok{};
}

Status TuningFolder::write_journal(const train::TuneResult& result, bool done) {
  EDGETWIN_TRY(write("history.csv", as_byte_span(history_of(result))));
  EDGETWIN_TRY(write("train.log", as_byte_span(log_)));
  return write("report.html",
               as_byte_span(tuning_page(a_.network, console_.command_line(), result, done)));
}

// The checkpoint comes last: what it has reached the other files have reached too.
Status TuningFolder::after_epoch(const train::TuneResult& result, train::TuneState state) {
  EDGETWIN_TRY(write_journal(result, false));
  state.log = log_;
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, train::write_state(state));
  return write("checkpoint.pth.tar", bytes);
}

Status TuningFolder::write_networks(const twin::QuantizeRun& run, const twin::EspdlTask& task,
                                    const train::TuneResult& result) {
  const std::string name = fs::path(a_.network).stem().string();
  twin::EspdlQuantization files;
  files.settings = task.settings;
  files.quantized = result.quantized;
  EDGETWIN_TRY(twin::add_espdl_files(run, task.samples[0], files));
  EDGETWIN_TRY(write(name + ".espdl", files.file));
  EDGETWIN_TRY(write(name + ".info", as_byte_span(files.info)));
  EDGETWIN_TRY(write(name + ".json", as_byte_span(files.config)));
  const auto trained = twin::trained_network(run, task.model.main(), *result.planned.graph);
  if (trained) return write(name + ".onnx", *trained);
  // The network for the chip is what the run was for: it is there.
  Finding f = finding_of(trained.error(), Severity::warning);
  f.message = name + ".onnx is not written: " + f.message;
  console_.finding(f);
  return Ok{};
}

Status TuningFolder::end(const twin::QuantizeRun& run, const twin::EspdlTask& task,
                         const train::TuneResult& result) {
  if (!result.interrupted || !result.blocks.empty()) {
    EDGETWIN_TRY(write_networks(run, task, result));
    EDGETWIN_TRY(write_journal(result, true));
  }
  fill_json(result, console_);
  console_.json().set("files", report::Json::list(files_));
  if (console_.options().quiet) return Ok{};
  for (const std::string& file : files_) {
    console_.print("wrote   " + a_.output.path + "/" + file + "\n");
  }
  return Ok{};
}

}  // namespace edgetwin::cli
