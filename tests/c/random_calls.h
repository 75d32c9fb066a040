// Sequences of calls of the C interface over two small networks, chosen by bytes: whatever the
// order, each call gives a result or an error object.
#pragma once

#include <edgetwin/edgetwin.c.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace edgetwin::test {

class RandomCalls {
 public:
  RandomCalls(std::span<const uint8_t> choices, std::array<std::string, 2> files)
      : choices_(choices), files_(std::move(files)) {}
  ~RandomCalls() {
    for (edgetwin_runner* r : runners_) edgetwin_runner_free(r);
    for (edgetwin_network* n : networks_) edgetwin_network_free(n);
  }
  RandomCalls(const RandomCalls&) = delete;
  RandomCalls& operator=(const RandomCalls&) = delete;

  void run() {
    while (!choices_.empty()) step();
  }

 private:
  uint8_t next() {
    if (choices_.empty()) return 0;
    const uint8_t c = choices_.front();
    choices_ = choices_.subspan(1);
    return c;
  }

  // An error object exactly where the code says so. By reference: it is set while the code is made.
  void settle(int32_t code, edgetwin_error*& error) {
    if ((code != 0) != (error != nullptr)) std::abort();
    if (error == nullptr) return;
    if (code == 70 || edgetwin_error_exit_code(error) != code) std::abort();
    if (edgetwin_error_text(error) == nullptr || *edgetwin_error_id(error) == '\0') std::abort();
    edgetwin_error_free(error);
  }

  // A handle that may be NULL, alive or freed.
  edgetwin_runner* runner() { return pick(runners_); }
  edgetwin_network* network() { return pick(networks_); }
  template <class Handle>
  Handle* pick(const std::vector<Handle*>& all) {
    const uint8_t c = next();
    return all.empty() || c == 255 ? nullptr : all[c % all.size()];
  }
  int32_t tensor() {
    const auto c = static_cast<int8_t>(next());
    return c == 127 ? 1 << 30 : c;
  }

  void step() {
    switch (next() % 14) {
      case 0:
        return open();
      case 1:
        return create();
      case 2:
        return resize();
      case 3:
        return one_runner(edgetwin_runner_allocate);
      case 4:
        return one_runner(edgetwin_runner_invoke);
      case 5:
        return one_runner(edgetwin_runner_reset_variables);
      case 6:
        return set();
      case 7:
        return get();
      case 8:
        return data();
      case 9:
        return describe();
      case 10:
        return cancel();
      case 11:
        return edgetwin_runner_free(runner());
      case 12:
        return edgetwin_network_free(network());
      default:
        return statistics();
    }
  }

  void open() {
    if (networks_.size() > 4) return;
    edgetwin_network* made = nullptr;
    edgetwin_error* error = nullptr;
    const edgetwin_option option = {next() % 8 == 0 ? "nonsense" : "numerics", "tflite"};
    const size_t n = next() % 4 == 0 ? 1 : 0;
    settle(edgetwin_network_open_file(files_[next() % 2].c_str(), &option, n, &made, &error),
           error);
    if (made != nullptr) networks_.push_back(made);
  }

  void create() {
    if (runners_.size() > 4) return;
    edgetwin_runner* made = nullptr;
    edgetwin_error* error = nullptr;
    static constexpr edgetwin_option kOptions[] = {
        {"keep", "all"}, {"on", "plain"}, {"threads", "2"}, {"graph", "7"}, {"on", "machine"}};
    const edgetwin_option option = kOptions[next() % std::size(kOptions)];
    const size_t n = next() % 2;
    settle(edgetwin_runner_create(network(), &option, n, nullptr, &made, &error), error);
    if (made != nullptr) runners_.push_back(made);
  }

  void resize() {
    edgetwin_error* error = nullptr;
    const int32_t shape[] = {next() % 4, next() % 40, next() % 40, static_cast<int8_t>(next())};
    edgetwin_runner* r = runner();
    const int32_t t = tensor();
    const int32_t rank = next() % 6;
    settle(edgetwin_runner_resize(r, t, rank > 4 ? nullptr : shape, rank, next() % 2, &error),
           error);
  }

  void one_runner(int32_t (*call)(edgetwin_runner*, edgetwin_error**)) {
    edgetwin_error* error = nullptr;
    settle(call(runner(), &error), error);
  }

  void set() {
    edgetwin_error* error = nullptr;
    edgetwin_runner* r = runner();
    const int32_t t = tensor();
    std::vector<uint8_t> bytes(size_of(r, t) + (next() % 8 == 0 ? 1 : 0), next());
    settle(edgetwin_runner_set(r, t, bytes.data(), bytes.size(), &error), error);
  }

  void get() {
    edgetwin_error* error = nullptr;
    edgetwin_runner* r = runner();
    const int32_t t = tensor();
    std::vector<uint8_t> bytes(size_of(r, t));
    settle(edgetwin_runner_get(r, t, bytes.data(), bytes.size(), &error), error);
  }

  void data() {
    edgetwin_error* error = nullptr;
    void* memory = nullptr;
    size_t size = 0;
    int32_t writable = 0;
    const int32_t code =
        edgetwin_runner_data(runner(), tensor(), &memory, &size, &writable, &error);
    settle(code, error);
    if (code == 0 && reinterpret_cast<uintptr_t>(memory) % 64 != 0) std::abort();
    if (code == 0 && writable != 0 && size > 0) static_cast<uint8_t*>(memory)[size - 1] = 1;
  }

  void describe() {
    edgetwin_error* error = nullptr;
    edgetwin_tensor_info info = {};
    info.size = next() % 4 == 0 ? 12 : sizeof(info);
    settle(edgetwin_runner_tensor_info(runner(), tensor(), &info, &error), error);
  }

  void cancel() { edgetwin_runner_cancel(runner()); }

  void statistics() {
    edgetwin_error* error = nullptr;
    edgetwin_document* document = nullptr;
    settle(edgetwin_runner_statistics(runner(), &document, &error), error);
    edgetwin_document_free(document);
  }

  static size_t size_of(const edgetwin_runner* r, int32_t t) {
    edgetwin_tensor_info info = {};
    info.size = sizeof(info);
    if (edgetwin_runner_tensor_info(r, t, &info, nullptr) != 0) return 4;
    return info.bytes < (1U << 20) ? static_cast<size_t>(info.bytes) : 4;
  }

  std::span<const uint8_t> choices_;
  std::array<std::string, 2> files_;
  std::vector<edgetwin_network*> networks_;
  std::vector<edgetwin_runner*> runners_;
};

}  // namespace edgetwin::test
