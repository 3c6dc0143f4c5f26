/** Round robin over a channel's credentials. */
export interface CredentialRotation {
  /** The turn of this call; the remainder by the number of credentials is the index. */
  next(channelName: string): number
}

export function createCredentialRotation(): CredentialRotation {
  const turns = new Map<string, number>()
  return {
    next(channelName) {
      const turn = turns.get(channelName) ?? 0
      turns.set(channelName, (turn + 1) % Number.MAX_SAFE_INTEGER)
      return turn
    },
  }
}
