import type { PeopleStores } from '../../access/people/user-store.ts'
import { innerReasonOf } from '../../canonical/failure.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import { isStoreFault } from '../keys/unstored-keys.ts'

/** The minimum interval between two records of the same address, however many requests it sends. */
const RECORD_INTERVAL_MS = HOUR_MS
/** The limit on remembered addresses. Beyond it, the address with the oldest record is forgotten. */
const MAX_ADDRESSES = 1_000

/** A request that presented the admin token. */
export interface BreakGlassUse {
  readonly address: string
  readonly method: string
  readonly path: string
}

/** Records the use of the admin token if there is an owner who could have signed in instead. */
export type RecordBreakGlass = (use: BreakGlassUse) => Promise<void>

export interface BreakGlassOptions {
  readonly users: Pick<PeopleStores['users'], 'hasOwner'>
  readonly audit: Pick<AuditStore, 'append'>
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** Called if a use could not be recorded. */
  readonly warn: (message: string) => void
}

/**
 * Records that the token was used at all, for reading too. A change by the token has a record of its own as well. If
 * storing fails, the request continues, as that very fault may be the emergency.
 */
export function createBreakGlassRecord({ users, audit, clock, warn }: BreakGlassOptions): RecordBreakGlass {
  // A clock that is set back must not silence the records.
  const recordedAtMs = new Map<string, number>()

  /** Remembers the address at once, so that concurrent requests make one record. */
  function remember(address: string, atMs: number): void {
    recordedAtMs.delete(address)
    recordedAtMs.set(address, atMs)
    const [oldest] = recordedAtMs.keys()
    if (recordedAtMs.size > MAX_ADDRESSES && oldest !== undefined) recordedAtMs.delete(oldest)
  }

  return async ({ address, method, path }) => {
    const atMs = clock.nowMs()
    const monotonicMs = clock.monotonicMs()
    const lastMs = recordedAtMs.get(address)
    if (lastMs !== undefined && monotonicMs < lastMs + RECORD_INTERVAL_MS) return
    remember(address, monotonicMs)
    const what = {
      action: 'admin_token.use',
      subject: 'admin token',
      details: [`${method} ${path}`],
    } as const
    const author = { author: 'admin token', credential: 'admin token', address } as const
    try {
      if (await users.hasOwner()) await audit.append({ ...author, ...what, atMs })
      else recordedAtMs.delete(address)
    } catch (error) {
      recordedAtMs.delete(address)
      if (!isStoreFault(error)) throw error
      const use = `${method} ${path} from ${address}`
      warn(`the use of the admin token for ${use} is not in the audit: ${innerReasonOf(error)}`)
    }
  }
}
