// Joins people to their stores, and makes the link to the first owner.

import { createOperatorIdentity } from '../access/people/identify-operator.ts'
import { createPasswordHasher } from '../access/people/password.ts'
import { createSignInThrottle } from '../access/people/sign-in-throttle.ts'
import type { AdminTokenCheck } from '../admin/check-admin-token.ts'
import { isStoreFault } from '../admin/keys/unstored-keys.ts'
import { type AdmitOperator, createOperatorAdmission } from '../admin/people/admit-operator.ts'
import { createPeopleOperations, type PeopleOperations } from '../admin/people/people-operations.ts'
import { createBreakGlassRecord } from '../admin/people/record-break-glass.ts'
import { innerReasonOf } from '../canonical/failure.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { type Random, systemRandom } from '../kit/random/random.ts'
import { type Clock, type ReportFault, systemClock, type Timer } from '../kit/time/clock.ts'
import { HOUR_MS } from '../kit/time/time-units.ts'
import type { FirstOwnerFile } from '../storage/files/secret-files.ts'
import type { DataFolder, OpenKeys } from './open-data-folder.ts'

export interface People {
  readonly operations: PeopleOperations
  /** Admits requests by session and token, and by what the given check takes for the admin token. */
  admit(checkAdmin: AdminTokenCheck): AdmitOperator
  /** Fulfilled once no deletion is under way. */
  close(): Promise<void>
}

export interface PeopleOptions {
  readonly keys: Pick<OpenKeys, 'people' | 'registry' | 'operations' | 'audit'>
  /** The secret that seals the shared secrets of second factors; undefined where nobody can sign in. */
  readonly secret: string | undefined
  readonly firstOwner: FirstOwnerFile
  readonly clock: Clock
  readonly random: Random
  readonly reportFault: ReportFault
  readonly warn: (message: string) => void
}

const MAINTENANCE_MS = HOUR_MS
/** The length of the secret that is made where none is needed. */
const UNUSED_SECRET_BYTES = 32

export async function openPeople({
  keys,
  secret,
  firstOwner,
  clock,
  random,
  reportFault,
  warn,
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
  const identity = createOperatorIdentity({ ...stores, clock })
  const recordBreakGlass = createBreakGlassRecord({ users: stores.users, audit: keys.audit, clock, warn })
  const maintenance = new PeopleMaintenance({ stores, clock, reportFault })
  return {
    operations,
    admit: (checkAdmin) => createOperatorAdmission({ identity, checkAdmin, recordBreakGlass, clock }),
    close: () => maintenance.stop(),
  }
}

interface MaintenanceOptions extends Pick<PeopleOptions, 'clock' | 'reportFault'> {
  readonly stores: Pick<OpenKeys['people'], 'sessions' | 'links'>
}

/** Deletes ended sessions and links every hour. */
class PeopleMaintenance {
  readonly #options: MaintenanceOptions
  readonly #timer: Timer
  #deletion: Promise<void> = Promise.resolve()

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#timer = options.clock.startTimer(MAINTENANCE_MS, () => {
      this.#timer.restart()
      this.#deletion = this.#delete().catch((error) => options.reportFault('maintenance of people', error))
    })
  }

  /** Deletes no more, and waits for the deletion under way: the store can then be closed. */
  async stop(): Promise<void> {
    this.#timer.cancel()
    await this.#deletion
  }

  async #delete(): Promise<void> {
    const { stores, clock } = this.#options
    const nowMs = clock.nowMs()
    const { sessions, links } = stores
    for (const done of await Promise.allSettled([sessions.deleteEnded(nowMs), links.deleteExpired(nowMs)])) {
      // A store that does not answer is asked again in an hour.
      if (done.status === 'rejected' && !isStoreFault(done.reason)) throw done.reason
    }
  }
}

/** The operations of a process that has the data folder to itself, such as a command without a server. */
export async function openLocalPeople(
  data: DataFolder,
  warn: (message: string) => void,
): Promise<{ readonly operations: PeopleOperations; close(): Promise<void> }> {
  const keys = await data.openKeys(undefined)
  const { firstOwner } = data.secrets
  const reportFault: ReportFault = (source, error) => warn(`${source}: ${innerReasonOf(error)}`)
  const system = { clock: systemClock, random: systemRandom, reportFault, warn }
  const { operations, close } = await openPeople({ keys, secret: undefined, firstOwner, ...system })
  return {
    operations,
    async close() {
      await close()
      await keys.close()
    },
  }
}
