/*
 * Runs a model with ONNX Runtime's C API and nothing else, as a measure for what everything above costs.
 *
 *   ort_direct <libonnxruntime> <model.onnx> [seconds=5] [threads=1] [batch=1] [intra-op threads=1]
 *
 * All threads run one session, each with buffers of its own that are bound once. Variable dimensions are `batch`.
 * Prints inferences per second and the mean time of a run.
 */
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ort_api.h"

namespace {

using Clock = std::chrono::steady_clock;
using triton_ts::OrtApi;

struct Options {
  std::string library;
  std::string model;
  double seconds;
  int threads;
  int64_t batch;
  int intra_op;
};

const OrtApi* ort = nullptr;

void Require(OrtStatus* status) {
  if (status != nullptr) throw std::runtime_error(ort->GetErrorMessage(status));
}

void Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  const auto table = get_base == nullptr ? nullptr : get_base()->GetApi(triton_ts::kOrtApiVersion);
  if (table == nullptr) throw std::runtime_error(path + " is no ONNX Runtime, or too old");
  static const OrtApi api(table);
  ort = &api;
}

size_t ElementSize(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
      return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return 8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
      return 2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
      return 1;
    default:
      throw std::runtime_error("the model has a tensor that is not numeric");
  }
}

/** One thread's binding of a session. */
class Runner {
 public:
  Runner(OrtSession* session, int64_t batch) : session_(session), batch_(batch) {
    Require(ort->CreateIoBinding(session, &binding_));
    Require(ort->CreateRunOptions(&options_));
    Require(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory_));
    Require(ort->GetAllocatorWithDefaultOptions(&allocator_));
    size_t count = 0;
    Require(ort->SessionGetInputCount(session, &count));
    for (size_t i = 0; i < count; ++i) BindInput(i);
    Require(ort->SessionGetOutputCount(session, &count));
    for (size_t i = 0; i < count; ++i) {
      char* name = nullptr;
      Require(ort->SessionGetOutputName(session, i, allocator_, &name));
      Require(ort->BindOutputToDevice(binding_, name, memory_));
      Require(ort->AllocatorFree(allocator_, name));
    }
  }

  ~Runner() {
    ort->ReleaseIoBinding(binding_);
    for (auto* value : values_) ort->ReleaseValue(value);
    ort->ReleaseRunOptions(options_);
    ort->ReleaseMemoryInfo(memory_);
  }

  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void Run() { Require(ort->RunWithBinding(session_, options_, binding_)); }

 private:
  void BindInput(size_t index) {
    OrtTypeInfo* type_info = nullptr;
    Require(ort->SessionGetInputTypeInfo(session_, index, &type_info));
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    Require(ort->CastTypeInfoToTensorInfo(type_info, &tensor));
    size_t rank = 0;
    Require(ort->GetDimensionsCount(tensor, &rank));
    std::vector<int64_t> shape(rank);
    Require(ort->GetDimensions(tensor, shape.data(), rank));
    ONNXTensorElementDataType type;
    Require(ort->GetTensorElementType(tensor, &type));
    ort->ReleaseTypeInfo(type_info);
    size_t size = ElementSize(type);
    for (auto& dim : shape) size *= dim = dim < 0 ? batch_ : dim;
    buffers_.emplace_back(size);
    OrtValue* value = nullptr;
    Require(ort->CreateTensorWithDataAsOrtValue(memory_, buffers_.back().data(), size, shape.data(), rank, type,
                                                &value));
    values_.push_back(value);
    char* name = nullptr;
    Require(ort->SessionGetInputName(session_, index, allocator_, &name));
    Require(ort->BindInput(binding_, name, value));
    Require(ort->AllocatorFree(allocator_, name));
  }

  OrtSession* const session_;
  const int64_t batch_;
  OrtIoBinding* binding_ = nullptr;
  OrtRunOptions* options_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
  OrtAllocator* allocator_ = nullptr;
  std::vector<std::vector<char>> buffers_;
  std::vector<OrtValue*> values_;
};

OrtSession* OpenSession(const OrtEnv* env, const Options& options) {
  OrtSessionOptions* session_options = nullptr;
  Require(ort->CreateSessionOptions(&session_options));
  Require(ort->SetIntraOpNumThreads(session_options, options.intra_op));
  OrtSession* session = nullptr;
  Require(ort->CreateSession(env, options.model.c_str(), session_options, &session));
  ort->ReleaseSessionOptions(session_options);
  return session;
}

/** How many runs one thread did until `end`. */
uint64_t RunUntil(OrtSession* session, int64_t batch, Clock::time_point end) {
  Runner runner(session, batch);
  uint64_t runs = 0;
  for (; Clock::now() < end; ++runs) runner.Run();
  return runs;
}

void Measure(const Options& options) {
  Open(options.library);
  OrtEnv* env = nullptr;
  Require(ort->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "ort_direct", &env));
  OrtSession* session = OpenSession(env, options);
  Runner(session, options.batch).Run();
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  std::atomic<uint64_t> runs{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.emplace_back([&] { runs += RunUntil(session, options.batch, end); });
  }
  for (auto& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double rate = static_cast<double>(runs * options.batch) / seconds;
  const double mean = 1e6 * seconds * options.threads / static_cast<double>(runs);
  std::printf("%.1f inferences/s, %.2f us per run\n", rate, mean);
  ort->ReleaseSession(session);
  ort->ReleaseEnv(env);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: ort_direct <libonnxruntime> <model.onnx> [seconds] [threads] [batch] [intra-op]\n");
    return 2;
  }
  const auto number = [&](int index, double fallback) { return argc > index ? std::atof(argv[index]) : fallback; };
  try {
    Measure({argv[1], argv[2], number(3, 5), static_cast<int>(number(4, 1)), static_cast<int64_t>(number(5, 1)),
             static_cast<int>(number(6, 1))});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ort_direct: %s\n", error.what());
    return 1;
  }
}
