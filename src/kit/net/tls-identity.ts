/** A certificate with its chain, and the matching private key, in PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}
