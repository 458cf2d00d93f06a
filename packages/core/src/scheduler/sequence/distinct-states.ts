import type { SequenceState } from '../../config/model-config.ts'

/** The states without those that repeat a name, which Triton ignores with a warning. */
export function distinctStates(
  states: readonly SequenceState[],
  warn: (text: string) => void = () => {},
): readonly SequenceState[] {
  const inputs = new Set<string>()
  const outputs = new Set<string>()
  return states.filter(({ inputName, outputName }) => {
    const repeated = inputs.has(inputName)
      ? `'input_name' in the state configuration: '${inputName}'`
      : outputs.has(outputName)
        ? `'output_name' in the state configuration: '${outputName}'`
        : undefined
    if (repeated !== undefined) warn(`Detected duplicate ${repeated}. This state configuration will be ignored.`)
    inputs.add(inputName)
    outputs.add(outputName)
    return repeated === undefined
  })
}
