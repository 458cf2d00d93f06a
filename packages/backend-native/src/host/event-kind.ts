/** The first number of each record that the addon delivers; `native/host/event.h` has the same list. */
export const eventKind = {
  operation: 0,
  response: 1,
  released: 2,
  executed: 3,
  requestStatistics: 4,
  batchStatistics: 5,
  state: 6,
  responseStatistics: 7,
  log: 8,
  infer: 9,
  inferCancel: 10,
  query: 11,
  trace: 12,
  inferAnswered: 13,
} as const
