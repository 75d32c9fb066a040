#include <cstdio>

#include "base/file.h"
#include "base/json/json.h"
#include "cli/serve/arguments.h"
#include "cli/shared/exit_codes.h"
#include "serve/app/app.h"
#include "serve/session/recording.h"

namespace edgetwin::cli {
namespace {

serve::AppOptions app_options(const ServeArguments& a) {
  serve::AppOptions o;
  if (!a.host.empty()) o.host = a.host;
  o.port = a.port.value_or(o.port);
  o.token = a.token;
  o.open = a.models;
  serve::PipelineOptions& p = o.pipeline;
  if (!a.camera.empty()) p.camera = a.camera;
  p.settings.width = a.width.value_or(p.settings.width);
  p.settings.height = a.height.value_or(p.settings.height);
  p.settings.fps = a.fps.value_or(p.settings.fps);
  if (!a.device.empty()) p.device = a.device;
  p.beside = a.beside;
  p.models = a.models;
  if (!a.algorithm.empty()) p.algorithm = a.algorithm;
  return o;
}

// A recording says all of this itself, and there is no server.
Status refuse_beside_replay(const ServeArguments& a) {
  const std::pair<bool, const char*> given[] = {
      {a.port.has_value(), "--port"},   {!a.host.empty(), "--host"},
      {!a.token.empty(), "--token"},    {!a.device.empty(), "--device"},
      {a.beside, "--beside"},           {!a.algorithm.empty(), "--algorithm"},
      {a.width.has_value(), "--width"}, {a.height.has_value(), "--height"},
      {a.fps.has_value(), "--fps"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return Error(ErrorCode::usage,
                 std::string(option) + " has no meaning with --replay: the recording decides")
        .with_hint(std::string("Leave ") + option + " out.");
  }
  return Ok{};
}

Result<int> replay_file(const ServeArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_beside_replay(a));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.replay));
  EDGETWIN_TRY_ASSIGN(const Json recording, Json::parse(as_text(data), a.replay));
  serve::ReplayOptions options;
  options.models = a.models;
  options.folders = true;
  options.camera = a.camera;
  auto done = serve::replay(recording, options);
  if (!done.ok()) return std::move(done).error().in_file(a.replay);
  const bool equal = !done->first_difference;
  console.json().set("frames", done->frames).set("equal", equal);
  console.print(equal ? "equal: " + std::to_string(done->frames) + " frames gave the same bytes\n"
                      : "different: first in frame " + std::to_string(*done->first_difference) +
                            "\n");
  return equal ? kYes : kNo;
}

}  // namespace

Result<int> execute(const ServeArguments& a, Console& console) {
  if (!a.replay.empty()) return replay_file(a, console);
  if (!a.token.empty() && (a.host.empty() || serve::is_loopback(a.host))) {
    return Error(ErrorCode::usage, "--token has no meaning on the loopback, which asks for none");
  }
  if (a.beside && (a.device.empty() || a.device == "twin")) {
    return Error(ErrorCode::usage, "--beside compares a device with the twin; --device is the twin")
        .with_hint("Give --device virtual or usb.");
  }
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<serve::App> app, serve::App::create(app_options(a)));
  console.json().set("url", app->url());
  console.print("open " + app->url() + "\nCtrl-C ends\n");
  std::fflush(stdout);  // whoever reads it through a pipe waits for the address
  app->serve();
  return kYes;
}

}  // namespace edgetwin::cli
