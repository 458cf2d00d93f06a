#include "ort_api.h"

namespace triton_ts {
namespace {

// The places rise, so that none is listed twice or out of order, and all are within the table.
constexpr size_t kPlaces[] = {
#define TRITON_TS_PLACE(place, result, name, parameters) place,
    TRITON_TS_ORT_FUNCTIONS(TRITON_TS_PLACE)
#undef TRITON_TS_PLACE
};

constexpr bool PlacesRise() {
  for (size_t i = 1; i < sizeof kPlaces / sizeof kPlaces[0]; ++i) {
    if (kPlaces[i] <= kPlaces[i - 1]) return false;
  }
  return kPlaces[sizeof kPlaces / sizeof kPlaces[0] - 1] < kOrtTableSize;
}
static_assert(PlacesRise(), "places in ONNX Runtime's table must rise and lie within it");

template <typename Function>
Function At(const void* const* table, size_t place) {
  return reinterpret_cast<Function>(const_cast<void*>(table[place]));
}

}  // namespace

OrtApi::OrtApi(const void* const* table) {
#define TRITON_TS_FILL(place, result, name, parameters) name = At<name##Function>(table, place);
  TRITON_TS_ORT_FUNCTIONS(TRITON_TS_FILL)
#undef TRITON_TS_FILL
}

}  // namespace triton_ts
