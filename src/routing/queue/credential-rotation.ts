/** Round robin over a channel's credentials. */
export interface CredentialRotation {
  /**
   * The number of the current turn. The index of the credential is the remainder of its division by the number of
   * credentials.
   */
  turnOf(channelName: string): number
  /** Makes the next request begin with the next credential. */
  advance(channelName: string): void
}

export function createCredentialRotation(): CredentialRotation {
  const turns = new Map<string, number>()
  const turnOf = (channelName: string) => turns.get(channelName) ?? 0
  return {
    turnOf,
    advance(channelName) {
      turns.set(channelName, (turnOf(channelName) + 1) % Number.MAX_SAFE_INTEGER)
    },
  }
}
