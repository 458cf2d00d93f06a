/** A request that has waited: what is left of its time, at least a microsecond. One without a limit stays as it is. */
export function timeLeft<Request extends { readonly timeoutMicroseconds?: number | undefined }>(
  request: Request,
  waitedMicroseconds: number,
): Request {
  const { timeoutMicroseconds = 0 } = request
  if (timeoutMicroseconds === 0) return request
  return { ...request, timeoutMicroseconds: Math.max(1, timeoutMicroseconds - waitedMicroseconds) }
}
