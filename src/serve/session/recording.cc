#include "serve/session/recording.h"

#include <filesystem>

#include "base/sha256.h"

namespace edgetwin::serve {
namespace {

constexpr std::string_view kFormat = "edgetwin session 1";

Error bad_recording(const std::string& what) {
  return Error(ErrorCode::bad_value, "the recording " + what);
}

// Cameras of the system show other pictures each time.
bool is_folder(const std::string& camera) {
  return !camera.empty() && std::filesystem::is_directory(camera);
}

Result<std::string> camera_in(const Json& head, const ReplayOptions& options) {
  const std::string camera = head.get_string("camera").value_or("none");
  if (camera == "none" || camera.starts_with("synthetic:")) {
    if (options.camera.empty()) return camera;
    return Error(ErrorCode::usage, "the recording makes its own pictures: " + camera)
        .with_hint("Leave --camera out.");
  }
  if (!options.folders) {
    return bad_recording("is of camera '" + camera.substr(0, 60) +
                         "', whose pictures it does not have; only synthetic ones can be made "
                         "again here");
  }
  const std::string folder = options.camera.empty() ? camera : options.camera;
  if (is_folder(folder)) return folder;
  return bad_recording("is of camera '" + camera.substr(0, 60) +
                       "', whose pictures it does not have, and '" + folder.substr(0, 60) +
                       "' is no folder")
      .with_hint("Name the folder of its pictures with --camera.");
}

Result<PipelineOptions> options_in(const Json& head, const ReplayOptions& options) {
  PipelineOptions o;
  const auto width = head.get_integer("width"), height = head.get_integer("height");
  const auto fps = head.get_integer("fps");
  const auto within = [](const std::optional<int64_t>& v, int64_t most) {
    return v && *v >= 1 && *v <= most;
  };
  if (!within(width, 4096) || !within(height, 4096) || !within(fps, 1000)) {
    return bad_recording("has no width, height and fps within 4096, 4096 and 1000");
  }
  o.settings = {static_cast<int>(*width), static_cast<int>(*height), static_cast<int>(*fps)};
  EDGETWIN_TRY_ASSIGN(o.camera, camera_in(head, options));
  o.device = head.get_string("device").value_or("twin");
  return o;
}

// The page offers made-up scenes only; an event of a recording must not open anything else.
Status refuse_other_camera(const Event& event) {
  if (event.get_string("event") != "camera") return Ok{};
  const std::string source = event.get_string("source").value_or("");
  if (source == "none" || source.starts_with("synthetic:")) return Ok{};
  return bad_recording("changes to camera '" + source.substr(0, 60) + "'");
}

}  // namespace

std::string digest_of(const Frame& frame) {
  return sha256_hex(frame.picture.data).substr(0, 32) +
         sha256_hex(as_byte_span(frame.values.text())).substr(0, 32);
}

Recording::Recording(const Pipeline& p) : head_(Json::object()) {
  const camera::Settings& s = p.options().settings;
  head_.set("format", kFormat).set("camera", p.options().camera);
  head_.set("width", s.width).set("height", s.height).set("fps", s.fps);
  head_.set("device", p.device()).set("beside", p.comparison() != nullptr);
  head_.set("algorithm", p.mode().name).set("params", p.values().json());
}

void Recording::add(const Event& event) {
  Json row = Json::object();
  row.set("frame", frames_);
  events_.push(row.merge(event));
}

void Recording::add(const Frame& frame) {
  digests_.push(digest_of(frame));
  ++frames_;
}

Json Recording::json() const {
  Json j = head_;
  j.set("events", events_).set("digests", digests_);
  return j;
}

Result<Replay> replay(const Json& recording, const ReplayOptions& options) {
  if (recording.get_string("format") != std::string(kFormat)) {
    return bad_recording("does not begin with format '" + std::string(kFormat) + "'");
  }
  EDGETWIN_TRY_ASSIGN(PipelineOptions o, options_in(recording, options));
  const Json digests = recording.get("digests").value_or(Json::array());
  const Json events = recording.get("events").value_or(Json::array());
  const auto count = static_cast<int64_t>(digests.size());
  if (count > options.most) {
    return bad_recording("has more than " + std::to_string(options.most) + " frames");
  }
  if (count * o.settings.width * o.settings.height > options.most_pixels) {
    return bad_recording("has more than " + std::to_string(options.most_pixels) +
                         " pixels in all its frames");
  }
  o.models = options.models;
  o.algorithm = recording.get_string("algorithm").value_or("");
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Pipeline> pipeline, Pipeline::create(o));
  Event first = Json::object();
  first.set("event", "mode");
  for (const char* key : {"params", "beside"}) {
    if (const auto value = recording.get(key)) first.set(key, *value);
  }
  EDGETWIN_TRY(pipeline->apply(first));
  Replay result;
  size_t event = 0;
  for (; result.frames < count; ++result.frames) {
    for (; event < events.size(); ++event) {
      const Json row = events.at(event);
      if (row.get_integer("frame").value_or(-1) > result.frames) break;
      EDGETWIN_TRY(refuse_other_camera(row));
      EDGETWIN_TRY(pipeline->apply(row));
    }
    EDGETWIN_TRY_ASSIGN(const std::optional<Frame> frame, pipeline->next());
    const std::string wanted =
        digests.at(static_cast<size_t>(result.frames)).as_string().value_or("");
    if (!frame || digest_of(*frame) != wanted) {
      result.first_difference = result.frames;
      return result;
    }
  }
  return result;
}

}  // namespace edgetwin::serve
