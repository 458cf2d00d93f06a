import { fileMapping } from '@triton-ts/backend-native'
import { TritonError } from '@triton-ts/core'
import type { Interpreter } from '../environment/interpreter.ts'
import { SharedFile } from '../memory/shared-file.ts'
import { stubFile } from '../python-files.ts'
import { Child } from './child.ts'
import type { SharedFiles } from './link.ts'
import { type ProcessOwner, PythonProcess } from './python-process.ts'

/** How the processes of a model are started. */
export interface StartOptions {
  readonly interpreter: Interpreter
  /** Working directory. */
  readonly directory: string
  /** Where shared memory is. */
  readonly sharedMemory: string
}

/**
 * Starts a process and greets it.
 * @param hello what it is told of the model.
 * @throws TritonError UNAVAILABLE when there cannot be such a process.
 */
export async function startProcess(
  { interpreter, directory, sharedMemory }: StartOptions,
  hello: object,
  owner: ProcessOwner,
): Promise<PythonProcess> {
  const files = openFiles(sharedMemory)
  let child: Child
  try {
    child = await Child.start(
      {
        file: interpreter.file,
        args: [stubFile],
        environment: interpreter.variables,
        directory,
        descriptors: files === undefined ? [] : [files.requests.descriptor, files.responses.descriptor],
      },
      owner.clock,
    )
  } catch (cause) {
    files?.requests.close()
    files?.responses.close()
    throw notStarted(interpreter.file, owner, cause)
  }
  const process = new PythonProcess(child, files, owner)
  process.send({ k: 'hello', shm: files !== undefined, ...hello })
  return process
}

function openFiles(directory: string): SharedFiles | undefined {
  const mapping = fileMapping()
  const requests = SharedFile.open(directory, mapping)
  const responses = requests && SharedFile.open(directory, mapping)
  if (responses === undefined) requests?.close()
  return requests && responses && { requests, responses }
}

function notStarted(file: string, { model }: ProcessOwner, cause: unknown): TritonError {
  const { code, message } = cause as NodeJS.ErrnoException
  const why =
    code === 'ENOENT'
      ? `there is no '${file}': install Python 3.8 or later with numpy, or name an interpreter that has it with ` +
        'the environment variable TRITON_TS_PYTHON'
      : message
  return new TritonError('UNAVAILABLE', `the process of model '${model}' cannot be started: ${why}`, { cause })
}
