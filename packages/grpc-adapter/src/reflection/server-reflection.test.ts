import protobuf from 'protobufjs'
import descriptor, { type IDescriptorProto, type IFileDescriptorProto } from 'protobufjs/ext/descriptor.js'
import { describe, expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'
import { readProtoFiles } from '../proto-files.ts'

const versions = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']

interface Answer {
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] }
  readonly list_services_response?: object
  readonly all_extension_numbers_response?: object
  readonly error_response?: object
}

/** The answers to these questions. */
async function ask(service: string, ...requests: readonly object[]): Promise<Answer[]> {
  await using fixture = await testServer()
  return new Caller(fixture.server)
    .stream(`${service}/ServerReflectionInfo`)
    .request(...requests)
    .all()
}

async function fileOf(symbol: string): Promise<IFileDescriptorProto> {
  const [answer] = await ask(versions[0] as string, { file_containing_symbol: symbol })
  expect(answer).toMatchObject({ file_descriptor_response: { file_descriptor_proto: [expect.any(Uint8Array)] } })
  const { file_descriptor_proto: files } = answer?.file_descriptor_response ?? {}
  const type = descriptor.FileDescriptorProto
  return type.toObject(type.decode(files?.[0] ?? new Uint8Array(0)))
}

describe.each(versions)('%s', (service) => {
  test('lists every service', async () => {
    const [answer] = await ask(service, { host: 'h', list_services: '' })
    expect(answer).toMatchObject({ valid_host: 'h', original_request: { list_services: '' } })
    expect(answer?.list_services_response).toEqual({
      service: ['inference.GRPCInferenceService', 'grpc.health.v1.Health', ...versions].map((name) => ({ name })),
    })
  })

  test('answers one question after the other, also those without an answer', async () => {
    const answers = await ask(
      service,
      { file_containing_symbol: 'inference.Nope' },
      { file_containing_symbol: 'inference' },
      { file_by_filename: 'nope.proto' },
      { file_containing_extension: { containing_type: 'inference.ModelConfig', extension_number: 100 } },
      { all_extension_numbers_of_type: 'inference.ModelConfig' },
      { all_extension_numbers_of_type: 'nope' },
      {},
    )
    const notFound = (what: string): object => ({ error_code: 5, error_message: `${what} not found` })
    expect(
      answers.map(
        ({ error_response, all_extension_numbers_response }) => error_response ?? all_extension_numbers_response,
      ),
    ).toEqual([
      notFound("symbol 'inference.Nope'"),
      notFound("symbol 'inference'"),
      notFound("file 'nope.proto'"),
      notFound('extension'),
      { base_type_name: 'inference.ModelConfig', extension_number: [] },
      notFound("type 'nope'"),
      { error_code: 3, error_message: 'the request asks for nothing' },
    ])
  })
})

test('a file is found by what is in it and by its name', async () => {
  const file = await fileOf('inference.GRPCInferenceService.ModelInfer')
  expect(file).toEqual(await fileOf('inference.ModelInferRequest.InferInputTensor'))
  expect(file).toEqual(await fileOf('inference.DataType'))
  const [answer] = await ask(versions[0] as string, { file_by_filename: file.name })
  expect(answer?.file_descriptor_response).toBeDefined()
})

test('descriptors are complete: the schema can be made of them', async () => {
  const file = await fileOf('inference.GRPCInferenceService')
  const made = protobuf.Root.fromDescriptor({ file: [file] }, { keepCase: true })
  const schema = readProtoFiles()
  const fields = (root: protobuf.Root, name: string): object =>
    root.lookupType(name).fieldsArray.map(({ name, id, type, repeated, partOf, resolvedType }) => ({
      ...{ name, id, repeated, oneof: partOf?.name, type: resolvedType?.fullName ?? type },
    }))
  for (const name of ['inference.ModelInferRequest', 'inference.InferParameter', 'inference.ModelConfig']) {
    expect(fields(made, name)).toEqual(fields(schema, name))
  }
})

test('names of types and of the entries of maps are those that protoc gives', async () => {
  const file = await fileOf('inference.ModelConfig')
  const config = file.messageType?.find(({ name }) => name === 'ModelConfig')
  expect(config?.nestedType?.map(({ name }) => name)).toEqual([
    'CcModelFilenamesEntry',
    'MetricTagsEntry',
    'ParametersEntry',
  ])
  const check = (message: IDescriptorProto): void => {
    for (const { typeName } of message.field ?? []) expect(typeName ?? '.').toMatch(/^\./)
    for (const nested of message.nestedType ?? []) check(nested)
  }
  for (const message of file.messageType ?? []) check(message)
})
