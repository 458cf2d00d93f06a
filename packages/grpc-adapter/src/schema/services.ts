import type protobuf from 'protobufjs'
import type { Call, Method, UnaryMethod } from '../transport/method.ts'
import { MessageCodec } from './message-codec.ts'

export type MethodEntry = readonly [path: string, method: Method]

/** The messages of a method. */
export interface MethodMessages {
  readonly path: string
  readonly requests: MessageCodec
  readonly responses: MessageCodec
}

/** Methods by the names that the schema gives them. */
export class Services {
  readonly root: protobuf.Root

  constructor(root: protobuf.Root) {
    this.root = root
  }

  /** @param service its full name. */
  method(service: string, name: string): MethodMessages {
    const method = this.root.lookupService(service).methods[name]
    if (!method?.resolvedRequestType || !method.resolvedResponseType) throw new Error(`${service} has no ${name}`)
    return {
      path: `/${service}/${name}`,
      requests: new MessageCodec(method.resolvedRequestType),
      responses: new MessageCodec(method.resolvedResponseType),
    }
  }

  /**
   * A method with one request and one response, off the hot path.
   * @param answer makes the response. `Request` has the fields of the request that it looks at.
   */
  unary<Request extends object>(
    service: string,
    name: string,
    answer: (request: Request, call: Call) => object | Promise<object>,
  ): MethodEntry {
    const { path, requests, responses } = this.method(service, name)
    const method: UnaryMethod = {
      kind: 'unary',
      handle: async (bytes, call) => responses.encode(await answer(requests.decode(bytes) as Request, call)),
    }
    return [path, method]
  }
}
