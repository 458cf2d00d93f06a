// A library of custom operators for ONNX Runtime: `Triple` of the domain `triton_ts.test` gives three times its input.
// Against the C API alone, of which it declares what it uses; places in the table never change.
#include <cstddef>
#include <cstdint>

struct OrtStatus;
struct OrtKernelContext;
struct OrtValue;
struct OrtShapeInfo;
struct OrtDomain;
struct OrtSessionOptions;

struct OrtApiBase {
  const void* const* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};

namespace {

constexpr uint32_t kApiVersion = 15;
constexpr int kFloat = 1;

const void* const* api = nullptr;

template <typename... Parameters>
OrtStatus* Call(size_t place, Parameters... parameters) {
  using Function = OrtStatus* (*)(Parameters...);
  return reinterpret_cast<Function>(const_cast<void*>(api[place]))(parameters...);
}

constexpr size_t kCreateCustomOpDomain = 26;
constexpr size_t kCustomOpDomainAdd = 27;
constexpr size_t kAddCustomOpDomain = 28;
constexpr size_t kGetTensorMutableData = 51;
constexpr size_t kGetTensorShapeElementCount = 64;
constexpr size_t kGetTensorTypeAndShape = 65;
constexpr size_t kGetDimensionsCount = 61;
constexpr size_t kGetDimensions = 62;
constexpr size_t kKernelContextGetInput = 90;
constexpr size_t kKernelContextGetOutput = 91;

/** ONNX Runtime's OrtCustomOp as its version 8 has it. */
struct CustomOp {
  uint32_t version;
  void* (*CreateKernel)(const CustomOp*, const void* api, const void* info);
  const char* (*GetName)(const CustomOp*);
  const char* (*GetExecutionProviderType)(const CustomOp*);
  int (*GetInputType)(const CustomOp*, size_t);
  size_t (*GetInputTypeCount)(const CustomOp*);
  int (*GetOutputType)(const CustomOp*, size_t);
  size_t (*GetOutputTypeCount)(const CustomOp*);
  void (*KernelCompute)(void* kernel, OrtKernelContext*);
  void (*KernelDestroy)(void* kernel);
  int (*GetInputCharacteristic)(const CustomOp*, size_t);
  int (*GetOutputCharacteristic)(const CustomOp*, size_t);
};

/** The input has at most this many dimensions. */
constexpr size_t kMaxRank = 8;

void Compute(void*, OrtKernelContext* context) {
  const OrtValue* input = nullptr;
  OrtShapeInfo* info = nullptr;
  size_t rank = 0;
  size_t count = 0;
  int64_t shape[kMaxRank] = {};
  Call(kKernelContextGetInput, static_cast<const OrtKernelContext*>(context), size_t{0}, &input);
  Call(kGetTensorTypeAndShape, input, &info);
  Call(kGetDimensionsCount, static_cast<const OrtShapeInfo*>(info), &rank);
  Call(kGetDimensions, static_cast<const OrtShapeInfo*>(info), &shape[0], rank);
  Call(kGetTensorShapeElementCount, static_cast<const OrtShapeInfo*>(info), &count);
  OrtValue* output = nullptr;
  Call(kKernelContextGetOutput, context, size_t{0}, static_cast<const int64_t*>(shape), rank, &output);
  void* from = nullptr;
  void* to = nullptr;
  Call(kGetTensorMutableData, const_cast<OrtValue*>(input), &from);
  Call(kGetTensorMutableData, output, &to);
  for (size_t i = 0; i < count; ++i) static_cast<float*>(to)[i] = 3 * static_cast<float*>(from)[i];
}

constexpr CustomOp kTriple{
    8,
    [](const CustomOp* op, const void*, const void*) { return const_cast<void*>(static_cast<const void*>(op)); },
    [](const CustomOp*) { return "Triple"; },
    [](const CustomOp*) -> const char* { return nullptr; },
    [](const CustomOp*, size_t) { return kFloat; },
    [](const CustomOp*) { return size_t{1}; },
    [](const CustomOp*, size_t) { return kFloat; },
    [](const CustomOp*) { return size_t{1}; },
    Compute,
    [](void*) {},
    [](const CustomOp*, size_t) { return 0; },
    [](const CustomOp*, size_t) { return 0; },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* base) {
  api = base->GetApi(kApiVersion);
  // For as long as the process lives, like the library itself.
  static OrtDomain* domain = nullptr;
  if (domain == nullptr) {
    if (auto* status = Call(kCreateCustomOpDomain, "triton_ts.test", &domain)) return status;
    if (auto* status = Call(kCustomOpDomainAdd, domain, &kTriple)) return status;
  }
  return Call(kAddCustomOpDomain, options, domain);
}
