#include "execution_providers.h"

#include <algorithm>

#include "error.h"
#include "ort_handles.h"
#include "provider_options.h"
#include "text.h"

namespace triton_ts {
namespace {

std::vector<std::string> AvailableProviders() {
  char** names = nullptr;
  int count = 0;
  CheckOrt(Ort().GetAvailableProviders(&names, &count));
  std::vector<std::string> providers(names, names + count);
  CheckOrt(Ort().ReleaseAvailableProviders(names, count));
  return providers;
}

std::string Unknown(const std::string& accelerator) {
  return "unknown Execution Accelerator '" + accelerator + "' is requested";
}

void CheckAvailable(const std::string& accelerator, const std::string& provider) {
  const auto available = AvailableProviders();
  if (std::find(available.begin(), available.end(), provider) != available.end()) return;
  throw Error(TRITONSERVER_ERROR_INVALID_ARG,
              Unknown(accelerator) + ": this ONNX Runtime has no " + provider + ", it has " + Join(available));
}

/** Adds a provider, whose library is opened only now. @throws Error UNAVAILABLE that names the accelerator. */
template <typename Append>
void TryAppend(const std::string& accelerator, Append&& append) {
  try {
    append();
  } catch (const Error& error) {
    throw Error(TRITONSERVER_ERROR_UNAVAILABLE,
                "Execution Accelerator '" + accelerator + "' cannot be used: " + error.what() +
                    ". Its libraries are not installed; the install script of onnxruntime-node fetches them, and it "
                    "needs NVIDIA's CUDA and cuDNN libraries");
  }
}

void AppendTensorRt(OrtSessionOptions* options, const Accelerator& accelerator, int device) {
  CheckAvailable(accelerator.name, "TensorrtExecutionProvider");
  const auto settings = TensorRtOptions(accelerator, device);
  TryAppend(accelerator.name, [&] {
    const auto& ort = Ort();
    const auto provider = MakeOrt<OrtTensorRtOptionsHandle>(ort.CreateTensorRTProviderOptions);
    CheckOrt(ort.UpdateTensorRTProviderOptions(provider.get(), settings.Keys(), settings.Values(), settings.Count()));
    CheckOrt(ort.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, provider.get()));
  });
}

void AppendCuda(OrtSessionOptions* options, const ModelConfig& config, int device) {
  CheckAvailable("cuda", "CUDAExecutionProvider");
  const auto settings = CudaOptions(config, device);
  TryAppend("cuda", [&] {
    const auto& ort = Ort();
    const auto provider = MakeOrt<OrtCudaOptionsHandle>(ort.CreateCUDAProviderOptions);
    CheckOrt(ort.UpdateCUDAProviderOptions(provider.get(), settings.Keys(), settings.Values(), settings.Count()));
    CheckOrt(ort.SessionOptionsAppendExecutionProvider_CUDA_V2(options, provider.get()));
  });
}

void AppendOpenVino(OrtSessionOptions* options, const Accelerator& accelerator) {
  CheckAvailable(accelerator.name, "OpenVINOExecutionProvider");
  ProviderOptions settings;
  settings.Set("device_type", "CPU");
  for (const auto& [key, value] : accelerator.parameters) settings.Set(key, value);
  TryAppend(accelerator.name, [&] {
    CheckOrt(Ort().SessionOptionsAppendExecutionProvider(options, "OpenVINO", settings.Keys(), settings.Values(),
                                                         settings.Count()));
  });
}

}  // namespace

bool AppendProviders(OrtSessionOptions* options, const ModelConfig& config, Device device) {
  if (device.gpu) {
    for (const auto& accelerator : config.gpu_accelerators) {
      if (accelerator.name == "tensorrt") {
        AppendTensorRt(options, accelerator, device.id);
      } else if (accelerator.name != "cuda") {
        throw Error(TRITONSERVER_ERROR_INVALID_ARG, Unknown(accelerator.name));
      }
    }
    AppendCuda(options, config, device.id);
  }
  for (const auto& accelerator : config.cpu_accelerators) {
    if (accelerator.name != "openvino") throw Error(TRITONSERVER_ERROR_INVALID_ARG, Unknown(accelerator.name));
    AppendOpenVino(options, accelerator);
  }
  return !config.cpu_accelerators.empty();
}

}  // namespace triton_ts
