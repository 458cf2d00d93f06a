const millisecondsOf: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
}

/**
 * Milliseconds of a `grpc-timeout` header: at most eight digits and a unit.
 * @returns undefined for anything else. Source: grpc/doc/PROTOCOL-HTTP2.md.
 */
export function parseGrpcTimeout(value: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? []
  return digits === undefined ? undefined : Number(digits) * (millisecondsOf[unit as string] as number)
}
