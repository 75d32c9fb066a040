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
  o.host = a.host;
  o.port = a.port;
  o.token = a.token;
  o.open = a.models;
  o.pipeline.camera = a.camera;
  o.pipeline.settings = {a.width, a.height, a.fps};
  o.pipeline.device = a.device;
  o.pipeline.beside = a.beside;
  o.pipeline.models = a.models;
  o.pipeline.algorithm = a.algorithm;
  return o;
}

Result<int> replay_file(const ServeArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.replay));
  EDGETWIN_TRY_ASSIGN(const Json recording, Json::parse(as_text(data), a.replay));
  auto done = serve::replay(recording, a.models);
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
  if (!a.token.empty() && serve::is_loopback(a.host)) {
    return Error(ErrorCode::usage, "--token has no meaning on the loopback, which asks for none");
  }
  if (a.beside && a.device == "twin") {
    return Error(ErrorCode::usage, "--beside compares a device with the twin; --device is the twin")
        .with_hint("Give --device virtual or usb.");
  }
  if (!a.replay.empty()) return replay_file(a, console);
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<serve::App> app, serve::App::create(app_options(a)));
  console.json().set("url", app->url());
  console.print("open " + app->url() + "\nCtrl-C ends\n");
  std::fflush(stdout);  // whoever reads it through a pipe waits for the address
  app->serve();
  return kYes;
}

}  // namespace edgetwin::cli
