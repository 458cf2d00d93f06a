import { element } from '../dom.ts'
import { writeExact } from './exact-json.ts'
import { shapeText } from './shape.ts'
import { shortFloat } from './short-float.ts'

/** Values of an output that are shown. */
const most = 256

interface OutputJson {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
  readonly data?: readonly unknown[]
}

/** The outputs of an answer of the inference protocol, each with its type and first values. */
export function outputsOf(answer: unknown): HTMLElement[] {
  const { outputs = [] } = answer as { readonly outputs?: readonly OutputJson[] }
  return outputs.map(({ name, datatype, shape, data = [] }) => {
    const type = element('span', { class: 'note' }, ` ${datatype} · ${shapeText(shape)}`)
    const values = element('pre', { tabindex: '0', 'aria-label': `values of ${name}` }, valuesText(data, datatype))
    return element('div', { class: 'output' }, element('h4', {}, name, type), values)
  })
}

/** The outputs of one event of the generate extension; what tells of the model is left out. */
export function eventText(event: unknown): string {
  if (typeof event !== 'object' || event === null) return String(event)
  const { model_name: _, model_version: __, ...members } = event as Record<string, unknown>
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? valuesText(value) : writeExact(value)}`)
    .join('\n')
}

function valuesText(values: readonly unknown[], datatype = ''): string {
  const text = (value: unknown): string => writeExact(datatype === 'FP32' ? shortFloat(value) : value)
  const shown = values.slice(0, most).map(text).join(', ')
  return values.length > most ? `${shown}, … ${values.length - most} more` : shown
}
