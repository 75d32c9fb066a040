#include "serve/session/pipeline.h"

#include <algorithm>
#include <cmath>

#include "serve/modes/draw.h"

namespace edgetwin::serve {
namespace {

constexpr double kDragPixels = 5.0;  // a shorter way is a click
constexpr double kFarPixel = 65536.0;

Error bad_event(const std::string& what) { return Error(ErrorCode::bad_value, what); }

std::optional<double> number_of(const Event& event, std::string_view key) {
  const auto value = event.get(key);
  if (!value) return std::nullopt;
  if (const auto n = value->as_number()) return n;
  if (const auto n = value->as_integer()) return static_cast<double>(*n);
  return std::nullopt;
}

Result<plot::Point> point_of(const Event& event) {
  const auto x = number_of(event, "x"), y = number_of(event, "y");
  const auto good = [](const std::optional<double>& v) {
    return v && std::isfinite(*v) && std::fabs(*v) < kFarPixel;
  };
  if (!good(x) || !good(y)) return bad_event("x and y are pixels of the picture, as numbers");
  return plot::Point{*x, *y};
}

plot::Rect spanned(const plot::Point& a, const plot::Point& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)};
}

std::string known_modes() {
  std::string text;
  for (const ModeInfo& m : modes()) text += (text.empty() ? "" : ", ") + std::string(m.name);
  return text;
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::create(const PipelineOptions& options) {
  std::unique_ptr<Pipeline> made(new Pipeline(options));
  if (const std::string why = refuse_engine(options.device); !why.empty()) {
    return Error(ErrorCode::usage, why);
  }
  made->device_ = options.device;
  Event first = Json::object();
  first.set("event", "mode").set("algorithm", options.algorithm);
  EDGETWIN_TRY(made->apply(first));
  return made;
}

bool Pipeline::synthetic() const { return source_.starts_with("synthetic:"); }

Status Pipeline::open_camera_for(const std::string& source) {
  const std::string wanted = source == "none" ? "synthetic:" + std::string(info_->camera) : source;
  if (camera_ != nullptr && wanted == source_) return Ok{};
  EDGETWIN_TRY_ASSIGN(camera_, camera::open_camera(wanted, options_.settings));
  source_ = wanted;
  camera_frames_ = 0;
  picture_.reset();
  return Ok{};
}

Result<BuiltMode> Pipeline::build(const Event& event) const {
  BuiltMode built;
  const std::string name =
      event.get_string("algorithm")
          .value_or(info_ == nullptr ? options_.algorithm : std::string(info_->name));
  built.info = find_mode(name);
  if (built.info == nullptr) {
    return bad_event("there is no algorithm '" + name.substr(0, 60) + "'")
        .with_hint("There are " + known_modes() + ".");
  }
  built.device = event.get_string("device").value_or(device_);
  if (const std::string why = refuse_engine(built.device); !why.empty()) return bad_event(why);
  const auto beside = event.get("beside");
  const bool compares = beside ? beside->as_bool().value_or(false) : options_.beside;
  const auto given = event.get("params");
  if (given && !given->is_object()) return bad_event("params is an object: {\"name\": value}");
  EDGETWIN_TRY_ASSIGN(built.values, ParameterValues::make(built.info->parameters(options_.models),
                                                          given ? *given : Json::object()));
  if (compares && built.device != "twin") built.comparison = std::make_shared<Comparison>();
  EDGETWIN_TRY_ASSIGN(built.mode, built.info->make({built.values,
                                                    {built.device, built.comparison},
                                                    options_.models,
                                                    options_.settings.fps}));
  return built;
}

Status Pipeline::install(BuiltMode built) {
  const ModeInfo* before = std::exchange(info_, built.info);
  if (auto opened = open_camera_for(options_.camera); !opened.ok()) {
    info_ = before;
    return opened;
  }
  values_ = std::move(built.values);
  device_ = std::move(built.device);
  comparison_ = std::move(built.comparison);
  options_.beside = comparison_ != nullptr || (device_ == "twin" && options_.beside);
  mode_ = std::move(built.mode);
  mouse_ = {};
  drag_from_.reset();
  return Ok{};
}

Status Pipeline::apply(const Event& event) {
  const std::string kind = event.get_string("event").value_or("");
  if (kind == "mode") {
    EDGETWIN_TRY_ASSIGN(BuiltMode built, build(event));
    return install(std::move(built));
  }
  if (kind == "pause") {
    const auto paused = event.get("paused");
    paused_ = paused ? paused->as_bool().value_or(!paused_) : !paused_;
    return Ok{};
  }
  if (kind == "step") {
    if (!paused_) return bad_event("a step needs a paused picture");
    step_ = true;
    return Ok{};
  }
  if (kind == "camera") {
    const std::string source = event.get_string("source").value_or("");
    EDGETWIN_TRY(open_camera_for(source));
    options_.camera = source;
    return Ok{};
  }
  return apply_mouse(kind, event);
}

Status Pipeline::apply_mouse(const std::string& kind, const Event& event) {
  EDGETWIN_TRY_ASSIGN(const plot::Point at, point_of(event));
  if (kind == "click") {
    mouse_.click = at;
    return Ok{};
  }
  if (kind == "drag_start") {
    drag_from_ = at;
    return Ok{};
  }
  if (kind != "drag_move" && kind != "drag_end")
    return bad_event("there is no event '" + kind + "'");
  if (!drag_from_) return bad_event(kind + " comes before drag_start");
  const double dx = at.x - drag_from_->x, dy = at.y - drag_from_->y;
  const bool far = std::sqrt(dx * dx + dy * dy) > kDragPixels;
  if (kind == "drag_move") {
    if (far) mouse_.dragging = spanned(*drag_from_, at);
    return Ok{};
  }
  mouse_.dragging.reset();
  if (far) mouse_.dragged = spanned(*drag_from_, at);
  if (!far) mouse_.click = at;
  drag_from_.reset();
  return Ok{};
}

// False at the end.
Result<bool> Pipeline::advance() {
  if (paused_ && !step_ && picture_) return true;
  step_ = false;
  constexpr int kRetries = 3;  // a camera may miss a picture
  for (int i = 0; i < kRetries; ++i) {
    auto read = camera_->read();
    if (read.ok() && !*read && !synthetic()) {
      // A folder begins again.
      EDGETWIN_TRY_ASSIGN(camera_, camera::open_camera(source_, options_.settings));
      read = camera_->read();
    }
    if (read.ok()) {
      if (!*read) return false;
      picture_ = std::move(**read);
      ++camera_frames_;
      return true;
    }
    if (i + 1 == kRetries) return std::move(read).error();
  }
  return false;
}

Result<std::optional<Frame>> Pipeline::next() {
  EDGETWIN_TRY_ASSIGN(const bool there, advance());
  if (!there) return std::optional<Frame>();
  Frame frame{*picture_, Json::object(), ""};
  const Status seen = mode_->observe(frame.picture, mouse_, frame.values);
  mouse_.click.reset();
  mouse_.dragged.reset();
  if (!seen.ok()) {
    frame.message = seen.error().message;
    if (!seen.error().hint.empty()) frame.message += " " + seen.error().hint;
    ink_message(frame.picture, frame.message);
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace edgetwin::serve
