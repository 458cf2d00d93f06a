import { expect, test } from 'vitest'
import { modelConfigSchema } from '../../../core/src/config/schema.ts'
import { protoText } from '../fixtures/proto-text.ts'

const head = `// Triton's model configuration, printed from the table of fields in @triton-ts/core (config/schema.ts); a test keeps both
// the same.

syntax = "proto3";

package inference;`

test('the schema of a model configuration is that of the table by which configurations are read', async () => {
  await expect(protoText(head, modelConfigSchema)).toMatchFileSnapshot('../../proto/model_config.proto')
})
