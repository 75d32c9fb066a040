#include "compare/peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "formats/onnx/write/write.h"

namespace edgetwin::bench {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& what) { return Error(ErrorCode::usage, what); }

std::string job_text(const exec::Session& session, const std::string& installed, int threads) {
  std::string text = "{\"installed\": \"" + fs::absolute(installed).string() +
                     "\", \"threads\": " + std::to_string(threads) + ", \"inputs\": [";
  const Graph& graph = session.graph();
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& v = graph.value(graph.inputs[i]);
    text += std::string(i == 0 ? "" : ", ") + "{\"name\": \"" + v.name + "\", \"type\": \"" +
            std::string(name(v.dtype)) + "\", \"file\": \"input" + std::to_string(i) +
            "\", \"dims\": [";
    for (int d = 0; d < v.shape.rank(); ++d) {
      text += (d == 0 ? "" : ", ") + std::to_string(v.shape[d]);
    }
    text += "]}";
  }
  return text + "]}\n";
}

Status write_job(const fs::path& folder, const onnx::Document& document,
                 const exec::Session& session, const std::string& installed, int threads) {
  EDGETWIN_TRY_ASSIGN(const Bytes model, onnx::write_document(document));
  EDGETWIN_TRY(write_file(folder / "model.onnx", model, Overwrite::yes));
  EDGETWIN_TRY(
      write_file(folder / "job.json", job_text(session, installed, threads), Overwrite::yes));
  for (size_t i = 0; i < session.graph().inputs.size(); ++i) {
    EDGETWIN_TRY(write_file(folder / ("input" + std::to_string(i)),
                            session.bytes(session.graph().inputs[i]), Overwrite::yes));
  }
  return Ok{};
}

double field(const std::string& line, const std::string& name) {
  const size_t at = line.find("\"" + name + "\":");
  return at == std::string::npos ? 0 : std::atof(line.c_str() + at + name.size() + 3);
}

}  // namespace

Result<std::unique_ptr<Peer>> Peer::start(const onnx::Document& document,
                                          const exec::Session& session,
                                          const std::string& installed, int threads) {
  auto peer = std::make_unique<Peer>();
  std::string made = (fs::temp_directory_path() / "edgetwin-compare-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) return failed("no folder for the peer");
  peer->folder_ = made;
  EDGETWIN_TRY(write_job(peer->folder_, document, session, installed, threads));
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return failed("no pipe");
  peer->process_ = ::fork();
  if (peer->process_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    const std::string script = EDGETWIN_COMPARE_PEER;
    ::execlp("node", "node", script.c_str(), made.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  peer->to_ = ::fdopen(in[1], "w");
  peer->from_ = ::fdopen(out[0], "r");
  char line[256];
  if (std::fgets(line, sizeof line, peer->from_) == nullptr) {
    return failed("onnxruntime-node did not take the network (above), or is not there");
  }
  return peer;
}

Peer::~Peer() {
  if (to_ != nullptr) std::fclose(to_);
  if (from_ != nullptr) std::fclose(from_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<Times> Peer::run(int count) {
  std::fprintf(to_, "%d\n", count);
  std::fflush(to_);
  char line[256];
  if (std::fgets(line, sizeof line, from_) == nullptr) return failed("the peer ended");
  return Times{field(line, "processor"), field(line, "wall")};
}

Result<Bytes> Peer::output(size_t index) const {
  return read_file(folder_ / ("output" + std::to_string(index)));
}

}  // namespace edgetwin::bench
