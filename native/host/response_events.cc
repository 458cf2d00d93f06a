#include "response_events.h"

#include "napi_check.h"

namespace triton_ts {
namespace {

struct ValueWriter {
  EventWriter& writer;

  // A response cannot have parameters of type BYTES.
  void operator()(const std::string& value) const { writer.text(value); }
  void operator()(bool value) const { writer.number(value ? 1 : 0); }
  void operator()(double value) const { writer.number(value); }
  void operator()(int64_t value) const {
    napi_value result;
    check(napi_create_bigint_int64(writer.env(), value, &result));
    writer.value(result);
  }
};

void write_parameters(EventWriter& writer, const Parameters& parameters) {
  writer.number(static_cast<double>(parameters.size()));
  for (const TRITONSERVER_Parameter& parameter : parameters) {
    writer.number(parameter.type);
    writer.text(parameter.name);
    std::visit(ValueWriter{writer}, parameter.value);
  }
}

void write_tensor(EventWriter& writer, int name_index, TRITONSERVER_DataType datatype, const Shape& shape,
                  Buffer& buffer) {
  writer.number(name_index);
  writer.number(datatype);
  writer.number(static_cast<double>(shape.size()));
  for (const int64_t dimension : shape) writer.number(static_cast<double>(dimension));
  writer.bytes(buffer);
}

}  // namespace

ResponseEvent::ResponseEvent(uint32_t request, std::unique_ptr<TRITONBACKEND_Response> response, bool final,
                             ErrorPtr error)
    : request_(request), response_(std::move(response)), final_(final), error_(std::move(error)) {}

void ResponseEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kResponse);
  writer.number(request_);
  writer.number(final_ ? 1 : 0);
  writer.error(error_.get());
  if (!response_) {
    writer.number(0);
    writer.number(error_ ? 0 : -1);
    return;
  }
  write_parameters(writer, response_->parameters);
  if (error_) {
    writer.number(0);
    return;
  }
  writer.number(static_cast<double>(response_->outputs.size()));
  for (TRITONBACKEND_Output& output : response_->outputs) {
    write_tensor(writer, output.name_index, output.datatype, output.shape, output.buffer);
  }
}

void ReleasedEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kReleased);
  writer.number(request_);
  writer.number(rescheduled_ ? 1 : 0);
}

StateEvent::StateEvent(uint32_t request, TRITONBACKEND_Output& tensor)
    : request_(request),
      name_index_(tensor.name_index),
      datatype_(tensor.datatype),
      shape_(tensor.shape),
      buffer_(std::move(tensor.buffer)) {}

void StateEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kState);
  writer.number(request_);
  write_tensor(writer, name_index_, datatype_, shape_, buffer_);
}

}  // namespace triton_ts
