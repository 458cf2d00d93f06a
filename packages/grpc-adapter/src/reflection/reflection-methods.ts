import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import { FileDescriptors } from './file-descriptors.ts'
import { ServerReflection } from './server-reflection.ts'

const reflectionServices = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']

/** Services by their full names, as reflection lists them. */
const allServices = [inferenceService, 'grpc.health.v1.Health', ...reflectionServices]

/** `grpc.reflection`, in the version that is final and in the one before, which most clients know. */
export function reflectionMethods({ services }: ServiceContext): MethodEntry[] {
  const files = new FileDescriptors(services.root)
  return reflectionServices.map((service) => {
    const messages = services.method(service, 'ServerReflectionInfo')
    return [messages.path, new ServerReflection(messages, files, allServices)]
  })
}
