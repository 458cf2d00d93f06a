/** What the caller wrote on the command line is wrong; the command prints it below the usage and exits with code 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  /** @param flag The flag that it is about, without dashes. */
  constructor(reason: string, flag?: string) {
    super(flag === undefined ? reason : `Bad option: "--${flag}".\n${reason}`)
  }
}
