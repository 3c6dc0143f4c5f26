/** Round robin over a channel's credentials. */
export interface CredentialRotation {
  /** The number of the turn; its remainder by the number of credentials is the index. */
  turnOf(channelName: string): number
  /** The next request begins with the credential after it. */
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
