#include "cli/serve/arguments.h"

#include "serve/modes/engines.h"
#include "serve/modes/mode.h"

namespace edgetwin::cli {
namespace {

std::string refuse_algorithm(const std::string& word) {
  if (serve::find_mode(word) != nullptr) return "";
  std::string text = "'" + word + "' is not";
  for (const serve::ModeInfo& m : serve::modes()) text += " " + std::string(m.name);
  return text;
}

}  // namespace

void declare(OptionSet& options, ServeArguments& a) {
  options.positional("MODEL", a.models, "Files to look into; .tflite also for SimpleInvoker");
  options.number("--port", a.port, "N", "8080 without it; 0: a free one").range(0, 65535);
  options
      .text("--host", a.host, "ADDRESS",
            "Where it listens; 127.0.0.1 without it. Any other but the loopback needs\nthe token "
            "that is printed")
      .not_empty();
  options.text("--token", a.token, "WORD", "Instead of a random one").not_empty();
  options
      .text("--camera", a.camera, "X",
            "none (a made-up scene for each algorithm), synthetic:NAME, a folder of\npictures, or "
            "a camera: its number or /dev/videoN")
      .not_empty();
  options
      .text("--device", a.device, "WHERE",
            "twin, virtual (a stick made of software), usb or usb:BUS-PORT;\ntwin without it")
      .check(serve::refuse_engine);
  options.flag("--beside", a.beside, "On devices: the twin computes each picture, too");
  options.text("--algorithm", a.algorithm, "NAME", "The first one; SpotTracker without it")
      .check(refuse_algorithm);
  options.number("--width", a.width, "N", "Of the pictures; 640 without it").range(64, 4096);
  options.number("--height", a.height, "N", "Of the pictures; 480 without it").range(64, 4096);
  options.number("--fps", a.fps, "N", "Pictures in a second; 30 without it").range(1, 1000);
  options.file("--replay", a.replay,
               "Does a recorded session again, without a server: 1 if a byte differs.\n--camera "
               "names the folder of its pictures, if it has moved");
}

Verb verb_serve() {
  return {.name = "serve",
          .group = group::kRobotics,
          .summary = "The live page: every module, the inside of files, chips",
          .example = "edgetwin serve net.tflite --port 8080",
          .declare = declaration_of<ServeArguments>()};
}

}  // namespace edgetwin::cli
