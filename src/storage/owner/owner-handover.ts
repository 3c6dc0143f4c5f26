// The state that is only in the memory of an owner, as it passes it to the next one.
import type { PublishedValue } from '../../kit/local-calls/recent-values.ts'
import type { ClaimsHandover } from './claimed-calls.ts'
import type { MeterHandover } from './owned-meter.ts'

/** An owner of an earlier version passes only the state of its meter. */
export interface OwnerHandover extends MeterHandover {
  /** The claims of calls in progress. */
  readonly claims?: ClaimsHandover
  /** The values that it has published after its processes had disconnected. */
  readonly published?: readonly PublishedValue[]
}

/** The processes that used the previous owner. Each connects to the next one, unless it has died in the meantime. */
export function usersOf({ nodes, intents, claims = [] }: OwnerHandover): ReadonlySet<string> {
  const users = new Set(nodes.map(({ id }) => id))
  for (const { process } of intents) if (process !== undefined) users.add(process)
  for (const [, { process }] of claims) users.add(process)
  return users
}
