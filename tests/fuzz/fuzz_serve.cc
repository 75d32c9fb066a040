// Requests to the live page, as a hostile client writes them. An input is requests with a byte 0x1e
// between them: a line "GET /api/info?id=1", after it the body. Every answer is a status and, of
// errors, a document with a message; nothing that was opened stays from one input to the next.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "serve/app/app.h"
#include "source_dir.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::serve;

constexpr char kBetween = 0x1e;
constexpr size_t kMostRequests = 8;

constexpr const char* kFiles[] = {"add.tflite",  "net.onnx",        "five.npy",
                                  "lane.espdl",  "small_test.yaml", "dense_edgetpu.tflite",
                                  "table.espdl", "small.pth.tar"};

std::unique_ptr<App> new_app() {
  AppOptions o;
  o.port = 0;
  o.pipeline.settings = {64, 64, 10};
  for (const char* name : kFiles) o.open.push_back(case_file(name));
  auto made = App::create(o);
  if (!made.ok()) std::abort();
  return std::move(*made);
}

HttpRequest request_in(std::string_view text) {
  const size_t line_end = text.find('\n');
  std::string_view line = text.substr(0, line_end);
  HttpRequest r;
  if (line_end != std::string_view::npos) r.body = text.substr(line_end + 1);
  const size_t blank = line.find(' ');
  r.method = line.substr(0, blank);
  line = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  const size_t question = line.find('?');
  r.path = line.substr(0, question);
  std::string_view query =
      question == std::string_view::npos ? std::string_view() : line.substr(question + 1);
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const size_t equal = one.find('=');
    r.query[std::string(one.substr(0, equal))] =
        equal == std::string_view::npos ? "" : std::string(one.substr(equal + 1));
  }
  return r;
}

void expect_good(const HttpResponse& r) {
  if (r.status == 200) return;
  const auto document = Json::parse(r.body, "answer");
  if (!document.ok() || document->get_string("error").value_or("").empty()) std::abort();
  if (r.status != 400 && r.status != 404 && r.status != 500 && r.status != 503) std::abort();
}

// Closes what the input opened. False: it closed one of the first ones.
bool as_before(App& app) {
  const auto list = Json::parse(app.answer({"GET", "/api/files", {}, ""}).body, "files");
  if (!list.ok()) std::abort();
  const Json files = list->get("files").value_or(Json::array());
  size_t first_ones = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string id = files.at(i).get_string("id").value_or("");
    if (std::stoul(id) <= std::size(kFiles)) {
      ++first_ones;
      continue;
    }
    app.answer({"POST", "/api/close", {}, R"({"id": ")" + id + "\"}"});
  }
  return first_ones == std::size(kFiles);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<App> app = new_app();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (size_t i = 0; i < kMostRequests && !text.empty(); ++i) {
    const std::string_view one = text.substr(0, text.find(kBetween));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    expect_good(app->answer(request_in(one)));
  }
  if (!as_before(*app)) app = new_app();
  return 0;
}
