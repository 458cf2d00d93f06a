/** Where something listens. */
export interface Address {
  readonly host: string
  readonly port: number
}
