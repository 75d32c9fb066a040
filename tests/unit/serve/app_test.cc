#include "serve/app/app.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "serve/page/assets.h"
#include "source_dir.h"

namespace edgetwin::serve {
namespace {

class ServeApp : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    AppOptions o;
    o.port = 0;
    o.pipeline.settings = {96, 64, 30};
    auto made = App::create(o);
    ASSERT_TRUE(made.ok()) << made.error().message;
    app_ = made->release();
  }
  static void TearDownTestSuite() {
    delete app_;
    app_ = nullptr;
  }
  static HttpResponse get(const std::string& path,
                          const std::map<std::string, std::string>& query = {}) {
    return app_->answer({"GET", path, query, ""});
  }
  static HttpResponse post(const std::string& path, std::string_view body,
                           const std::map<std::string, std::string>& query = {}) {
    return app_->answer({"POST", path, query, std::string(body)});
  }
  static Json json_in(const HttpResponse& r) {
    auto parsed = Json::parse(r.body, "answer");
    EXPECT_TRUE(parsed.ok()) << r.body.substr(0, 200);
    return parsed.ok() ? *parsed : Json::object();
  }
  static std::string open_file(const std::string& name) {
    const auto data = read_file(case_file(name));
    EXPECT_TRUE(data.ok());
    const HttpResponse r = post("/api/open", as_text(*data), {{"name", name}});
    EXPECT_EQ(r.status, 200) << r.body;
    return json_in(r).get_string("id").value_or("");
  }
  static void close_file(const std::string& id) {
    EXPECT_EQ(post("/api/close", R"({"id": ")" + id + "\"}").status, 200);
  }

  static App* app_;
};
App* ServeApp::app_ = nullptr;

TEST_F(ServeApp, TheDocumentHasEveryRouteAndNoOther) {
  const Json document = *Json::parse(get("/openapi.json").body, "openapi.json");
  std::set<std::string> written, served;
  const Json paths = *document.get("paths");
  for (const std::string& path : paths.keys()) {
    for (const std::string& method : paths.get(path)->keys()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      written.insert(upper + " " + path);
      const Json operation = *paths.get(path)->get(method);
      EXPECT_TRUE(operation.get_string("summary")) << path;
      EXPECT_TRUE(operation.get("responses")->get("200")) << path;
    }
  }
  for (const std::string& route : app_->routes()) served.insert(route);
  EXPECT_EQ(written, served);
}

// Required members of the document are those that the server asks for.
TEST_F(ServeApp, WhatTheDocumentRequiresIsRequired) {
  const Json paths = *Json::parse(get("/openapi.json").body, "openapi.json")->get("paths");
  size_t tried = 0;
  for (const std::string& path : paths.keys()) {
    if (const auto operation = paths.get(path)->get("get")) {
      const Json parameters = operation->get("parameters").value_or(Json::array());
      for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters.at(i).get("required").value_or(Json(false)).as_bool() != true) continue;
        EXPECT_EQ(get(path).status, 400) << path;
        ++tried;
      }
    }
    const auto operation = paths.get(path)->get("post");
    if (!operation || !operation->get("requestBody")) continue;
    const auto content = operation->get("requestBody")->get("content")->get("application/json");
    if (!content || !content->get("schema")->get("required")) continue;
    EXPECT_EQ(post(path, "{}").status, 400) << path;
    ++tried;
  }
  EXPECT_GT(tried, 10U);
}

TEST_F(ServeApp, ThePageNeedsNothingFromElsewhere) {
  for (const Asset& asset : assets()) {
    if (asset.path == "/openapi.json") continue;
    for (const char* word : {"https://", "//cdn", "@import"}) {
      EXPECT_EQ(asset.text.find(word), std::string_view::npos) << asset.path << " " << word;
    }
  }
}

TEST_F(ServeApp, WrongBodiesAreSaid) {
  for (const char* path : {"/switch_algorithm", "/apply_params", "/click", "/api/camera",
                           "/api/record", "/api/replay", "/api/run", "/api/close", "/api/chips"}) {
    for (const char* body : {"", "{", "[]", "7", "\xff\xfe"}) {
      const HttpResponse r = post(path, body);
      EXPECT_EQ(r.status, 400) << path << " " << body;
      EXPECT_EQ(json_in(r).get("success")->as_bool(), false) << path;
      EXPECT_FALSE(json_in(r).get_string("error").value_or("").empty()) << path;
    }
  }
}

TEST_F(ServeApp, UnknownRoutes) {
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(post("/metrics", "").status, 404);
}

TEST_F(ServeApp, ANetworkIsOpenedRunAndLookedInto) {
  const std::string id = open_file("add.tflite");
  const Json network = *json_in(get("/api/info", {{"id", id}})).get("network");
  EXPECT_EQ(network.get("operators")->at(0).get_string("type"), "ADD");
  const int64_t value = *network.get("operators")->at(0).get("outputs")->at(0).as_integer();
  const std::map<std::string, std::string> at = {{"id", id}, {"value", std::to_string(value)}};
  EXPECT_EQ(get("/api/tensor", at).status, 400);  // not computed yet
  const HttpResponse run = post("/api/run", R"({"id": ")" + id + R"(", "input": "xs32:1"})");
  EXPECT_EQ(run.status, 200) << run.body;
  const Json tensor = json_in(get("/api/tensor", at));
  const Json stats = *tensor.get("stats");
  int64_t sum = 0;
  for (size_t i = 0; i < stats.get("histogram")->size(); ++i) {
    sum += *stats.get("histogram")->at(i).as_integer();
  }
  EXPECT_EQ(sum, stats.get_integer("elements"));
  close_file(id);
  EXPECT_EQ(get("/api/info", {{"id", id}}).status, 400);
}

TEST_F(ServeApp, SixteenFilesAndNoMore) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < kMostFiles; ++i) ids.push_back(open_file("five.npy"));
  const auto data = read_file(case_file("five.npy"));
  EXPECT_EQ(post("/api/open", as_text(*data), {{"name", "one_more.npy"}}).status, 400);
  for (const std::string& id : ids) close_file(id);
}

TEST_F(ServeApp, ScreenshotIsAPicture) {
  const HttpResponse r = get("/screenshot");
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.type, "image/jpeg");
  EXPECT_EQ(r.body.substr(0, 2), "\xff\xd8");
}

TEST(ServeStore, NamesLoseWhatFilesCannotHave) {
  EXPECT_EQ(safe_name("../../a b.tflite"), "a_b.tflite");
  EXPECT_EQ(safe_name("c:\\x\\net.onnx"), "net.onnx");
  EXPECT_EQ(safe_name(""), "file");
  EXPECT_EQ(safe_name(".hidden"), "file.hidden");
  EXPECT_EQ(safe_name(std::string(200, 'x')).size(), 80U);
}

}  // namespace
}  // namespace edgetwin::serve
