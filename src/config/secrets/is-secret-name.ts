const SECRET_NAME = /auth|key|token|secret|pass|cookie|credential|signature|session/i

/**
 * Whether a header or a provider's setting with this name contains a secret. Other values are ordinary words that
 * errors may contain.
 */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}
