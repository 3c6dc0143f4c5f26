/** Whose turn it is among a channel's credentials; each call moves it on. */
export interface CredentialRotation {
  take(channelName: string): number
}

export function createCredentialTurns(): CredentialRotation {
  const turns = new Map<string, number>()
  return {
    take(channelName) {
      const turn = turns.get(channelName) ?? 0
      turns.set(channelName, (turn + 1) % Number.MAX_SAFE_INTEGER)
      return turn
    },
  }
}
