// Joins people to their stores, and makes the link to the first owner.

import { createOperatorIdentity, type OperatorIdentity } from '../access/people/identify-operator.ts'
import { createPasswordHasher } from '../access/people/password.ts'
import { createSignInThrottle } from '../access/people/sign-in-throttle.ts'
import { isStoreFault } from '../admin/keys/unstored-keys.ts'
import { createPeopleOperations, type PeopleOperations } from '../admin/people/people-operations.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import { type Random, systemRandom } from '../kit/values/random.ts'
import type { FirstOwnerFile } from '../storage/files/secret-files.ts'
import type { DataFolder, OpenKeys } from './open-data-folder.ts'

export interface People {
  readonly operations: PeopleOperations
  readonly identity: OperatorIdentity
  close(): void
}

export interface PeopleOptions {
  readonly keys: Pick<OpenKeys, 'people' | 'registry' | 'operations'>
  /** The secret that seals the shared secrets of second factors; undefined where nobody can sign in. */
  readonly secret: string | undefined
  readonly firstOwner: FirstOwnerFile
  readonly clock: Clock
  readonly random: Random
}

const UPKEEP_MS = 3_600_000
/** A secret for where none is needed. */
const UNUSED_SECRET_BYTES = 32

export async function openPeople({
  keys,
  secret,
  firstOwner,
  clock,
  random,
}: PeopleOptions): Promise<People> {
  const { people: stores, registry } = keys
  const operations = createPeopleOperations({
    stores,
    hasher: createPasswordHasher(random),
    throttle: createSignInThrottle(await stores.failures.list(), clock),
    sealer: createSealer(secret ?? random.bytes(UNUSED_SECRET_BYTES).toString('hex'), random),
    clock,
    random,
    keys: registry.keys,
    changeKey: keys.operations.change,
    groups: registry.groups,
    onOwner: firstOwner.remove,
  })
  const upkeep = startUpkeep(stores, clock)
  return { operations, identity: createOperatorIdentity({ ...stores, clock }), close: upkeep.cancel }
}

/** Deletes ended sessions and links every hour. */
function startUpkeep({ sessions, links }: OpenKeys['people'], clock: Clock): { readonly cancel: () => void } {
  const timer = clock.startTimer(UPKEEP_MS, () => {
    timer.restart()
    const nowMs = clock.nowMs()
    for (const done of [sessions.deleteEnded(nowMs), links.deleteExpired(nowMs)])
      done.catch((error: unknown) => {
        // Where the store does not answer, the next hour will do.
        if (!isStoreFault(error)) throw error
      })
  })
  return timer
}

/** The operations of a process that has the data folder to itself, such as a command without a server. */
export async function openLocalPeople(
  data: DataFolder,
): Promise<{ readonly operations: PeopleOperations; close(): Promise<void> }> {
  const keys = await data.openKeys(undefined)
  const { firstOwner } = data.secrets
  const system = { clock: systemClock, random: systemRandom }
  const { operations, close } = await openPeople({ keys, secret: undefined, firstOwner, ...system })
  return {
    operations,
    close() {
      close()
      return keys.close()
    },
  }
}
