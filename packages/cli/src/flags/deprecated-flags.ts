import { bool, int, list, size, text } from './flag.ts'

/** What has another name today. */
export const deprecatedFlags = {
  'strict-model-config': bool(false, 'DEPRECATED: use --disable-auto-complete-config.'),
  'response-cache-byte-size': size(0, 'DEPRECATED: use --cache-config=local,size=<bytes>.'),
  'trace-file': text('', 'DEPRECATED: use --trace-config=triton,file=<file>.'),
  'trace-level': list('<string>', 'DEPRECATED: use --trace-config=level=<OFF|TIMESTAMPS|TENSORS>.'),
  'trace-rate': int(1000, 'DEPRECATED: use --trace-config=rate=<rate>.'),
  'trace-count': int(-1, 'DEPRECATED: use --trace-config=count=<count>.'),
  'trace-log-frequency': int(0, 'DEPRECATED: use --trace-config=triton,log-frequency=<count>.'),
}
