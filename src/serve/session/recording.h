// A session as what was done in it and the digest of every picture, so that it can be done again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/session/pipeline.h"

namespace edgetwin::serve {

inline constexpr int64_t kMaxRecordedFrames = 18000;  // ten minutes

// SHA-256 of picture and values.
std::string digest_of(const Frame& frame);

class Recording {
 public:
  explicit Recording(const Pipeline& pipeline);
  void add(const Event& event);
  void add(const Frame& frame);
  bool full() const { return frames_ >= kMaxRecordedFrames; }
  int64_t frames() const { return frames_; }
  Json json() const;

 private:
  Json head_, events_ = Json::array(), digests_ = Json::array();
  int64_t frames_ = 0;
};

struct Replay {
  int64_t frames = 0;
  std::optional<int64_t> first_difference;  // the frame whose bytes are others; none: all equal
};

struct ReplayOptions {
  std::vector<std::string> models;    // files for SimpleInvoker
  int64_t most = kMaxRecordedFrames;  // frames
  int64_t most_pixels = INT64_MAX;    // in all of them
  bool folders = false;  // pictures may come from a folder; never of recordings of strangers
  std::string camera;    // where such a folder is now; empty: where the recording says
};

// Does again what the recording says. Only what it was made of can be: synthetic pictures or a
// folder. Errors: bad_value where it is no recording or beyond a limit, usage for a camera that it
// does not need; those of the pipeline.
Result<Replay> replay(const Json& recording, const ReplayOptions& options);

}  // namespace edgetwin::serve
