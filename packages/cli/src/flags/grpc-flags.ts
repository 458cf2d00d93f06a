import { atLeast, bool, choice, int, list, port, text } from './flag.ts'
import { eventLoop } from './no-effect.ts'

const noPool = 'nothing is kept for reuse'

/** The gRPC server. */
export const grpcFlags = {
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
  'grpc-keepalive-time': atLeast(
    1,
    7200000,
    'Milliseconds of silence until a client is asked whether it is still there.',
  ),
  'grpc-keepalive-timeout': atLeast(1, 20000, 'Milliseconds to wait for the answer to that.'),
  'grpc-keepalive-permit-without-calls': bool(false, 'Ask without calls too, and let clients do so.'),
  'grpc-http2-max-pings-without-data': atLeast(
    0,
    2,
    'Most times that a client is asked without a response; 0: any number.',
  ),
  'grpc-http2-min-recv-ping-interval-without-data': atLeast(
    0,
    300000,
    'Least milliseconds between two pings of a client without a response.',
  ),
  'grpc-http2-max-ping-strikes': atLeast(0, 2, 'Pings before that time until a connection is closed; 0: any number.'),
  'grpc-max-connection-age': atLeast(1, 2147483647, 'Milliseconds until a connection takes no more calls.'),
  'grpc-max-connection-age-grace': atLeast(0, 2147483647, 'Milliseconds that calls have after that.'),
  'grpc-restricted-protocol': list(
    '<apis>:<key>=<value>',
    'As --http-restricted-api, with triton-grpc-protocol-<key>.',
  ),
}
