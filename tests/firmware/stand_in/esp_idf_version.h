#pragma once
inline const char* esp_get_idf_version() { return "v5.4 stand-in"; }
