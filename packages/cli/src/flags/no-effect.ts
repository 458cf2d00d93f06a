/** Why the numbers of threads change nothing. */
export const eventLoop = 'one event loop does this work'
