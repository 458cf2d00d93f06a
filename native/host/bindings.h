// The functions that JavaScript calls, as `packages/backend-native/src/host/binding.ts` describes them.
#pragma once

#include <napi.h>

namespace triton_ts {

/// Opening and closing of backends, models and instances.
void add_life_cycle(Napi::Object exports);

/// Answers to nested requests and queries.
void add_answers(Napi::Object exports);

/// The metrics of libraries.
void add_metrics(Napi::Object exports);

/// Memory that is shared with other processes.
void add_memory(Napi::Object exports);

/// Memory of GPUs that is shared with other processes.
void add_cuda_memory(Napi::Object exports);

/// How GPUs do.
void add_nvml(Napi::Object exports);

}  // namespace triton_ts
