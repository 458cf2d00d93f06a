import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One server session: what it serves and how it is started. `${REPO}` stands for the golden repository. */
export interface Phase {
  doc: string
  flags: string[]
  dirs: string[]
  /** When the session counts as started: the live or ready endpoint answers 200, or the port accepts connections. */
  wait?: 'live' | 'ready' | 'tcp'
}

export interface RecordedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  body_b64?: string
  /** Send the body in three chunks instead of with a Content-Length. */
  chunked?: boolean
}

/** What Triton answered. An answer with binary tensors has `json_text`, `body` and `binary_b64` in place of `body_text`. */
export interface RecordedResponse {
  status?: number
  headers?: Record<string, string>
  body_text?: string
  json_text?: string
  binary_b64?: string
  body_b64?: string
  /** The content encoding that the answer came in; the other fields hold the decoded body. */
  decoded?: 'gzip' | 'deflate'
  server_died?: number
  transport_error?: string
  shm_after?: { key: string; b64: string }
}

export interface Case {
  id: string
  area: string
  phase: string
  compare: 'exact' | 'json' | 'prefix' | 'status' | 'none'
  request: RecordedRequest
  response: RecordedResponse
  /** What is to be known of the answer. */
  note?: string
  /** How long the recording waited before this case for Triton, which answers before it has unloaded. Our own answer means done. */
  delay_ms?: number
  shm_setup?: { key: string; b64: string }[]
}

export interface Corpus {
  phases: Record<string, Phase>
  cases: Case[]
}

export const goldenPath = (name: string): string => fileURLToPath(new URL(`../golden/${name}`, import.meta.url))

/** The model repository that the corpus was recorded on. */
export const goldenRepository = goldenPath('repo')

export function readCorpus(): Corpus {
  return JSON.parse(readFileSync(goldenPath('http_cases.json'), 'utf8'))
}

/** The cases that have nothing to do with the recorded Python models, which are not served then. */
export function withoutPython(corpus: Corpus): Corpus {
  return withoutPythonModels(corpus, ({ request }) => [request.path.split('/')[3] ?? ''])
}

/** @param modelsOf the models that a case asks for. */
export function withoutPythonModels<Entry>(
  { phases, cases }: { readonly phases: Record<string, Phase>; readonly cases: Entry[] },
  modelsOf: (entry: Entry) => readonly string[],
): { phases: Record<string, Phase>; cases: Entry[] } {
  const models = readdirSync(join(goldenRepository, 'models_py'))
  const served = Object.entries(phases).map(([name, phase]) => {
    const dirs = phase.dirs.filter((directory) => !directory.endsWith('/models_py'))
    return [name, { ...phase, dirs }]
  })
  return {
    phases: Object.fromEntries(served),
    cases: cases.filter((entry) => !modelsOf(entry).some((model) => models.includes(model))),
  }
}
