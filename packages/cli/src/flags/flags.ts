import { logFormats } from '@triton-ts/core'
import { bool, choice, type Flag, float, int, level, list, onOff, port, size, text } from './flag.ts'

const noGpu = 'GPU memory is not managed yet'
const noLibraries = 'shared libraries are not loaded yet'
const noAgentLibraries = '"checksum" is built in, and other agents need code'
const noSageMaker = 'the SageMaker endpoint is not there yet'
const noVertex = 'the Vertex AI endpoint is not there yet'
const eventLoop = 'one event loop does this work'
const noPool = 'nothing is kept for reuse'

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
    logFormats,
    '"default" is LMMDD hh:mm:ss.ssssss, "ISO8601" is YYYY-MM-DDThh:mm:ssZ L; "json", of triton-ts alone, is one ' +
      'JSON object in each line.',
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
  'http-max-body-size': size(
    2147483647,
    'Most bytes of an HTTP request with binary tensors. A flag of triton-ts alone.',
  ),
  'http-restricted-api': list(
    '<apis>:<key>=<value>',
    'APIs, separated by commas, that need the header <key> to be <value>: health, metadata, inference, ' +
      'shared-memory, model-config, model-repository, statistics, trace, logging.',
  ),
  'http-server-cert': text(
    '',
    'PEM file of the server certificate; with it HTTP and metrics are served over TLS. A flag of triton-ts alone, as the two below.',
  ),
  'http-server-key': text('', 'PEM file of the key of --http-server-cert.'),
  'http-root-cert': text('', 'PEM file of authorities; clients must show a certificate that one of them has signed.'),
}

const access = {
  'api-key-file': text(
    '',
    'File with an API key a line; every request over HTTP and gRPC, for metrics too, must show one of them. A flag of ' +
      'triton-ts alone, as the one below.',
  ),
  'api-key-exempt-apis': list('<api>,...', 'What needs no key: an API of --http-restricted-api, metrics or dashboard.'),
}

const grpc = {
  'allow-grpc': bool(true, 'Serve gRPC.'),
  'grpc-address': text('0.0.0.0', 'Address of the gRPC server.'),
  'grpc-port': port(8001, 'Port of the gRPC server; 0 takes a free one.'),
  'reuse-grpc-port': bool(false, 'Share the gRPC port with other servers.', 'ports are not shared yet'),
  'grpc-header-forward-pattern': text('', 'Pattern of the gRPC headers that become request parameters.'),
  'grpc-infer-thread-count': int(2, 'Threads of the gRPC server.', eventLoop),
  'grpc-infer-allocation-pool-size': int(8, 'Requests kept for reuse.', noPool),
  'grpc-max-response-pool-size': int(2147483647, 'Most responses kept at a time.', noPool),
  'grpc-use-ssl': bool(false, 'Serve gRPC over TLS.'),
  'grpc-use-ssl-mutual': bool(false, 'Serve gRPC over TLS that checks clients too.'),
  'grpc-server-cert': text('', 'PEM file of the server certificate.'),
  'grpc-server-key': text('', 'PEM file of the server key.'),
  'grpc-root-cert': text('', 'PEM file of the authorities that sign certificates of clients.'),
  'grpc-infer-response-compression-level': choice(
    'none',
    ['none', 'low', 'medium', 'high'],
    'Compression of inference responses for clients that read it: "low" is gzip, "medium" and "high" are deflate.',
  ),
  'grpc-keepalive-time': int(7200000, 'Milliseconds of silence until a client is asked whether it is still there.'),
  'grpc-keepalive-timeout': int(20000, 'Milliseconds to wait for the answer to that.'),
  'grpc-keepalive-permit-without-calls': bool(false, 'Ask without calls too, and let clients do so.'),
  'grpc-http2-max-pings-without-data': int(2, 'Most times that a client is asked without a response; 0: any number.'),
  'grpc-http2-min-recv-ping-interval-without-data': int(
    300000,
    'Least milliseconds between two pings of a client without a response.',
  ),
  'grpc-http2-max-ping-strikes': int(2, 'Pings before that time until a connection is closed; 0: any number.'),
  'grpc-max-connection-age': int(2147483647, 'Milliseconds until a connection takes no more calls.'),
  'grpc-max-connection-age-grace': int(2147483647, 'Milliseconds that calls have after that.'),
  'grpc-restricted-protocol': list(
    '<apis>:<key>=<value>',
    'As --http-restricted-api, with triton-grpc-protocol-<key>.',
  ),
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
  'allow-gpu-metrics': bool(true, 'Have GPU metrics among them.'),
  'allow-cpu-metrics': bool(true, 'Have CPU metrics among them.'),
  'metrics-address': text('', 'Address of the metrics server. Default: that of the HTTP server.'),
  'metrics-port': port(8002, 'Port of the metrics server; 0 takes a free one.'),
  'metrics-interval-ms': float(2000, 'Milliseconds between two looks at GPU and CPU metrics.'),
  'allow-dashboard': bool(
    false,
    'Serve the live page at / of the metrics server; whoever opens it can run models. A flag of triton-ts alone, as the one below.',
  ),
  'dashboard-allowed-host': list(
    '<name>',
    'Name under which browsers may open it, besides IP addresses and localhost.',
  ),
  'metrics-config': list(
    '<setting>=<value>',
    'counter_latencies, histogram_latencies or summary_latencies is true or false; summary_quantiles is ' +
      '<quantile>:<error>,...; triton_ts=false leaves out what triton-ts has beyond Triton.',
  ),
}

const tracing = {
  'trace-config': list(
    '<mode>,<setting>=<value>',
    'A setting of traces: level, rate, count or mode, or one of a mode: triton,file=... and log-frequency, ' +
      'opentelemetry,url=..., resource, bsp_max_queue_size, bsp_schedule_delay and bsp_max_export_batch_size.',
  ),
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
  'allow-client-shm': bool(
    false,
    'Let clients register shared memory. Without this flag they may where the endpoint has a loopback address.',
  ),
}

const deprecated = {
  'strict-model-config': bool(false, 'DEPRECATED: use --disable-auto-complete-config.'),
  'response-cache-byte-size': size(0, 'DEPRECATED: use --cache-config=local,size=<bytes>.'),
  'trace-file': text('', 'DEPRECATED: use --trace-config=triton,file=<file>.'),
  'trace-level': list('<string>', 'DEPRECATED: use --trace-config=level=<OFF|TIMESTAMPS|TENSORS>.'),
  'trace-rate': int(1000, 'DEPRECATED: use --trace-config=rate=<rate>.'),
  'trace-count': int(-1, 'DEPRECATED: use --trace-config=count=<count>.'),
  'trace-log-frequency': int(0, 'DEPRECATED: use --trace-config=triton,log-frequency=<count>.'),
}

/** tritonserver's flags with its defaults. */
export const flags = {
  ...server,
  ...logging,
  ...repository,
  ...http,
  ...access,
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
  Access: access,
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
