import { bool, int, list, port, size, text } from './flag.ts'
import { eventLoop } from './no-effect.ts'

/** The HTTP server. */
export const httpFlags = {
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

/** Keys for all that is served. */
export const accessFlags = {
  'api-key-file': text(
    '',
    'File with an API key a line; every request over HTTP and gRPC, for metrics too, must show one of them. A flag of ' +
      'triton-ts alone, as the one below.',
  ),
  'api-key-exempt-apis': list('<api>,...', 'What needs no key: an API of --http-restricted-api, metrics or dashboard.'),
}

/** Shared memory of clients. */
export const sharedMemoryFlags = {
  'allow-client-shm': bool(
    false,
    'Let clients register shared memory. Without this flag they may where the endpoint has a loopback address.',
  ),
}
