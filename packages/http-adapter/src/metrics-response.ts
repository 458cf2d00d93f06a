import { setImmediate } from 'node:timers/promises'
import type { MetricsFormat, Server } from '@triton-ts/core'
import type { WholeResponse } from './universal.ts'

/** Triton's for the text format. */
const contentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/**
 * The page of metrics. It is made part by part, with turns of the event loop in between, so that one of thousands of
 * models holds up no request.
 * @param accept the header `Accept` of the client.
 */
export async function metricsResponse(server: Server, accept: string | undefined): Promise<WholeResponse> {
  const format = formatFor(accept)
  const body: Uint8Array[] = []
  for (const part of server.metricsInParts({ format })) {
    if (body.length > 0) await setImmediate()
    body.push(Buffer.from(part))
  }
  return { status: 200, headers: ['Content-Type', contentTypes[format]], body }
}

/** OpenMetrics for those who want it at least as much as the text format of Prometheus. */
export function formatFor(accept = ''): MetricsFormat {
  let open = 0
  let text = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const wanted = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
    const version = parameters.find((one) => one.startsWith('version='))
    if (type === 'application/openmetrics-text' && (version === undefined || version === 'version=1.0.0')) {
      open = Math.max(open, wanted)
    } else if (type === 'text/plain') text = Math.max(text, wanted)
  }
  return open > 0 && open >= text ? 'openmetrics' : 'prometheus'
}
