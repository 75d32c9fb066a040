#include "serve/session/session.h"

#include <algorithm>
#include <chrono>

#include "image/jpeg.h"
#include "report/format.h"
#include "serve/modes/draw.h"

namespace edgetwin::serve {
namespace {

using SessionClock = std::chrono::steady_clock;
constexpr int kQuality = 85;      // of JPEG, the specification's
constexpr size_t kAveraged = 30;  // pictures

double seconds_now() {
  return std::chrono::duration<double>(SessionClock::now().time_since_epoch()).count();
}

Color badge_color(const std::string& device, bool synthetic) {
  if (device != "twin" && device != "virtual") return kGreenInk;
  return synthetic ? kYellowInk : kCyanInk;
}

Json json_of(const Comparison* c) {
  if (c == nullptr) return {};
  Json j = Json::object();
  j.set("runs", c->runs).set("bytes", c->bytes).set("different", c->different);
  return j.set("runs_different", c->runs_different).set("first_layer", c->first_layer);
}

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const PipelineOptions& options) {
  std::unique_ptr<Session> made(new Session);
  EDGETWIN_TRY_ASSIGN(made->pipeline_, Pipeline::create(options));
  made->thread_ = std::thread([s = made.get()] { s->work(); });
  return made;
}

Session::~Session() { stop(); }

void Session::stop() {
  stop_ = true;
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Session::work() {
  const auto period = std::chrono::duration<double>(1.0 / pipeline_->options().settings.fps);
  auto due = SessionClock::now();
  while (!stop_) {
    due = std::max(due + std::chrono::duration_cast<SessionClock::duration>(period),
                   SessionClock::now() - std::chrono::milliseconds(100));
    const double start = seconds_now();
    {
      const std::lock_guard lock(pipeline_mutex_);
      auto frame = pipeline_->next();
      if (!frame.ok()) {
        fail(frame.error().message);
      } else if (!*frame) {
        fail("the camera has no more pictures");
      } else {
        if (records_ && recording_ && !recording_->full()) recording_->add(**frame);
        show(**frame, (seconds_now() - start) * 1e3);
      }
    }
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, due, [this] { return stop_.load(); });
  }
}

void Session::fail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  message_ = message;
}

double Session::frames_per_second() const {
  if (times_.size() < 2) return 0.0;
  return static_cast<double>(times_.size() - 1) / std::max(times_.back() - times_.front(), 1e-6);
}

void Session::show(const Frame& frame, double milliseconds) {
  Tensor picture = frame.picture;
  const std::string badge = badge_of({pipeline_->device(), nullptr});
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    times_.push_back(seconds_now());
    if (times_.size() > kAveraged) times_.pop_front();
    text = report::fixed_text(frames_per_second(), 1) + " frames/s  " +
           report::fixed_text(milliseconds, 1) + " ms";
  }
  const Color color = badge_color(pipeline_->device(), pipeline_->synthetic());
  ink_text(picture, {6, 14}, std::string(pipeline_->mode().name) + "  " + badge, color);
  ink_text(picture, {6, 36}, text + (pipeline_->paused() ? "  [PAUSED]" : ""), color);
  const Result<Bytes> jpeg = encode_jpeg(picture, kQuality);
  if (!jpeg.ok()) return fail(jpeg.error().message);
  const std::lock_guard lock(mutex_);
  auto shown = std::make_shared<Shown>();
  shown->number = ++count_;
  shown->jpeg = as_text(*jpeg);
  shown_ = std::move(shown);
  values_ = frame.values;
  message_ = frame.message;
  milliseconds_ = milliseconds;
  algorithm_ = pipeline_->mode().name;
  mode_text_ = badge + (pipeline_->synthetic() ? ", SYNTHETIC" : "");
  camera_ = pipeline_->camera_text();
  paused_ = pipeline_->paused();
  camera_frames_ = pipeline_->camera_frames();
  comparison_ = json_of(pipeline_->comparison());
  changed_.notify_all();
}

Status Session::apply(const Event& event) {
  const std::lock_guard lock(pipeline_mutex_);
  EDGETWIN_TRY(pipeline_->apply(event));
  if (records_ && recording_) recording_->add(event);
  const std::lock_guard shown(mutex_);
  paused_ = pipeline_->paused();
  return Ok{};
}

Status Session::switch_mode(const Event& event) {
  const std::lock_guard one(switch_mutex_);
  // The pipeline goes on while the next mode is made; only this function changes what build reads.
  EDGETWIN_TRY_ASSIGN(BuiltMode built, pipeline_->build(event));
  Event recorded = Json::object();
  recorded.set("event", "mode").set("algorithm", built.info->name);
  recorded.set("params", built.values.json()).set("device", built.device);
  recorded.set("beside", built.comparison != nullptr);
  const std::lock_guard lock(pipeline_mutex_);
  EDGETWIN_TRY(pipeline_->install(std::move(built)));
  if (records_ && recording_) recording_->add(recorded);
  return Ok{};
}

std::shared_ptr<const Shown> Session::wait_for(int64_t number, int milliseconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                    [&] { return stop_ || (shown_ != nullptr && shown_->number > number); });
  if (stop_ || shown_ == nullptr || shown_->number <= number) return nullptr;
  return shown_;
}

std::optional<Tensor> Session::picture() {
  const std::lock_guard lock(pipeline_mutex_);
  return pipeline_->picture();
}

bool Session::paused() {
  const std::lock_guard lock(mutex_);
  return paused_;
}

Json Session::metrics() {
  const std::lock_guard lock(mutex_);
  Json j = Json::object();
  j.set("fps", frames_per_second()).set("algorithm", algorithm_).set("mode", mode_text_);
  j.set("latency_ms", milliseconds_)
      .set("frame", count_)
      .set("camera_frame", camera_frames_)
      .set("paused", paused_);
  j.set("camera", camera_).set("message", message_);
  j.set("values", values_).set("comparison", comparison_);
  return j.merge(values_);
}

Json Session::state() {
  const std::lock_guard lock(pipeline_mutex_);
  Json j = Json::object();
  j.set("algorithm", pipeline_->mode().name).set("params", pipeline_->values().json());
  j.set("schema", schema_of(pipeline_->mode().parameters(pipeline_->options().models)));
  j.set("device", pipeline_->device()).set("beside", pipeline_->comparison() != nullptr);
  j.set("camera", pipeline_->options().camera).set("paused", pipeline_->paused());
  j.set("width", pipeline_->options().settings.width);
  j.set("height", pipeline_->options().settings.height);
  j.set("recording", records_).set("text", pipeline_->mode().text);
  return j.set("mouse", pipeline_->mode().mouse);
}

void Session::record(bool on) {
  const std::lock_guard one(switch_mutex_);
  const std::lock_guard lock(pipeline_mutex_);
  if (!on) {
    records_ = false;
    return;
  }
  // From the beginning: the mode and the camera are made anew, so that a replay begins alike.
  Event again = Json::object();
  again.set("event", "mode").set("params", pipeline_->values().json());
  again.set("beside", pipeline_->comparison() != nullptr);
  PipelineOptions o = pipeline_->options();
  o.device = pipeline_->device();
  o.algorithm = pipeline_->mode().name;
  auto made = Pipeline::create(o);
  if (!made.ok() || !(*made)->apply(again).ok()) return;
  pipeline_ = std::move(*made);
  recording_.emplace(*pipeline_);
  records_ = true;
}

Json Session::recording() {
  const std::lock_guard lock(pipeline_mutex_);
  return recording_ ? recording_->json() : Json();
}

}  // namespace edgetwin::serve
