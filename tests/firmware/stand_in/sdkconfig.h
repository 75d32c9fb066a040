#pragma once
#ifndef CONFIG_IDF_TARGET
#define CONFIG_IDF_TARGET "esp32s3"
#endif
