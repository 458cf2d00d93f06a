import { bool, int, port, text } from './flag.ts'

const noSageMaker = 'the SageMaker endpoint is not there yet'
const noVertex = 'the Vertex AI endpoint is not there yet'

/** Taken for their names; there is no such endpoint. */
export const sageMakerFlags = {
  'allow-sagemaker': bool(false, 'Serve SageMaker.', noSageMaker),
  'sagemaker-port': port(8080, 'Port of the SageMaker server.', noSageMaker),
  'sagemaker-safe-port-range': text('', '<integer>-<integer>: ports that other servers may take.', noSageMaker),
  'sagemaker-thread-count': int(8, 'Threads of the SageMaker server.', noSageMaker),
}

/** Taken for their names; there is no such endpoint. */
export const vertexFlags = {
  'allow-vertex-ai': bool(false, 'Serve Vertex AI.', noVertex),
  'vertex-ai-port': port(8080, 'Port of the Vertex AI server.', noVertex),
  'vertex-ai-thread-count': int(8, 'Threads of the Vertex AI server.', noVertex),
  'vertex-ai-default-model': text('', 'Model that serves requests without a name.', noVertex),
}
