import type { Backend } from '../backend/backend.ts'
import { CodeModel } from './code-model.ts'
import type { ModelClass, ModelCode } from './model-code.ts'

/** What runs a model that is given in code. */
export const codeBackend = (code: ModelCode | ModelClass): Backend => ({
  name: 'javascript',
  createModel: (context) => CodeModel.open(code, context),
})
