/** The port of an endpoint is taken. */
export class BusyPortError extends Error {
  override readonly name = 'BusyPortError'
  readonly port: number
  /** The flag that chooses another. */
  readonly flag: string

  constructor(message: string, port: number, flag: string) {
    super(message)
    this.port = port
    this.flag = flag
  }
}
