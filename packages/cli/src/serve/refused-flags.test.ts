import { describe, expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

describe('what is refused', () => {
  test.each([
    [['--load-model=a'], "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well."],
    [
      ['--model-control-mode=explicit', '--load-model=*', '--load-model=a'],
      /Wildcard model name '\*' must be the ONLY startup model if specified at all\.$/,
    ],
    [['--load-model=a', '--model-control-mode=poll'], /^Error: Use of '--load-model' requires setting/],
    [['--memory-budget=1GB'], /^Error: Use of '--memory-budget' requires setting '--model-control-mode=on-demand'/],
    [['--model-control-mode=always'], 'Bad option: "--model-control-mode".\ninvalid argument for --model-control-mode'],
    [['--model-config-name='], 'Bad option: "--model-config-name".\nError: empty argument for --model-config-name'],
    [['--model-repository='], /^Bad option: "--model-repository"\.\nrepository path is not a valid directory: ''$/],
    [['--http-max-input-size=0'], /Error: --http-max-input-size must be greater than 0\.$/],
    [
      ['--http-header-forward-pattern=('],
      /^Bad option: "--http-header-forward-pattern"\.\n.* not a regular expression: \($/,
    ],
    [
      ['--grpc-header-forward-pattern=('],
      /^Bad option: "--grpc-header-forward-pattern"\.\n.* not a regular expression: \($/,
    ],
    [['--dashboard-allowed-host=x'], /'--dashboard-allowed-host' requires setting '--allow-dashboard' as well\.$/],
    [['--grpc-keepalive-time=0'], 'Bad option: "--grpc-keepalive-time".\nProvided option value is out of bound. Got 0'],
    [['--grpc-max-connection-age=-1'], /out of bound\. Got -1$/],
    [['--grpc-http2-max-ping-strikes=-1'], /out of bound\. Got -1$/],
    [['--grpc-use-ssl=true'], 'Error: gRPC over TLS needs both --grpc-server-cert and --grpc-server-key.'],
    [
      ['--grpc-use-ssl-mutual=true', '--grpc-server-cert=/cert', '--grpc-server-key=/key'],
      /--grpc-use-ssl-mutual needs --grpc-root-cert\.$/,
    ],
    [
      ['--http-port=9000', '--grpc-port=9000'],
      'The server cannot listen to HTTP requests and GRPC requests at the same address and port 0.0.0.0:9000',
    ],
    [
      ['--grpc-port=9000', '--metrics-port=9000'],
      'The server cannot listen to GRPC requests and metrics requests at the same address and port 0.0.0.0:9000',
    ],
    [['--backend-config=,a=b'], /No backend specified\. .* Got ,a=b$/],
    [['--backend-config=onnxruntime,a'], /option format is '<backend name>,<setting>=<value>'\. Got onnxruntime,a$/],
    [['--backend-config=a='], /Got a=$/],
    [
      ['--cache-config=size=1'],
      /No cache specified\. --cache-config option format is <cache name>,<setting>=<value>\. Got size=1$/,
    ],
    [['--cache-config=,size=1'], /No cache specified\. .* Got ,size=1$/],
    [['--cache-config=local,size'], /option format is '<cache name>,<setting>=<value>'\. Got local,size$/],
    [['--cache-config=local,size='], /Got local,size=$/],
    [['--cache-config=local,=1'], /Got local,=1$/],
    [
      ['--response-cache-byte-size=12345', '--cache-config=local,size=67890'],
      'Error: Incompatible flags --response-cache-byte-size and --cache-config both provided. ' +
        'Please provide one or the other.',
    ],
    [['--rate-limit=often'], 'Bad option: "--rate-limit".\ninvalid argument for --rate-limit'],
    [
      ['--rate-limit-resource=R1'],
      'Bad option: "--rate-limit-resource".\n--rate-limit-resource option format is ' +
        "'<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got R1",
    ],
    [['--rate-limit-resource=R1:1:0:0'], /option format is .* Got R1:1:0:0$/],
    [['--rate-limit-resource=R1:many'], /Invalid option value\. Got many$/],
    [['--rate-limit-resource=R1:1:gpu'], /Invalid option value\. Got gpu$/],
    [['--rate-limit-resource=R1:-1'], /Provided option value is out of bound\. Got -1$/],
    [['--rate-limit-resource=R1:2147483648'], /Provided option value is out of bound\. Got 2147483648$/],
    [
      ['--host-policy=numa-node=0'],
      'Bad option: "--host-policy".\n--host-policy option format is ' +
        "'<policy name>,<setting>=<value>'. Got numa-node=0",
    ],
    [['--host-policy=gpu_0,numa-node'], /Got gpu_0,numa-node$/],
    [['--host-policy=,a=b'], /Got ,a=b$/],
    [['--host-policy=a,=b'], /Got a,=b$/],
    [['--host-policy=a,b='], /Got a,b=$/],
    [['--http-restricted-api=health'], /option format is '<config name>:<setting>=<value>'\. Got health$/],
    [['--http-max-body-size=2147483648'], /--http-max-body-size must be from 1 to 2147483647\.$/],
    [['--http-restricted-api=nope:k=v'], /unknown restricted api 'nope'$/],
    [['--grpc-restricted-protocol=health'], /option format is '<config name>:<setting>=<value>'\. Got health$/],
    [['--grpc-restricted-protocol=nope:k=v'], /unknown restricted protocol 'nope'$/],
    [
      ['--grpc-restricted-protocol=health:k=v', '--grpc-restricted-protocol=metadata,health:k=v'],
      /restricted protocol 'health' can not be specified in multiple config groups$/,
    ],
    [['--api-key-exempt-apis=health'], /'--api-key-exempt-apis' requires setting '--api-key-file' as well\.$/],
    [['--api-key-file=/keys', '--api-key-exempt-apis=healt'], /unknown api 'healt'; there are health, metadata, /],
    [['--http-server-cert=/cert'], 'Error: HTTPS needs both --http-server-cert and --http-server-key.'],
    [['--http-root-cert=/ca'], 'Error: HTTPS needs both --http-server-cert and --http-server-key.'],
    [
      ['--http-restricted-api=health:k=v', '--http-restricted-api=health:k=v'],
      /restricted api 'health' can not be specified in multiple config groups$/,
    ],
    [
      ['--http-port=9000', '--metrics-port=9000'],
      'The server cannot listen to HTTP requests and metrics requests at the same address and port 0.0.0.0:9000',
    ],
  ])('%j', (flags, text) => {
    expect(() => settingsOf(flags)).toThrow(text)
  })

  test('one port for two endpoints is fine on two addresses, or when it is free choice', () => {
    settingsOf(['--http-port=9000', '--metrics-port=9000', '--metrics-address=127.0.0.1'])
    settingsOf(['--http-port=0', '--metrics-port=0'])
    settingsOf(['--http-port=9000', '--metrics-port=9000', '--allow-metrics=false'])
  })
})
