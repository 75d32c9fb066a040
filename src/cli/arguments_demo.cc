#include "cli/arguments_demo.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {

// Options of one module; each with the default that the text names.
class Verb {
 public:
  Verb(CLI::App* demo, DemoArguments& a, const char* module, const char* text) : a_(a) {
    app_ = demo->add_subcommand(module, text);
    app_->callback([&a, module] { a.module = module; });
    app_->footer("Example:\n  edgetwin demo " + std::string(module));
  }
  Verb& number(const char* name, int& value, int least, int most, const char* text) {
    app_->add_option(name, value, text)->check(CLI::Range(least, most))->option_text("N");
    return *this;
  }
  Verb& real(const char* name, double& value, const char* text) {
    app_->add_option(name, value, text)->option_text("X");
    return *this;
  }
  Verb& word(const char* name, std::string& value, const char* text, const char* kind = "FILE") {
    app_->add_option(name, value, text)->check(not_empty)->option_text(kind);
    return *this;
  }
  Verb& flag(const char* name, bool& value, const char* text) {
    app_->add_flag(name, value, text);
    return *this;
  }
  CLI::App* app() { return app_; }

  Verb& common() {
    word("--numerics", a_.numerics, "The arithmetic, edgetpu or tflite; edgetpu without it",
         "NAME");
    word("--model", a_.model, "A .tflite model instead of the template");
    add_device(app_, a_.device, false);
    return *this;
  }
  Verb& sees() {
    common();
    word("--camera", a_.camera,
         "synthetic:NAME, a folder of pictures, or the number of a camera;\nNAME is wandering_dot, "
         "noise, checkerboard, rotating or panning",
         "X");
    number("--width", a_.width, 1, 8192, "Of the pictures; 640 without it");
    number("--height", a_.height, 1, 8192, "Of the pictures; 480 without it");
    number("--fps", a_.fps, 1, 1000, "Pictures in a second; 30 without it");
    number("--frames", a_.frames, 1, 1000000, "How many pictures; 30 without it");
    word("-o,--output", a_.output, "What was seen: a folder of PNG files, or a file .mjpeg", "X");
    return flag("--force", a_.force, "Overwrite existing files");
  }

 private:
  DemoArguments& a_;
  CLI::App* app_;
};

void add_trackers(CLI::App* demo, DemoArguments& a) {
  Verb(demo, a, "spot_tracker", "Where the brightest spot is, or the spot of a colour")
      .sees()
      .number("--image-size", a.image_size, 2, 1024, "Of the model; 64 without it")
      .word("--variant", a.variant, "bright, red, green, blue, …; bright without it", "NAME")
      .real("--servo-gain", a.servo_gain, "Of the servo's error; 1 without it")
      .real("--threshold", a.threshold, "Below it the spot is in the centre; 0.1 without it");
  Verb(demo, a, "pattern_tracker", "Where a pattern is")
      .sees()
      .number("--search-size", a.image_size, 2, 1024, "Of the model; 64 without it")
      .number("--kernel-size", a.kernel_size, 1, 1023, "Of the pattern; 16 without it")
      .number("--channels", a.channels, 1, 3, "1 or 3; 1 without it")
      .word("--template", a.pattern, "A picture; without it the centre of the first one");
  Verb(demo, a, "looming_detector", "Whether something comes nearer")
      .sees()
      .number("--image-size", a.image_size, 3, 1024, "Of the model; 64 without it")
      .real("--tau-threshold", a.tau_threshold, "Warn from here on; 1.2 without it")
      .number("--ttc-window", a.ttc_window, 2, 1000, "Values that are looked at; 10 without it");
}

void add_flow(CLI::App* demo, DemoArguments& a) {
  const auto flow = [&a](Verb verb) {
    verb.sees()
        .number("--image-size", a.image_size, 2, 1024, "Of the model; 64 without it")
        .number("--search-range", a.search_range, 1, 64, "Largest shift; 4 without it")
        .real("--temperature", a.temperature, "Of the softmax; 0.1 without it")
        .app()
        ->add_option("--pool-factor", a.pool_factor,
                     "Side of a square; without it 2, of the compass 4")
        ->check(CLI::Range(1, 64))
        ->option_text("N");
    verb.app()->add_flag("--pooled,!--no-pooled", a.pooled,
                         "Whether the model averages over squares; without it that\nof the "
                         "compass does");
    return verb;
  };
  flow(Verb(demo, a, "optical_flow", "The motion of the whole picture"));
  flow(Verb(demo, a, "visual_compass", "How far the camera has turned"))
      .real("--fov-deg", a.fov_deg, "The angle of a picture; 90 without it");
}

void add_matrices(CLI::App* demo, DemoArguments& a) {
  Verb(demo, a, "matmul_engine", "Products with a matrix that is exchanged")
      .common()
      .number("--dim", a.dim, 4, 4096, "Rows and columns; 256 without it")
      .number("--iterations", a.iterations, 1, 1000000, "Products; 1000 without it")
      .flag("--verify", a.verify, "Compare with products of real numbers");
  Verb reservoir(demo, a, "reservoir_computer", "A network of which only the readout is learnt");
  reservoir.sees()
      .number("--dim", a.dim, 4, 1024, "Neurons; 256 without it")
      .number("--input-dim", a.input_dim, 1, 4,
              "Of mean red, green, blue, brightness; 4 without it")
      .real("--spectral-radius", a.spectral_radius, "0.95 without it")
      .real("--leak-rate", a.leak_rate, "1 without it")
      .real("--input-scaling", a.input_scaling, "0.1 without it")
      .word("--activation", a.activation, "tanh, relu or identity; tanh without it", "NAME");
  reservoir.app()->add_option("--seed", a.seed, "Of the weights; 0 without it")->option_text("N");
  Verb(demo, a, "embedding_similarity", "Which earlier pictures are like this one")
      .sees()
      .number("--dim", a.dim, 192, 4096, "Of a vector; 256 without it")
      .number("--top-k", a.top_k, 1, 1000, "Matches; 3 without it")
      .number("--max-gallery", a.max_gallery, 1, 4096, "Pictures that are kept; 10 without it")
      .word("--save-db", a.save_db, "Keep the vectors")
      .word("--load-db", a.load_db, "Begin with kept vectors");
}

}  // namespace

void add_demo(CLI::App& app, DemoArguments& a) {
  CLI::App* demo =
      app.add_subcommand("demo", "A module of robotics at work, on the twin or a device");
  demo->require_subcommand(1);
  demo->footer("Example:\n  edgetwin demo spot_tracker --variant green --frames 10");
  add_trackers(demo, a);
  add_flow(demo, a);
  add_matrices(demo, a);
  Verb(demo, a, "simple_invoker", "A model's largest outputs for every picture")
      .sees()
      .app()
      ->get_option("--model")
      ->required();
}

}  // namespace edgetwin::cli
