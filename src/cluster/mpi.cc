// MPI: numbers from a counter that rank 0 holds in a window, texts gathered in pieces.
// Of the headers only the C interface is used.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <string>

#include "cluster/mpi.h"

namespace edgetwin::cluster {
namespace {

constexpr size_t kPiece = size_t{1} << 30;  // MPI counts in int

Status checked(int code, const char* what) {
  if (code == MPI_SUCCESS) return Ok{};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Error(ErrorCode::device, std::string(what) + ": " + text);
}

class Mpi : public Cluster {
 public:
  Mpi() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  // All come here; where a process has failed, the others are ended rather than left waiting.
  ~Mpi() override {
    if (!whole_) MPI_Abort(MPI_COMM_WORLD, 1);
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    MPI_Finalize();
  }

  Status open() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const MPI_Aint bytes = rank_ == 0 ? sizeof(uint64_t) : 0;
    EDGETWIN_TRY(checked(MPI_Win_allocate(bytes, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                                          &counter_, &window_),
                         "the counter of blocks"));
    if (rank_ == 0) *counter_ = 0;
    return barrier();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Status barrier() override { return checked(MPI_Barrier(MPI_COMM_WORLD), "waiting for all"); }

  Result<uint64_t> next() override {
    const uint64_t one = 1;
    uint64_t number = 0;
    EDGETWIN_TRY(checked(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window_), "the counter of blocks"));
    const int code = MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, 0, MPI_SUM, window_);
    EDGETWIN_TRY(checked(MPI_Win_unlock(0, window_), "the counter of blocks"));
    EDGETWIN_TRY(checked(code, "the counter of blocks"));
    return number;
  }

  Result<std::vector<std::string>> gather(const std::string& text) override {
    if (rank_ != 0) {
      EDGETWIN_TRY(send(text));
      whole_ = true;
      return std::vector<std::string>{};
    }
    std::vector<std::string> all = {text};
    for (int from = 1; from < size_; ++from) {
      EDGETWIN_TRY_ASSIGN(std::string part, receive(from));
      all.push_back(std::move(part));
    }
    whole_ = true;
    return all;
  }

 private:
  static Status send(const std::string& text) {
    const uint64_t size = text.size();
    EDGETWIN_TRY(checked(MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD), "sending"));
    for (size_t at = 0; at < text.size(); at += kPiece) {
      const auto count = static_cast<int>(std::min(kPiece, text.size() - at));
      EDGETWIN_TRY(
          checked(MPI_Send(text.data() + at, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD), "sending"));
    }
    return Ok{};
  }

  static Result<std::string> receive(int from) {
    uint64_t size = 0;
    EDGETWIN_TRY(checked(
        MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "receiving"));
    std::string text(size, '\0');
    for (size_t at = 0; at < text.size(); at += kPiece) {
      const auto count = static_cast<int>(std::min(kPiece, text.size() - at));
      EDGETWIN_TRY(checked(
          MPI_Recv(text.data() + at, count, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "receiving"));
    }
    return text;
  }

  int rank_ = 0, size_ = 1;
  uint64_t* counter_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  bool whole_ = false;  // every process has given its records
};

Result<std::unique_ptr<Cluster>> started() {
  EDGETWIN_TRY(checked(MPI_Init(nullptr, nullptr), "starting MPI"));
  auto mpi = std::make_unique<Mpi>();
  EDGETWIN_TRY(mpi->open());
  return std::unique_ptr<Cluster>(std::move(mpi));
}

}  // namespace
}  // namespace edgetwin::cluster

edgetwin::cluster::StartMpi* const edgetwin_start_mpi = edgetwin::cluster::started;
