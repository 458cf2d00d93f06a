import type { RepositoryFiles } from '@triton-ts/testing'

const config = (backend: string): string => `backend: "${backend}"
  model_transaction_policy { decoupled: true }
  input { name: "COUNT" data_type: TYPE_INT32 dims: 1 }
  output { name: "TEXT" data_type: TYPE_STRING dims: 1 }
  instance_group { kind: KIND_CPU count: 1 }`

/** As many responses as the request says, each with the same few letters, as of a language model that needs no time. */
const model = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            count = int(pb_utils.get_input_tensor_by_name(request, "COUNT").as_numpy()[0])
            sender = request.get_response_sender()
            for _ in range(count):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("TEXT", np.array([b" token"], np.object_))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`

/** The model `words` of the Python backend. */
export const pythonStream: RepositoryFiles = { 'words/config.pbtxt': config('python'), 'words/1/model.py': model }

/** The same on a backend of the event loop, which waits for slow readers. */
export const inlineStream: RepositoryFiles = { 'words/config.pbtxt': config('inline'), 'words/1/': '' }
