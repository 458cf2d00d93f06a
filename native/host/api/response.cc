// TRITONBACKEND_Response.
#include "response.h"

#include "boundary.h"
#include "model.h"
#include "request.h"
#include "response_events.h"

using triton_ts::at_boundary;
using triton_ts::ErrorPtr;
using triton_ts::invalid_argument;
using triton_ts::set;

namespace {

std::unique_ptr<TRITONBACKEND_Response> make_response(const triton_ts::ChannelPtr& channel) {
  auto response = std::make_unique<TRITONBACKEND_Response>();
  response->channel = channel;
  return response;
}

TRITONSERVER_Error* add_parameter(TRITONBACKEND_Response* response, const char* name, TRITONSERVER_ParameterType type,
                                  decltype(TRITONSERVER_Parameter::value) value) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (response == nullptr) return invalid_argument("response was nullptr");
    response->parameters.push_back({name, type, std::move(value)});
    return nullptr;
  });
}

void describe(const TRITONBACKEND_Output& output, TRITONSERVER_DataType* datatype, const int64_t** shape,
              uint64_t* dim_count) {
  set(datatype, output.datatype);
  set(shape, output.shape.data());
  set(dim_count, output.shape.size());
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ResponseNew(TRITONBACKEND_Response** response, TRITONBACKEND_Request* request) {
  *response = nullptr;
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    *response = make_response(request->channel).release();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseNewFromFactory(TRITONBACKEND_Response** response,
                                                         TRITONBACKEND_ResponseFactory* factory) {
  *response = nullptr;
  return at_boundary([&] { *response = make_response(factory->channel).release(); });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseDelete(TRITONBACKEND_Response* response) {
  delete response;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ResponseSend(TRITONBACKEND_Response* response, uint32_t send_flags,
                                               TRITONSERVER_Error* error) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (response == nullptr) return invalid_argument("response was nullptr");
    std::unique_ptr<TRITONBACKEND_Response> owned(response);
    // Ends here and not with the event, on the JavaScript thread.
    const triton_ts::ChannelPtr channel = std::move(owned->channel);
    const bool final = (send_flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) != 0;
    // The library keeps its error.
    ErrorPtr copy(error == nullptr ? nullptr : new TRITONSERVER_Error(*error));
    auto event = std::make_unique<triton_ts::ResponseEvent>(channel->request_id(), std::move(owned), final,
                                                            std::move(copy));
    if (auto* late = channel->check_open(final)) return late;
    channel->host()->post(std::move(event));
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseSetStringParameter(TRITONBACKEND_Response* response, const char* name,
                                                             const char* value) {
  return at_boundary(
      [&] { return add_parameter(response, name, TRITONSERVER_PARAMETER_STRING, std::string(value)); });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseSetIntParameter(TRITONBACKEND_Response* response, const char* name,
                                                          int64_t value) {
  return add_parameter(response, name, TRITONSERVER_PARAMETER_INT, value);
}

TRITONSERVER_Error* TRITONBACKEND_ResponseSetBoolParameter(TRITONBACKEND_Response* response, const char* name,
                                                           bool value) {
  return add_parameter(response, name, TRITONSERVER_PARAMETER_BOOL, value);
}

TRITONSERVER_Error* TRITONBACKEND_ResponseSetDoubleParameter(TRITONBACKEND_Response* response, const char* name,
                                                             double value) {
  return add_parameter(response, name, TRITONSERVER_PARAMETER_DOUBLE, value);
}

TRITONSERVER_Error* TRITONBACKEND_ResponseOutput(TRITONBACKEND_Response* response, TRITONBACKEND_Output** output,
                                                 const char* name, TRITONSERVER_DataType datatype,
                                                 const int64_t* shape, uint32_t dims_count) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (response == nullptr) return invalid_argument("response was nullptr");
    *output = nullptr;
    const TRITONBACKEND_Model& model = *response->channel->model();
    std::string text(name);
    const int name_index = model.names.find(text);
    if (name_index < 0) {
      return invalid_argument("unexpected inference output '" + text + "' for model '" + model.name + "'");
    }
    triton_ts::Shape dimensions(shape, shape + dims_count);
    TRITONBACKEND_Output& added = response->outputs.emplace_back();
    added.name = std::move(text);
    added.name_index = name_index;
    added.datatype = datatype;
    added.shape = std::move(dimensions);
    *output = &added;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_InferenceResponseOutput(TRITONBACKEND_Response* response, uint32_t index,
                                                          const char** name, TRITONSERVER_DataType* datatype,
                                                          const int64_t** shape, uint64_t* dim_count) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (index >= response->outputs.size()) {
      return invalid_argument("out of bounds index " + std::to_string(index) + ": response has " +
                              std::to_string(response->outputs.size()) + " outputs");
    }
    const TRITONBACKEND_Output& output = *std::next(response->outputs.begin(), index);
    set(name, output.name.c_str());
    describe(output, datatype, shape, dim_count);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_InferenceResponseOutputByName(TRITONBACKEND_Response* response, const char* name,
                                                                TRITONSERVER_DataType* datatype,
                                                                const int64_t** shape, uint64_t* dim_count) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    for (const TRITONBACKEND_Output& output : response->outputs) {
      if (output.name != name) continue;
      describe(output, datatype, shape, dim_count);
      return nullptr;
    }
    // Triton's text, without a space in it.
    return triton_ts::make_error(TRITONSERVER_ERROR_NOT_FOUND, "Output name " + std::string(name) + "not found.");
  });
}

}  // extern "C"
