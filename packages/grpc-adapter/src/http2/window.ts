/** Bytes that a flow-control window can have at most. Source: RFC 9113, section 6.9.1. */
export const maxWindow = 2 ** 31 - 1

/** Bytes of every window at first. Source: RFC 9113, section 6.9.2. */
export const initialWindow = 65_535

/** Bytes of one request that may come before anything of it is taken. */
export const streamWindow = 1024 * 1024

/** Bytes of all requests of a connection that may be on their way. */
export const connectionWindow = 16 * 1024 * 1024
