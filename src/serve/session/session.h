// The pipeline at work: its own thread, which no client can hold up. Clients get the newest
// picture; those that come late never see the ones between.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "serve/session/pipeline.h"
#include "serve/session/recording.h"

namespace edgetwin::serve {

struct Shown {
  int64_t number = 0;
  std::string jpeg;
};

class Session {
 public:
  // Begins at once. Errors: those of Pipeline::create.
  static Result<std::unique_ptr<Session>> start(const PipelineOptions& options);
  ~Session();
  void stop();

  // Each takes effect between two pictures. Errors: those of Pipeline.
  Status apply(const Event& event);
  // Another algorithm (its parameters are the defaults), parameters, device.
  Status switch_mode(const Event& event);

  // A picture newer than `number`; null where none comes within the time, or at the end.
  std::shared_ptr<const Shown> wait_for(int64_t number, int milliseconds);
  Json metrics();
  Json state();  // algorithm, parameters, schema, device, camera
  bool paused();
  std::optional<Tensor> picture();  // the camera's newest one, nothing drawn on it

  void record(bool on);
  Json recording();  // null: nothing was recorded

 private:
  Session() = default;
  void work();
  void show(const Frame& frame, double milliseconds);
  void fail(const std::string& message);
  double frames_per_second() const;

  std::unique_ptr<Pipeline> pipeline_;  // with pipeline_mutex_
  std::optional<Recording> recording_;
  bool records_ = false;
  std::mutex pipeline_mutex_, switch_mutex_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::shared_ptr<const Shown> shown_;
  Json values_ = Json::object();
  std::string message_, algorithm_, mode_text_, camera_;
  double milliseconds_ = 0;
  bool paused_ = false;
  int64_t count_ = 0, camera_frames_ = 0;
  Json comparison_;
  std::deque<double> times_;  // when the last pictures were done, seconds

  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace edgetwin::serve
