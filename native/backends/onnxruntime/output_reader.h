#pragma once

#include "buffer.h"
#include "memory.h"
#include "ort_api.h"
#include "output_plan.h"
#include "output_writer.h"

namespace triton_ts {

/**
 * Describes a computed output for the writer. Numbers stay where they are, in `value`; the characters of strings are
 * copied to `characters`.
 * @param place of the numbers.
 */
void ReadOutput(OrtValue* value, const OutputPlan& plan, MemoryPlace place, Buffer& characters, OutputTensor& out);

}  // namespace triton_ts
