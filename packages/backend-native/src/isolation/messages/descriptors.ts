/** File descriptors of the child beyond those of standard input and output, by which it is tied to the parent. */
export const descriptors = {
  /** Messages, both ways. */
  channel: 3,
  /** Questions that the child waits for without going on, and their answers. */
  queries: 4,
  /** Nothing is ever written to it: it ends with the parent. */
  life: 5,
} as const
