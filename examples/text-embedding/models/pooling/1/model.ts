import { defineModel } from '@triton-ts/core'
import { meanOfTokens, toLengthOne } from './mean-pooling.ts'

export default defineModel({
  infer({ inputs: { last_hidden_state: tokens, attention_mask: mask } }) {
    return { EMBEDDING: toLengthOne(meanOfTokens(tokens!, mask!)) }
  },
})
