/** Responses of one request that may be on their way before the reader has taken any. */
export const responseWindow = 16
