#pragma once

#include <memory>

#include "ort_api.h"

namespace triton_ts {

/** Releases an object of ONNX Runtime through one of its functions. */
template <typename Object, void (*OrtApi::*Release)(Object*)>
struct OrtRelease {
  void operator()(Object* object) const { (Ort().*Release)(object); }
};

template <typename Object, void (*OrtApi::*Release)(Object*)>
using OrtHandle = std::unique_ptr<Object, OrtRelease<Object, Release>>;

using OrtEnvHandle = OrtHandle<OrtEnv, &OrtApi::ReleaseEnv>;
using OrtSessionHandle = OrtHandle<OrtSession, &OrtApi::ReleaseSession>;
using OrtSessionOptionsHandle = OrtHandle<OrtSessionOptions, &OrtApi::ReleaseSessionOptions>;
using OrtRunOptionsHandle = OrtHandle<OrtRunOptions, &OrtApi::ReleaseRunOptions>;
using OrtValueHandle = OrtHandle<OrtValue, &OrtApi::ReleaseValue>;
using OrtIoBindingHandle = OrtHandle<OrtIoBinding, &OrtApi::ReleaseIoBinding>;
using OrtMemoryInfoHandle = OrtHandle<OrtMemoryInfo, &OrtApi::ReleaseMemoryInfo>;
using OrtTypeInfoHandle = OrtHandle<OrtTypeInfo, &OrtApi::ReleaseTypeInfo>;
using OrtTensorInfoHandle = OrtHandle<OrtTensorTypeAndShapeInfo, &OrtApi::ReleaseTensorTypeAndShapeInfo>;
using OrtThreadingOptionsHandle = OrtHandle<OrtThreadingOptions, &OrtApi::ReleaseThreadingOptions>;
using OrtCudaOptionsHandle = OrtHandle<OrtCUDAProviderOptionsV2, &OrtApi::ReleaseCUDAProviderOptions>;
using OrtTensorRtOptionsHandle = OrtHandle<OrtTensorRTProviderOptionsV2, &OrtApi::ReleaseTensorRTProviderOptions>;

/** Calls a function of ONNX Runtime that makes an object, which is its last parameter. @throws Error */
template <typename Handle, typename Function, typename... Arguments>
Handle MakeOrt(Function function, Arguments... arguments) {
  typename Handle::pointer object = nullptr;
  CheckOrt(function(arguments..., &object));
  return Handle(object);
}

}  // namespace triton_ts
