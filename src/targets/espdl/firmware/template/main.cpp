#include "esp_chip_info.h"
#include "esp_idf_version.h"
#include "report.hpp"
#include "runner.hpp"
#include "sdkconfig.h"
#include "stages.hpp"

namespace {

void introduce(check::Report& report) {
  esp_chip_info_t chip = {};
  esp_chip_info(&chip);
  const std::string revision =
      std::to_string(chip.revision / 100) + "." + std::to_string(chip.revision % 100);
  report.info({{"begin", "1"},
               {"esp_dl", check::kEspDl},
               {"esp_idf", esp_get_idf_version()},
               {"target", CONFIG_IDF_TARGET},
               {"chip_revision", revision},
               {"cores", std::to_string(chip.cores)},
               {"cases", std::to_string(check::kCaseCount)}});
  check::say(std::string("edgetwin: integers of the chip against expected ones, ") +
             CONFIG_IDF_TARGET + " revision " + revision + ", esp-dl " + check::kEspDl);
}

}  // namespace

extern "C" void app_main(void) {
  check::Report report;
  introduce(report);
  if (std::string(CONFIG_IDF_TARGET) != check::kTarget) {
    report.fail("load", "target", check::wrong("other-target", 0, 1));
  } else {
    check::open_picture(report);
    for (size_t i = 0; i < check::kCaseCount; ++i) check::run_case(check::kCases[i], report);
  }
  report.summary();
}
