/** A certificate with the chain that vouches for it, and its private key, in PEM. The two belong together. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}
