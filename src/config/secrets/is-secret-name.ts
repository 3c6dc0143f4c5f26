const SECRET_NAME = /auth|key|token|secret|pass|cookie|credential|signature|session/i

/**
 * Whether a header or a provider's setting of this name holds a secret; the values of others are ordinary words that
 * errors must be free to use.
 */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}
