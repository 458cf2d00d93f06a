/** How a field is written. Source: protobuf, "Encoding". */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, group: 3, groupEnd: 4, fixed32: 5 } as const
