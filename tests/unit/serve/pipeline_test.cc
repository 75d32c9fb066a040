#include "serve/session/pipeline.h"

#include <gtest/gtest.h>

#include "serve/session/recording.h"
#include "source_dir.h"
#include "test_folder.h"

namespace edgetwin::serve {
namespace {

PipelineOptions small_pictures() {
  PipelineOptions o;
  o.settings = {96, 64, 30};
  return o;
}

Event event_of(const std::string& text) { return *Json::parse(text, "event"); }

std::unique_ptr<Pipeline> made(const std::string& mode) {
  auto p = Pipeline::create(small_pictures());
  EXPECT_TRUE(p.ok());
  EXPECT_TRUE((*p)->apply(event_of(R"({"event": "mode", "algorithm": ")" + mode + "\"}")).ok());
  return std::move(*p);
}

TEST(ServePipeline, EveryModeSeesPictures) {
  for (const ModeInfo& m : modes()) {
    if (m.name == "SimpleInvoker") continue;  // it needs a model
    const auto p = made(std::string(m.name));
    for (int i = 0; i < 3; ++i) {
      const auto frame = p->next();
      ASSERT_TRUE(frame.ok() && *frame) << m.name;
      EXPECT_EQ((*frame)->message, "") << m.name;
      EXPECT_EQ(to_string((*frame)->picture.shape), "64x96x3");
    }
    EXPECT_EQ(p->camera_frames(), 3);
  }
}

// As many as the specification of this page asks for; under a sanitizer each leak is seen.
TEST(ServePipeline, AThousandSwitches) {
  const auto p = Pipeline::create(small_pictures());
  ASSERT_TRUE(p.ok());
  std::vector<std::string> names;
  for (const ModeInfo& m : modes()) {
    if (m.name != "SimpleInvoker") names.emplace_back(m.name);
  }
  for (size_t i = 0; i < 1000; ++i) {
    const std::string& name = names[i % names.size()];
    const Status done = (*p)->apply(event_of(R"({"event": "mode", "algorithm": ")" + name + "\"}"));
    ASSERT_TRUE(done.ok()) << name << done.error().message;
    ASSERT_EQ((*p)->mode().name, name);
    const auto frame = (*p)->next();
    ASSERT_TRUE(frame.ok() && *frame) << name;
  }
}

TEST(ServePipeline, PausedPicturesStayAndStepsTakeOne) {
  const auto p = made("SpotTracker");
  ASSERT_TRUE(p->next().ok());
  EXPECT_FALSE(p->apply(event_of(R"({"event": "step"})")).ok());
  ASSERT_TRUE(p->apply(event_of(R"({"event": "pause", "paused": true})")).ok());
  const auto a = p->next(), b = p->next();
  EXPECT_EQ(digest_of(**a), digest_of(**b));
  EXPECT_EQ(p->camera_frames(), 1);
  ASSERT_TRUE(p->apply(event_of(R"({"event": "step"})")).ok());
  ASSERT_TRUE(p->next().ok());
  ASSERT_TRUE(p->next().ok());
  EXPECT_EQ(p->camera_frames(), 2);
}

// The specification's threshold: beyond 5 pixels it is a drag.
TEST(ServePipeline, AShortDragIsAClick) {
  const auto p = made("EmbeddingSimilarity");
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_start", "x": 10, "y": 10})")).ok());
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_end", "x": 13, "y": 14})")).ok());
  auto frame = p->next();
  EXPECT_EQ((*frame)->values.get_integer("kept"), 1);
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_start", "x": 10, "y": 10})")).ok());
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_end", "x": 14, "y": 14})")).ok());
  frame = p->next();
  EXPECT_EQ((*frame)->values.get_integer("kept"), 1);  // 5.66 pixels: no click
}

TEST(ServePipeline, ADraggedPatternIsFoundWhereItIs) {
  const auto p = made("PatternTracker");
  ASSERT_TRUE(p->apply(event_of(R"({"event": "pause", "paused": true})")).ok());
  EXPECT_EQ((*p->next())->values.get("has_pattern")->as_bool(), false);
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_start", "x": 24, "y": 16})")).ok());
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_move", "x": 40, "y": 30})")).ok());
  ASSERT_TRUE(p->apply(event_of(R"({"event": "drag_end", "x": 48, "y": 32})")).ok());
  const auto frame = p->next();
  EXPECT_EQ((*frame)->values.get("has_pattern")->as_bool(), true);
  // 16 of 64 positions: the corner at a third of 48 places, as [-1, 1].
  EXPECT_NEAR(*(*frame)->values.get("x")->as_number(), 16.0 / 48 * 2 - 1, 0.2);
  EXPECT_NEAR(*(*frame)->values.get("y")->as_number(), 16.0 / 48 * 2 - 1, 0.2);
}

TEST(ServePipeline, WrongEventsAreRefused) {
  const auto p = made("SpotTracker");
  for (const char* text :
       {R"({})", R"({"event": "jump"})", R"({"event": "click"})",
        R"({"event": "click", "x": 1e9, "y": 0})", R"({"event": "drag_end", "x": 1, "y": 1})",
        R"({"event": "mode", "algorithm": "Nope"})", R"({"event": "mode", "device": "gpu"})",
        R"({"event": "mode", "params": 3})", R"({"event": "mode", "params": {"image_size": 3}})",
        R"({"event": "camera", "source": "synthetic:nope"})"}) {
    const Status done = p->apply(event_of(text));
    ASSERT_FALSE(done.ok()) << text;
    EXPECT_FALSE(done.error().message.empty()) << text;
  }
  EXPECT_EQ(p->mode().name, "SpotTracker");
  EXPECT_TRUE(p->next().ok());
}

TEST(ServePipeline, TheVirtualStickGivesTheTwinsBytes) {
  const auto p = Pipeline::create(small_pictures());
  ASSERT_TRUE(p.ok());
  for (const char* mode : {"SpotTracker", "LoomingDetector"}) {
    ASSERT_TRUE((*p)->apply(event_of(R"({"event": "mode", "device": "virtual", "beside": true,
                                         "algorithm": ")" +
                                     std::string(mode) + "\"}"))
                    .ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE((*p)->next().ok());
    ASSERT_NE((*p)->comparison(), nullptr);
    EXPECT_EQ((*p)->comparison()->runs, 2);
    EXPECT_GT((*p)->comparison()->bytes, 0);
    EXPECT_EQ((*p)->comparison()->runs_different, 0);
  }
}
// Weights are in the program that our compiler makes: each exchange compiles it anew.
TEST(ServePipeline, WeightsAreExchangedOnTheVirtualStick) {
  const auto p = Pipeline::create(small_pictures());
  ASSERT_TRUE(p.ok());
  for (const char* mode :
       {"MatMulEngine", "ReservoirComputer", "EmbeddingSimilarity", "PatternTracker"}) {
    const Status done = (*p)->apply(event_of(R"({"event": "mode", "device": "virtual",
        "beside": true, "algorithm": ")" + std::string(mode) +
                                             "\"}"));
    ASSERT_TRUE(done.ok()) << mode << done.error().message;
    ASSERT_TRUE((*p)->apply(event_of(R"({"event": "drag_start", "x": 30, "y": 20})")).ok());
    ASSERT_TRUE((*p)->apply(event_of(R"({"event": "drag_end", "x": 50, "y": 40})")).ok());
    ASSERT_TRUE((*p)->next().ok());
    ASSERT_TRUE((*p)->apply(event_of(R"({"event": "click", "x": 1, "y": 1})")).ok());
    for (int i = 0; i < 2; ++i) {
      const auto frame = (*p)->next();
      ASSERT_TRUE(frame.ok()) << mode;
      EXPECT_EQ((*frame)->message, "") << mode;
    }
    EXPECT_GT((*p)->comparison()->runs, 0) << mode;
    EXPECT_EQ((*p)->comparison()->runs_different, 0) << mode << (*p)->comparison()->first_layer;
  }
}

// By what their outputs look like.
TEST(ServePipeline, SimpleInvokerTellsTheDecoder) {
  const std::pair<std::string, const char*> models[] = {
      {case_file("decode_pixels.tflite"), ""},
      {case_file("decode_movenet.tflite"), "people"},
      {source_dir() + "/models/digits/digits_int8.tflite", "classes"}};
  for (const auto& [file, member] : models) {
    PipelineOptions o = small_pictures();
    o.models = {file};
    o.algorithm = "SimpleInvoker";
    const auto p = Pipeline::create(o);
    ASSERT_TRUE(p.ok()) << file << p.error().message;
    const auto frame = (*p)->next();
    ASSERT_TRUE(frame.ok());
    EXPECT_EQ((*frame)->message, "") << file;
    EXPECT_FALSE((*frame)->values.get("outputs")) << file << (*frame)->values.text();
    const bool said = member[0] == 0 || (*frame)->values.get(member).has_value();
    EXPECT_TRUE(said) << file << (*frame)->values.text();
  }
}

// Networks of the user's are compiled for devices, and computed beside them like the modules.
TEST(ServePipeline, SimpleInvokerOnTheVirtualStickBesideTheTwin) {
  PipelineOptions o = small_pictures();
  o.models = {source_dir() + "/models/digits/digits_int8.tflite"};
  o.algorithm = "SimpleInvoker";
  o.device = "virtual";
  o.beside = true;
  const auto p = Pipeline::create(o);
  ASSERT_TRUE(p.ok()) << p.error().message;
  for (int i = 0; i < 2; ++i) {
    const auto frame = (*p)->next();
    ASSERT_TRUE(frame.ok());
    EXPECT_EQ((*frame)->message, "");
    EXPECT_TRUE((*frame)->values.get("classes")) << (*frame)->values.text();
  }
  ASSERT_NE((*p)->comparison(), nullptr);
  EXPECT_EQ((*p)->comparison()->runs, 2);
  EXPECT_GT((*p)->comparison()->bytes, 0);
  EXPECT_EQ((*p)->comparison()->runs_different, 0);
}

TEST(ServeRecording, IsReplayedToTheSameBytes) {
  auto p = made("OpticalFlow");
  Recording recording(*p);
  for (int i = 0; i < 6; ++i) {
    if (i == 3) {
      const Event to = event_of(R"({"event": "mode", "algorithm": "EmbeddingSimilarity"})");
      ASSERT_TRUE(p->apply(to).ok());
      recording.add(to);
      const Event click = event_of(R"({"event": "click", "x": 3, "y": 4})");
      ASSERT_TRUE(p->apply(click).ok());
      recording.add(click);
    }
    recording.add(**p->next());
  }
  const auto again = replay(recording.json(), {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->frames, 6);
  EXPECT_FALSE(again->first_difference);
}

TEST(ServeRecording, ADifferenceHasItsFrame) {
  auto p = made("SpotTracker");
  Recording recording(*p);
  for (int i = 0; i < 4; ++i) recording.add(**p->next());
  Json changed = recording.json();
  Json digests = Json::array();
  for (size_t i = 0; i < 4; ++i) {
    digests.push(i == 2 ? Json("0") : changed.get("digests")->at(i));
  }
  changed.set("digests", digests);
  const auto again = replay(changed, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->first_difference, 2);
}

TEST(ServeRecording, LimitsHold) {
  auto p = made("SpotTracker");
  Recording recording(*p);
  for (int i = 0; i < 4; ++i) recording.add(**p->next());
  ReplayOptions o;
  o.most = 3;
  EXPECT_FALSE(replay(recording.json(), o).ok());
  o.most = 4;
  o.most_pixels = 96 * 64 * 4 - 1;
  EXPECT_FALSE(replay(recording.json(), o).ok());
  ++o.most_pixels;
  EXPECT_TRUE(replay(recording.json(), o).ok());
  EXPECT_FALSE(replay(Json::object(), {}).ok());
}

// The folder may have moved; recordings of strangers open none.
TEST(ServeRecording, FoldersAreReplayed) {
  TestFolder folder;
  for (const char* name : {"color.png", "grey.png"}) {
    std::filesystem::copy_file(case_file(name), folder / name);
  }
  PipelineOptions o = small_pictures();
  o.camera = folder.path().string();
  const auto p = Pipeline::create(o);
  ASSERT_TRUE(p.ok()) << p.error().message;
  Recording recording(**p);
  for (int i = 0; i < 5; ++i) recording.add(**(*p)->next());
  ReplayOptions r;
  EXPECT_FALSE(replay(recording.json(), r).ok());
  r.folders = true;
  const auto again = replay(recording.json(), r);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_FALSE(again->first_difference);
  TestFolder moved;
  for (const char* name : {"color.png", "grey.png"}) {
    std::filesystem::copy_file(case_file(name), moved / name);
  }
  r.camera = moved.path().string();
  EXPECT_FALSE(replay(recording.json(), r)->first_difference);
  std::filesystem::remove(moved / "color.png");
  std::filesystem::copy_file(case_file("grey.png"), moved / "color.png");
  EXPECT_EQ(replay(recording.json(), r)->first_difference, 0);
  r.camera = (moved / "nothing").string();
  EXPECT_FALSE(replay(recording.json(), r).ok());
}

TEST(ServeRecording, EventsOpenNoFolder) {
  auto p = made("SpotTracker");
  Recording recording(*p);
  recording.add(event_of(R"({"event": "camera", "source": "/etc"})"));
  recording.add(**p->next());
  ReplayOptions r;
  r.folders = true;
  const auto again = replay(recording.json(), r);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("/etc"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::serve
