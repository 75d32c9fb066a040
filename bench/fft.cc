// Transforms per second on one thread: the networks on the twin, the double transform that they are
// compared with, and FFTW where it is installed (libfftw3-dev; GPL: this program is never
// installed).
//
//   bench_fft [--seconds X] [--json]
//
// All of them take turns; the best of each counts. What the twin costs: it computes every operator
// as the chip rounds it, and stores what it gives.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "exec/session.h"
#include "signals/fft/network.h"
#include "signals/measure/measure.h"

#if EDGETWIN_HAVE_FFTW
#include <fftw3.h>
#endif

namespace edgetwin::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Peer {
  std::string name;
  std::function<void()> run;  // one transform
  double best = 1e9;          // seconds of one
};

Peer network_peer(const signals::FftOptions& o, const std::string& numerics) {
  const auto model = signals::fft_network(o, signals::fft_reach(o));
  if (!model.ok()) std::exit(1);
  auto session =
      exec::Session::create(std::make_shared<const Graph>(model->main()), {.numerics = numerics});
  if (!session.ok()) std::exit(1);
  const auto shared = std::make_shared<exec::Session>(std::move(session).value());
  return {std::string(signals::name(o.form)) + " " + std::string(signals::name(o.number)) + " " +
              numerics,
          [shared] {
            if (!shared->run().ok()) std::exit(1);
          }};
}

#if EDGETWIN_HAVE_FFTW
Peer fftw_peer(int size) {
  auto* data = fftw_alloc_complex(static_cast<size_t>(size));
  std::memset(data, 0, sizeof(fftw_complex) * static_cast<size_t>(size));
  const fftw_plan plan = fftw_plan_dft_1d(size, data, data, FFTW_FORWARD, FFTW_MEASURE);
  return {"FFTW float64", [plan] { fftw_execute(plan); }};
}
#endif

void measure(Peer& peer, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    const auto start = Clock::now();
    peer.run();
    peer.best = std::min(peer.best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() < end);
}

std::vector<Peer> peers_of(int size) {
  using signals::FftForm;
  using signals::FftNumber;
  const auto options = [size](FftForm form, FftNumber number) {
    return signals::FftOptions{size, 1, form, signals::FftScaling::worst, number};
  };
  std::vector<Peer> peers = {
      network_peer(options(FftForm::butterfly, FftNumber::int8), "edgetpu"),
      network_peer(options(FftForm::butterfly, FftNumber::int8), "tflite"),
      network_peer(options(FftForm::butterfly, FftNumber::float32), "tflite"),
      network_peer(options(FftForm::matrix, FftNumber::int8), "edgetpu")};
  const auto samples = signals::test_noise(static_cast<size_t>(size), 1);
  peers.push_back({"plain C++ float64", [samples] {
                     if (signals::fast_dft(samples).empty()) std::exit(1);
                   }});
#if EDGETWIN_HAVE_FFTW
  peers.push_back(fftw_peer(size));
#endif
  return peers;
}

int main_of(double seconds, bool json) {
  if (json) std::printf("[\n");
  for (const int size : {256, 1024, 4096}) {
    auto peers = peers_of(size);
    for (int round = 0; round < 3; ++round) {
      for (Peer& peer : peers) measure(peer, seconds / 3.0);
    }
    for (const Peer& peer : peers) {
      const bool last = size == 4096 && &peer == &peers.back();
      if (json) {
        std::printf(" {\"size\": %d, \"name\": \"%s\", \"per_second\": %.1f}%s\n", size,
                    peer.name.c_str(), 1.0 / peer.best, last ? "" : ",");
      } else {
        std::printf("%5d  %-28s %12.1f transforms/s\n", size, peer.name.c_str(), 1.0 / peer.best);
      }
    }
  }
  if (json) std::printf("]\n");
  return 0;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) {
  double seconds = 0.6;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      json = true;
    } else if (word == "--seconds" && i + 1 < argc && std::atof(argv[i + 1]) > 0.0) {
      seconds = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: bench_fft [--seconds X] [--json]\n");
      return 2;
    }
  }
  return edgetwin::bench::main_of(seconds, json);
}
