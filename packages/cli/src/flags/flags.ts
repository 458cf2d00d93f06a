import { bool, choice, type Flag, float, int, level, list, onOff, port, size, text } from './flag.ts'

const noGrpc = 'gRPC is not served yet'
const noTrace = 'tracing is not there yet'
const noGpu = 'GPU memory is not managed yet'
const noLibraries = 'shared libraries are not loaded yet'
const noAgentLibraries = '"checksum" is built in, and other agents need code'
const noSageMaker = 'the SageMaker endpoint is not there yet'
const noVertex = 'the Vertex AI endpoint is not there yet'
const noMetric = 'request counters are the only metrics so far'
const eventLoop = 'one event loop does this work'

const server = {
  id: text('triton', 'Name of this server in its metadata.'),
  'exit-timeout-secs': int(30, 'Seconds that running requests have to finish when the server exits.'),
}

const logging = {
  'log-verbose': level(0, 'Verbose log level; 0 is off, 1 and more is on.'),
  'log-info': bool(true, 'Log information.'),
  'log-warning': bool(true, 'Log warnings.'),
  'log-error': bool(true, 'Log errors.'),
  'log-format': choice(
    'default',
    ['default', 'ISO8601'],
    '"default" is LMMDD hh:mm:ss.ssssss, "ISO8601" is YYYY-MM-DDThh:mm:ssZ L.',
  ),
  'log-file': text('', 'File that the log is appended to, instead of stderr.'),
}

const repository = {
  'model-store': list('<string>', 'The same as --model-repository.'),
  'model-repository': list(
    '<string>',
    'Directory of models; may be given several times. A name must be in one only, unless --model-namespacing.',
  ),
  'exit-on-error': bool(true, 'Exit when a model fails to load at the start.'),
  'disable-auto-complete-config': onOff('Take model configurations as they are, without completing them.'),
  'strict-readiness': bool(true, 'Be ready only when every model is; otherwise as soon as the server answers.'),
  'model-control-mode': choice(
    'none',
    ['none', 'poll', 'explicit', 'on-demand'],
    '"none": load everything at the start. "poll": that, and then whatever changes in the repositories. ' +
      '"explicit": load --load-model, then what clients ask for. "on-demand", of triton-ts alone: the same, and every ' +
      'other model when it is first used.',
  ),
  'repository-poll-secs': int(
    15,
    'Seconds between two looks at the repositories in mode "poll"; without effect in others. 0: no looks.',
  ),
  'memory-budget': text(
    '',
    'Bytes that models may take in mode "on-demand", or 8GB, 512MiB; those least recently used go first. A flag of ' +
      'triton-ts alone; without it there is no limit.',
  ),
  'load-model': list(
    '<string>',
    'Model to load at the start in mode "explicit" or "on-demand"; may be given several times. * is all.',
  ),
  'traffic-split': list(
    '<model>:<version>=<weight>,...',
    'Weights of the versions that answer requests without version, and key=<parameter> for the sticky key; ' +
      'a flag of triton-ts alone.',
  ),
  'model-config-name': text('', "Use a model's configs/<name>.pbtxt where it exists."),
  'model-load-thread-count': int(4, 'Model versions loaded at the same time.'),
  'model-load-retry-count': int(0, 'Further tries after a model failed to load.'),
  'model-namespacing': bool(
    false,
    'Allow one model name in several repositories: models are told apart by repository.',
  ),
  'enable-peer-access': bool(true, 'Let GPUs reach the memory of each other.', noGpu),
}

const http = {
  'allow-http': bool(true, 'Serve HTTP.'),
  'http-address': text('0.0.0.0', 'Address of the HTTP server.'),
  'http-port': port(8000, 'Port of the HTTP server; 0 takes a free one.'),
  'reuse-http-port': bool(false, 'Share the HTTP port with other servers.', 'ports are not shared yet'),
  'http-header-forward-pattern': text('', 'Pattern of the HTTP headers that become request parameters.'),
  'http-thread-count': int(8, 'Threads of the HTTP server.', eventLoop),
  'http-max-input-size': size(67108864, 'Most bytes of an HTTP request, as sent and after decompression.'),
  'http-restricted-api': list(
    '<apis>:<key>=<value>',
    'APIs, separated by commas, that need the header <key> to be <value>: health, metadata, inference, ' +
      'shared-memory, model-config, model-repository, statistics, trace, logging.',
  ),
}

const grpc = {
  'allow-grpc': bool(true, 'Serve gRPC.', noGrpc),
  'grpc-address': text('0.0.0.0', 'Address of the gRPC server.', noGrpc),
  'grpc-port': port(8001, 'Port of the gRPC server.', noGrpc),
  'reuse-grpc-port': bool(false, 'Share the gRPC port with other servers.', noGrpc),
  'grpc-header-forward-pattern': text('', 'Pattern of the gRPC headers that become request parameters.', noGrpc),
  'grpc-infer-thread-count': int(2, 'Threads of the gRPC server.', noGrpc),
  'grpc-infer-allocation-pool-size': int(8, 'Requests kept for reuse.', noGrpc),
  'grpc-max-response-pool-size': int(2147483647, 'Most responses kept at a time.', noGrpc),
  'grpc-use-ssl': bool(false, 'Serve gRPC over TLS.', noGrpc),
  'grpc-use-ssl-mutual': bool(false, 'Serve gRPC over TLS that checks clients too.', noGrpc),
  'grpc-server-cert': text('', 'PEM file of the server certificate.', noGrpc),
  'grpc-server-key': text('', 'PEM file of the server key.', noGrpc),
  'grpc-root-cert': text('', 'PEM file of the root certificate.', noGrpc),
  'grpc-infer-response-compression-level': choice(
    'none',
    ['none', 'low', 'medium', 'high'],
    'Compression of responses.',
    noGrpc,
  ),
  'grpc-keepalive-time': int(7200000, 'Milliseconds between two keepalive pings.', noGrpc),
  'grpc-keepalive-timeout': int(20000, 'Milliseconds to wait for the answer to a ping.', noGrpc),
  'grpc-keepalive-permit-without-calls': bool(false, 'Ping without calls too.', noGrpc),
  'grpc-http2-max-pings-without-data': int(2, 'Most pings without data between them.', noGrpc),
  'grpc-http2-min-recv-ping-interval-without-data': int(300000, 'Least milliseconds between two pings.', noGrpc),
  'grpc-http2-max-ping-strikes': int(2, 'Bad pings before a connection is closed.', noGrpc),
  'grpc-max-connection-age': int(2147483647, 'Most milliseconds that a connection lasts.', noGrpc),
  'grpc-max-connection-age-grace': int(2147483647, 'Milliseconds of grace after that.', noGrpc),
  'grpc-restricted-protocol': list('<apis>:<key>=<value>', 'As --http-restricted-api.', noGrpc),
}

const sageMaker = {
  'allow-sagemaker': bool(false, 'Serve SageMaker.', noSageMaker),
  'sagemaker-port': port(8080, 'Port of the SageMaker server.', noSageMaker),
  'sagemaker-safe-port-range': text('', '<integer>-<integer>: ports that other servers may take.', noSageMaker),
  'sagemaker-thread-count': int(8, 'Threads of the SageMaker server.', noSageMaker),
}

const vertex = {
  'allow-vertex-ai': bool(false, 'Serve Vertex AI.', noVertex),
  'vertex-ai-port': port(8080, 'Port of the Vertex AI server.', noVertex),
  'vertex-ai-thread-count': int(8, 'Threads of the Vertex AI server.', noVertex),
  'vertex-ai-default-model': text('', 'Model that serves requests without a name.', noVertex),
}

const metrics = {
  'allow-metrics': bool(true, 'Serve Prometheus metrics.'),
  'allow-gpu-metrics': bool(true, 'Have GPU metrics among them.', noMetric),
  'allow-cpu-metrics': bool(true, 'Have CPU metrics among them.', noMetric),
  'metrics-address': text('', 'Address of the metrics server. Default: that of the HTTP server.'),
  'metrics-port': port(8002, 'Port of the metrics server; 0 takes a free one.'),
  'metrics-interval-ms': float(2000, 'Milliseconds between two looks at GPU and CPU metrics.', noMetric),
  'metrics-config': list('<setting>=<value>', 'A setting of the metrics.', noMetric),
}

const tracing = {
  'trace-config': list('<mode>,<setting>=<value>', 'A setting of traces; without <mode> it holds for all.', noTrace),
}

const backend = {
  'backend-directory': text('/opt/tritonserver/backends', 'Where backend libraries are: <name>/libtriton_<name>.so.'),
  'backend-config': list('<backend>,<key>=<value>', 'A setting of a backend; without <backend> it holds for all.'),
}

const agent = {
  'repoagent-directory': text(
    '/opt/tritonserver/repoagents',
    'Where repository agents are. "checksum" is built in.',
    noAgentLibraries,
  ),
}

const cache = {
  'cache-config': list(
    '<cache>,<key>=<value>',
    'A setting of the response cache, "local" or "redis": local,size=1048576 for instance.',
  ),
  'cache-directory': text('/opt/tritonserver/caches', 'Where cache libraries are.', noLibraries),
}

const rateLimiter = {
  'rate-limit': choice(
    'off',
    ['execution_count', 'off'],
    '"execution_count": instances run by priority and when their resources are free; "off": as soon as they are idle.',
  ),
  'rate-limit-resource': list(
    '<name>:<count>:<device>',
    'How much there is of a resource on a device, or without <device> on every device. ' +
      'Default: what the instance that needs most of it needs.',
  ),
}

const devices = {
  'pinned-memory-pool-byte-size': size(268435456, 'Bytes of pinned memory.', noGpu),
  'cuda-memory-pool-byte-size': list('<gpu>:<bytes>', 'Bytes of memory on a GPU.', noGpu),
  'cuda-virtual-address-size': list('<gpu>:<bytes>', 'Address space of growing states on a GPU.', noGpu),
  'min-supported-compute-capability': float(0, 'GPUs below this are not used.', noGpu),
  'buffer-manager-thread-count': int(0, 'Threads that copy tensors.', eventLoop),
  gpus: list('<id>,...', 'GPUs that models may use, a flag of triton-ts alone; without it there are none.'),
  'host-policy': list(
    '<policy>,<setting>=<value>',
    'A setting of a host policy, numa-node or cpu-cores for instance, which backends are told.',
  ),
  'model-load-gpu-limit': list('<gpu>:<fraction>', 'Share of a GPU above which no model is loaded.', noGpu),
}

const sharedMemory = {
  'allow-client-shm': bool(false, 'Let clients register shared memory.', 'shared memory is not there yet'),
}

const deprecated = {
  'strict-model-config': bool(false, 'DEPRECATED: use --disable-auto-complete-config.'),
  'response-cache-byte-size': size(0, 'DEPRECATED: use --cache-config=local,size=<bytes>.'),
  'trace-file': text('', 'DEPRECATED: use --trace-config=triton,file=<file>.', noTrace),
  'trace-level': list('<string>', 'DEPRECATED: use --trace-config=level=<OFF|TIMESTAMPS|TENSORS>.', noTrace),
  'trace-rate': int(1000, 'DEPRECATED: use --trace-config=rate=<rate>.', noTrace),
  'trace-count': int(-1, 'DEPRECATED: use --trace-config=count=<count>.', noTrace),
  'trace-log-frequency': int(0, 'DEPRECATED: use --trace-config=triton,log-frequency=<count>.', noTrace),
}

/** tritonserver's flags with its defaults. */
export const flags = {
  ...server,
  ...logging,
  ...repository,
  ...http,
  ...grpc,
  ...sageMaker,
  ...vertex,
  ...metrics,
  ...tracing,
  ...backend,
  ...agent,
  ...cache,
  ...rateLimiter,
  ...devices,
  ...sharedMemory,
  ...deprecated,
}

/** What the usage prints of a flag. */
type FlagText = Pick<Flag<unknown>, 'argument' | 'default' | 'meaning' | 'noEffect'>

/** The same flags under the headings of the usage. */
export const flagGroups: Readonly<Record<string, Readonly<Record<string, FlagText>>>> = {
  Server: server,
  Logging: logging,
  'Model Repository': repository,
  HTTP: http,
  GRPC: grpc,
  Sagemaker: sageMaker,
  Vertex: vertex,
  Metrics: metrics,
  Tracing: tracing,
  Backend: backend,
  'Repository Agent': agent,
  'Response Cache': cache,
  'Rate Limiter': rateLimiter,
  'Memory/Device Management': devices,
  'Shared Memory': sharedMemory,
  DEPRECATED: deprecated,
}

export type FlagName = keyof typeof flags

/** The value of every flag. */
export type FlagValues = { readonly [Name in FlagName]: (typeof flags)[Name]['default'] }
