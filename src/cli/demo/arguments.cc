#include "cli/demo/arguments.h"

#include "cli/demo/fft.h"
#include "edgetwin/decode.h"
#include "robotics/trackers/spot_tracker.h"

namespace edgetwin::cli {

namespace {

// The options of one module; each names its default.
class ModuleOptions {
 public:
  ModuleOptions(OptionSet& options, DemoArguments& a) : options_(options), a_(a) {}

  ModuleOptions& number(const char* name, int& value, int least, int most, const char* text) {
    options_.number(name, value, "N", text).range(least, most);
    return *this;
  }
  ModuleOptions& real(const char* name, double& value, const char* text) {
    options_.number(name, value, "X", text);
    return *this;
  }
  // At least 0.
  ModuleOptions& amount(const char* name, double& value, const char* text) {
    options_.number(name, value, "X", text).not_negative();
    return *this;
  }
  ModuleOptions& word(const char* name, std::string& value, const char* text, const char* kind) {
    options_.text(name, value, kind, text).not_empty();
    return *this;
  }
  ModuleOptions& file(const char* name, std::string& value, const char* text) {
    options_.file(name, value, text);
    return *this;
  }
  ModuleOptions& output(const char* name, Output& value, const char* text) {
    options_.file(name, value, text);
    return *this;
  }
  ModuleOptions& flag(const char* name, bool& value, const char* text) {
    options_.flag(name, value, text);
    return *this;
  }

  // Of every module. `needs_model`: it has no template.
  ModuleOptions& common(bool needs_model = false) {
    word("--numerics", a_.numerics, "The arithmetic, edgetpu or tflite; edgetpu without it",
         "NAME");
    OptionHandle model =
        options_.file("--model", a_.model, "A .tflite model instead of the template");
    if (needs_model) model.required();
    declare(options_, a_.device, {});
    return *this;
  }
  // Of those that see.
  ModuleOptions& sees(bool needs_model = false) {
    common(needs_model);
    word("--camera", a_.camera,
         "synthetic:NAME, a folder of pictures, or the number of a camera;\nNAME is wandering_dot, "
         "noise, checkerboard, rotating, panning or approaching",
         "X");
    number("--width", a_.width, 1, 8192, "Of the pictures; 640 without it");
    number("--height", a_.height, 1, 8192, "Of the pictures; 480 without it");
    number("--fps", a_.fps, 1, 1000, "Pictures in a second; 30 without it");
    number("--frames", a_.frames, 1, 1000000, "How many pictures; 30 without it");
    options_.output("-o,--output", a_.output, "X",
                    "What was seen: a folder of PNG files, or a file .mjpeg");
    options_.force("Overwrite existing files");
    return *this;
  }

 private:
  OptionSet& options_;
  DemoArguments& a_;
};

std::string variants_text() {
  std::string text = "bright";
  for (const robotics::Preset& p : robotics::presets()) text += ", " + std::string(p.name);
  return text + "; bright without it";
}

void spot_tracker(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--image-size", a.image_size, 2, 1024, "Of the model; 64 without it")
      .word("--variant", a.variant, variants_text().c_str(), "NAME")
      .real("--servo-gain", a.servo_gain, "Of the servo's error; 1 without it")
      .amount("--threshold", a.threshold, "Below it the spot is in the centre; 0.1 without it");
}

void pattern_tracker(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--search-size", a.image_size, 2, 1024, "Of the model; 64 without it")
      .number("--kernel-size", a.kernel_size, 1, 1023, "Of the pattern; 16 without it")
      .number("--channels", a.channels, 1, 3, "1 or 3; 1 without it")
      .file("--template", a.pattern,
            "A picture; without it what has most contrast in the first one");
}

void looming_detector(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--image-size", a.image_size, 3, 1024, "Of the model; 64 without it")
      .amount("--tau-threshold", a.tau_threshold, "Warn from here on; 1.2 without it")
      .number("--ttc-window", a.ttc_window, 2, 1000, "Values that are looked at; 10 without it");
}

void optical_flow(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--image-size", a.image_size, 2, 1024, "Of the model; 64 without it")
      .number("--search-range", a.search_range, 1, 64, "Largest shift; 4 without it")
      .amount("--temperature", a.temperature, "Of the softmax; 0.1 without it");
  options.number("--pool-factor", a.pool_factor, "N", "Side of a square; 2 without it")
      .range(1, 64);
  options.flag("--pooled,!--no-pooled", a.pooled,
               "Whether the model averages over squares, not this program");
}

// Of the module itself, not of the compass that is made of it.
void optical_flow_alone(OptionSet& options, DemoArguments& a) {
  optical_flow(options, a);
  options.flag("--cpu-replica", a.replica,
               "Also computes the pooled model in plain numbers, and compares");
}

void visual_compass(OptionSet& options, DemoArguments& a) {
  optical_flow(options, a);
  ModuleOptions(options, a).real("--fov-deg", a.fov_deg, "The angle of a picture; 90 without it");
}

void matmul_engine(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .common()
      .number("--dim", a.dim, 4, 4096, "Rows and columns; 256 without it")
      .number("--iterations", a.iterations, 1, 1000000, "Products; 1000 without it")
      .flag("--verify", a.verify, "Compare with products of real numbers");
}

void reservoir_computer(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--dim", a.dim, 4, 1024, "Neurons; 256 without it")
      .number("--input-dim", a.input_dim, 1, 4,
              "Of mean red, green, blue, brightness; 4 without it")
      .real("--spectral-radius", a.spectral_radius, "0.95 without it")
      .real("--leak-rate", a.leak_rate, "1 without it")
      .real("--input-scaling", a.input_scaling, "0.1 without it")
      .word("--activation", a.activation, "tanh, relu or identity; tanh without it", "NAME");
  options.number("--seed", a.seed, "N", "Of the weights; 0 without it");
  const OptionHandle fit =
      options
          .number("--fit", a.fit, "N",
                  "Learns from so many pictures what the next one's numbers are, and\nforetells "
                  "those of the rest")
          .range(1, 100000);
  options.number("--ridge", a.ridge, "X", "Of --fit; 0.000001 without it")
      .not_negative()
      .needs(fit);
  options.number("--warmup", a.warmup, "N", "Pictures that --fit leaves out; 0 without it")
      .range(0, 99999)
      .needs(fit);
}

void embedding_similarity(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a)
      .sees()
      .number("--dim", a.dim, 192, 4096, "Of a vector; 256 without it")
      .number("--top-k", a.top_k, 1, 1000, "Matches; 3 without it")
      .number("--max-gallery", a.max_gallery, 1, 4096, "Pictures that are kept; 10 without it")
      .output("--save-db", a.save_db, "Keep the vectors")
      .file("--load-db", a.load_db, "Begin with kept vectors");
}

void simple_invoker(OptionSet& options, DemoArguments& a) {
  ModuleOptions(options, a).sees(true);
  std::vector<std::string> names;
  std::string help = "What the outputs mean, in words and drawn with -o:";
  for (const DecoderInfo& d : all_decoders()) {
    help += (names.empty() ? " " : ", ") + std::string(d.name);
    names.emplace_back(d.name);
  }
  const OptionHandle decode = options.text("--decode", a.decode, "NAME", help).choices(names);
  options.number("--threshold", a.score, "X", "With --decode: what has a lower score is left out")
      .range(0.0, 1.0)
      .needs(decode);
  options.file("--labels", a.labels, "Names of the classes, one per line");
}

Verb verb_of(const std::string& module, const std::string& summary,
             void (*declare_module)(OptionSet&, DemoArguments&)) {
  const auto declare_all = [module, declare_module](OptionSet& options) -> Action {
    const auto arguments = std::make_shared<DemoArguments>();
    arguments->module = module;
    declare_module(options, *arguments);
    return [arguments](Console& console) { return execute(*arguments, console); };
  };
  return {.name = module,
          .group = "",
          .summary = summary,
          .example = "edgetwin demo " + module,
          .declare = declare_all};
}

}  // namespace

Verb verb_demo() {
  return {
      .name = "demo",
      .group = group::kRobotics,
      .summary = "A robotics module, or a spectrum, on twin or device",
      .example = "edgetwin demo spot_tracker --variant green --frames 10",
      .verbs = {verb_of("spot_tracker", "Where the brightest spot is, or the spot of a colour",
                        spot_tracker),
                verb_of("pattern_tracker", "Where a pattern is", pattern_tracker),
                verb_of("looming_detector", "Whether something comes nearer", looming_detector),
                verb_of("optical_flow", "The motion of the whole picture", optical_flow_alone),
                verb_of("visual_compass", "How far the camera has turned", visual_compass),
                verb_of("matmul_engine", "Products with a matrix that is exchanged", matmul_engine),
                verb_of("reservoir_computer", "A network of which only the readout is learnt",
                        reservoir_computer),
                verb_of("embedding_similarity", "Which earlier pictures are like this one",
                        embedding_similarity),
                verb_of("simple_invoker", "What a model sees in every picture", simple_invoker),
                verb_demo_fft()}};
}

}  // namespace edgetwin::cli
