#include "camera/camera.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "camera/recorder.h"
#include "camera/synthetic.h"
#include "camera/v4l2.h"
#include "image/image.h"
#include "image/jpeg.h"
#include "test_folder.h"

namespace edgetwin::camera {
namespace {

namespace fs = std::filesystem;

Tensor coloured(int height, int width, uint8_t r, uint8_t g, uint8_t b) {
  Tensor t = *Tensor::zeros(DType::uint8, {height, width, 3});
  for (size_t i = 0; i < t.data.size(); ++i) {
    t.data[i] = static_cast<std::byte>(i % 3 == 0 ? r : i % 3 == 1 ? g : b);
  }
  return t;
}

TEST(SyntheticCamera, EveryPatternIsTheSameInEveryRun) {
  for (const PatternInfo& p : patterns()) {
    auto a = SyntheticCamera::create(p.name, {320, 240, 30});
    auto b = SyntheticCamera::create(p.name, {320, 240, 30});
    ASSERT_TRUE(a.ok() && b.ok()) << p.name;
    const Tensor first = **(*a)->read();
    EXPECT_EQ(to_string(first.shape), "240x320x3");
    EXPECT_EQ(first.data, (**(*b)->read()).data);
    const Tensor second = **(*a)->read();
    EXPECT_EQ(second.data, (**(*b)->read()).data);
    EXPECT_EQ(second.data == first.data, p.pattern == Pattern::checkerboard) << p.name;
  }
}

TEST(SyntheticCamera, DotStartsBelowTheCentre) {
  auto c = SyntheticCamera::create("wandering_dot", {320, 240, 30});
  const Tensor p = **(*c)->read();
  size_t best = 0;
  for (size_t i = 1; i < p.data.size(); i += 3) {
    if (p.data[i] > p.data[best == 0 ? 1 : best]) best = i;
  }
  const auto at = static_cast<int>(best / 3);
  EXPECT_NEAR(at % 320, 160, 25);
  EXPECT_NEAR(at / 320, 180, 25);
}

TEST(SyntheticCamera, PanningMovesToTheRight) {
  auto c = SyntheticCamera::create("panning", {320, 240, 30});
  const Tensor a = **(*c)->read(), b = **(*c)->read();
  // 20 pixels in a thirtieth of a second; row 60 has no bar.
  for (int x = 0; x < 300; ++x) {
    ASSERT_EQ(a.data[static_cast<size_t>((60 * 320 + x) * 3)],
              b.data[static_cast<size_t>((60 * 320 + x + 20) * 3)]);
  }
}

TEST(Camera, WrongSources) {
  EXPECT_EQ(open_camera("synthetic:snow", {}).error().code, ErrorCode::usage);
  EXPECT_EQ(open_camera("synthetic:noise", {0, 10, 30}).error().code, ErrorCode::camera_device);
  const auto none = open_camera("/nowhere/video", {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::camera_device);
  EXPECT_FALSE(none.error().hint.empty());
}

TEST(FolderCamera, PicturesInOrder) {
  const TestFolder folder;
  EXPECT_EQ(open_camera((folder / "").string(), {}).error().code, ErrorCode::camera_device);
  ASSERT_TRUE(
      write_file(folder / "b.png", *encode_png(coloured(2, 3, 9, 8, 7)), Overwrite::no).ok());
  Tensor grey = *Tensor::zeros(DType::uint8, {4, 4, 1});
  grey.data[0] = std::byte{50};
  ASSERT_TRUE(write_file(folder / "a.PNG", *encode_png(grey), Overwrite::no).ok());
  ASSERT_TRUE(write_file(folder / "notes.txt", std::string_view("x"), Overwrite::no).ok());
  auto c = open_camera((folder / "").string(), {});
  ASSERT_TRUE(c.ok());
  const auto first = (*c)->read();
  ASSERT_TRUE(first.ok() && *first);
  EXPECT_EQ(to_string((*first)->shape), "4x4x3");
  EXPECT_EQ((*first)->data[2], std::byte{50});
  EXPECT_EQ((**(*c)->read()).data[1], std::byte{8});
  EXPECT_FALSE(*(*c)->read());
}

TEST(Recorder, FolderOrStream) {
  const TestFolder folder;
  for (const char* name : {"frames", "film.mjpeg"}) {
    auto r = Recorder::create(folder / name, Overwrite::no);
    ASSERT_TRUE(r.ok());
    ASSERT_TRUE(r->add(coloured(16, 16, 200, 30, 30)).ok());
    ASSERT_TRUE(r->add(coloured(16, 16, 30, 200, 30)).ok());
    EXPECT_FALSE(fs::exists(folder / name));  // not before the end
    ASSERT_TRUE(r->finish().ok());
    EXPECT_EQ(r->count(), 2);
    EXPECT_EQ(Recorder::create(folder / name, Overwrite::no).error().code,
              ErrorCode::output_exists);
  }
  EXPECT_TRUE(fs::exists(folder / "frames/frame_00001.png"));
  const Bytes film = *read_file(folder / "film.mjpeg");
  const Tensor first = *decode_jpeg(film, "film");
  EXPECT_NEAR(static_cast<int>(first.data[0]), 200, 6);
  int starts = 0;
  for (size_t i = 0; i + 2 < film.size(); ++i) {
    starts += film[i] == std::byte{0xff} && film[i + 1] == std::byte{0xd8} &&
              film[i + 2] == std::byte{0xff};
  }
  EXPECT_EQ(starts, 2);
}

// A camera that plays what it is given, and checks how it is driven.
class Recorded final : public DeviceCalls {
 public:
  std::vector<Bytes> frames;
  uint32_t format = V4L2_PIX_FMT_YUYV, capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  uint32_t width = 4, height = 2;
  int open_errno = 0;
  bool silent = false;
  unsigned long fails = 0;  // NOLINT: a request, as ioctl has it
  int mapped = 0, opened = 0, queued = 0;
  bool streaming = false;

  int open(const std::string&) override {
    if (open_errno != 0) return errno = open_errno, -1;
    return ++opened, 7;
  }
  void close(int) override { --opened; }
  void* map(int, size_t, int64_t offset) override {
    ++mapped;
    return memory_[static_cast<size_t>(offset)].data();
  }
  void unmap(void*, size_t) override { --mapped; }
  int wait(int, int) override { return silent ? 0 : 1; }
  int ioctl(int, unsigned long request, void* argument) override {  // NOLINT
    if (request == fails) return errno = EIO, -1;
    switch (request) {
      case VIDIOC_QUERYCAP:
        static_cast<v4l2_capability*>(argument)->capabilities = capabilities;
        return 0;
      case VIDIOC_S_FMT:
        return set_format(*static_cast<v4l2_format*>(argument));
      case VIDIOC_REQBUFS:
        return 0;
      case VIDIOC_QUERYBUF: {
        auto& b = *static_cast<v4l2_buffer*>(argument);
        b.length = 4096;
        b.m.offset = b.index;
        return 0;
      }
      case VIDIOC_QBUF:
        return ++queued, 0;
      case VIDIOC_DQBUF:
        return next(*static_cast<v4l2_buffer*>(argument));
      case VIDIOC_STREAMON:
        return streaming = true, 0;
      case VIDIOC_STREAMOFF:
        return streaming = false, 0;
      default:
        return errno = EINVAL, -1;
    }
  }

 private:
  int set_format(v4l2_format& f) const {
    if (f.fmt.pix.pixelformat != format) return errno = EINVAL, -1;
    f.fmt.pix.width = width;
    f.fmt.pix.height = height;
    f.fmt.pix.bytesperline = 0;
    return 0;
  }
  int next(v4l2_buffer& b) {
    if (shown_ == frames.size()) return errno = ENODEV, -1;
    const Bytes& frame = frames[shown_];
    b.index = static_cast<uint32_t>(shown_++ % 4);
    b.bytesused = static_cast<uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), memory_[b.index].begin());
    return --queued, 0;
  }
  std::array<Bytes, 4> memory_{Bytes(4096), Bytes(4096), Bytes(4096), Bytes(4096)};
  size_t shown_ = 0;
};

Bytes yuyv(uint8_t y, uint8_t u, uint8_t v) {
  Bytes b;
  for (int i = 0; i < 4; ++i) {
    for (const uint8_t e : {y, u, y, v}) b.push_back(static_cast<std::byte>(e));
  }
  return b;
}

TEST(V4l2Camera, PlaysARecordedStream) {
  auto calls = std::make_shared<Recorded>();
  // White, black, and a red, in the range of television.
  calls->frames = {yuyv(235, 128, 128), yuyv(16, 128, 128), yuyv(81, 90, 240)};
  {
    auto c = V4l2Camera::create("/dev/video9", {640, 480, 30}, calls);
    ASSERT_TRUE(c.ok()) << to_text(c.error());
    EXPECT_EQ((*c)->width(), 4);  // what the driver makes of the wish
    EXPECT_EQ((*c)->height(), 2);
    EXPECT_TRUE(calls->streaming);
    EXPECT_EQ(calls->queued, 4);
    const Tensor white = **(*c)->read();
    EXPECT_EQ(to_string(white.shape), "2x4x3");
    for (const std::byte b : white.data) EXPECT_EQ(b, std::byte{255});
    const Tensor black = **(*c)->read();
    for (const std::byte b : black.data) EXPECT_EQ(b, std::byte{0});
    const Tensor red = **(*c)->read();
    EXPECT_GT(static_cast<int>(red.data[21]), 250);
    EXPECT_LT(static_cast<int>(red.data[22]), 5);
    EXPECT_LT(static_cast<int>(red.data[23]), 5);
    EXPECT_EQ(calls->queued, 4);  // every buffer went back
    const auto gone = (*c)->read();
    ASSERT_FALSE(gone.ok());
    EXPECT_EQ(gone.error().code, ErrorCode::camera_device);
    EXPECT_EQ(gone.error().place.file, "/dev/video9");
  }
  EXPECT_FALSE(calls->streaming);
  EXPECT_EQ(calls->mapped, 0);
  EXPECT_EQ(calls->opened, 0);
}

TEST(V4l2Camera, JpegWhereThereIsNoYuyv) {
  auto calls = std::make_shared<Recorded>();
  calls->format = V4L2_PIX_FMT_MJPEG;
  calls->width = calls->height = 16;
  calls->frames = {*encode_jpeg(coloured(16, 16, 10, 20, 200), 90), Bytes(), Bytes(30)};
  auto c = V4l2Camera::create("cam", {}, calls);
  ASSERT_TRUE(c.ok()) << to_text(c.error());
  EXPECT_NEAR(static_cast<int>((**(*c)->read()).data[2]), 200, 6);
  EXPECT_EQ((*c)->read().error().code, ErrorCode::camera_device);  // empty
  EXPECT_EQ((*c)->read().error().code, ErrorCode::image_decode);   // damaged
  EXPECT_EQ(calls->queued, 4);                                     // and yet every buffer went back
}

TEST(V4l2Camera, ShortAndSilent) {
  auto calls = std::make_shared<Recorded>();
  calls->frames = {Bytes(15)};
  auto c = V4l2Camera::create("cam", {}, calls);
  ASSERT_TRUE(c.ok());
  const auto brief = (*c)->read();
  ASSERT_FALSE(brief.ok());
  EXPECT_NE(brief.error().message.find("16"), std::string::npos);
  calls->silent = true;
  EXPECT_EQ((*c)->read().error().code, ErrorCode::camera_device);
}

TEST(V4l2Camera, WhatDoesNotStart) {
  const auto message = [](const std::shared_ptr<Recorded>& calls) {
    const auto c = V4l2Camera::create("cam", {}, calls);
    EXPECT_FALSE(c.ok());
    EXPECT_EQ(calls->mapped, 0);
    EXPECT_EQ(calls->opened, 0);
    return c.ok() ? std::string() : c.error().message + " " + c.error().hint;
  };
  auto denied = std::make_shared<Recorded>();
  denied->open_errno = EACCES;
  EXPECT_NE(message(denied).find("group 'video'"), std::string::npos);
  auto output_only = std::make_shared<Recorded>();
  output_only->capabilities = V4L2_CAP_VIDEO_OUTPUT;
  EXPECT_NE(message(output_only).find("does not stream"), std::string::npos);
  auto strange = std::make_shared<Recorded>();
  strange->format = V4L2_PIX_FMT_NV12;
  EXPECT_NE(message(strange).find("neither"), std::string::npos);
  for (const unsigned long request :  // NOLINT: its own type
       {VIDIOC_QUERYCAP, VIDIOC_REQBUFS, VIDIOC_QUERYBUF, VIDIOC_QBUF, VIDIOC_STREAMON}) {
    auto broken = std::make_shared<Recorded>();
    broken->fails = request;
    EXPECT_NE(message(broken).find(std::strerror(EIO)), std::string::npos);
  }
}

}  // namespace
}  // namespace edgetwin::camera
