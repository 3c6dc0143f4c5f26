// Joins people to their stores, and makes the link to the first owner.

import { createOperatorIdentity } from '../access/people/identify-operator.ts'
import { createPasswordHasher } from '../access/people/password.ts'
import { SignInThrottle } from '../access/people/sign-in-throttle.ts'
import { passwordsOnly, type SignInPolicy } from '../access/sign-on/sign-in-policy.ts'
import type { AdminTokenCheck } from '../admin/check-admin-token.ts'
import { isStoreFault } from '../admin/keys/unstored-keys.ts'
import { type AdmitOperator, createOperatorAdmission } from '../admin/people/admit-operator.ts'
import { createPeopleOperations, type PeopleOperations } from '../admin/people/people-operations.ts'
import { createBreakGlassRecord } from '../admin/people/record-break-glass.ts'
import { createSignOnOperations, type SignOnOperations } from '../admin/sign-on/sign-on-operations.ts'
import { innerReasonOf } from '../canonical/failure.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { type Random, systemRandom } from '../kit/random/random.ts'
import { type Clock, type ReportFault, systemClock, type Timer } from '../kit/time/clock.ts'
import { HOUR_MS } from '../kit/time/time-units.ts'
import { openIdentityProvider } from '../oidc/open-identity-provider.ts'
import type { FirstOwnerFile } from '../storage/files/secret-files.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import type { DataFolder, OpenKeys } from './open-data-folder.ts'

export interface People {
  readonly operations: PeopleOperations
  readonly signOn: SignOnOperations
  /** Admits requests by session and token, and by what the given check takes for the admin token. */
  admit(checkAdmin: AdminTokenCheck): AdmitOperator
  /** Fulfilled once no deletion is under way. */
  close(): Promise<void>
}

/** The stores and secrets that people of a server stand on. */
export interface PeopleSources extends Pick<PeopleOptions, 'keys' | 'secret'> {
  readonly folder: { readonly secrets: { readonly firstOwner: FirstOwnerFile } }
  readonly liveConfig: { readonly state: () => { readonly config: { readonly signIn: SignInPolicy } } }
  /** The state that other processes share with this one; undefined where there are none. */
  readonly shared: { readonly work: { readonly isMine: () => boolean } } | undefined
}

/** The operations of a process that serves. */
export function openServedPeople(
  { keys, secret, folder, liveConfig, shared }: PeopleSources,
  { clock, reportFault, warn }: Pick<PeopleOptions, 'clock' | 'reportFault' | 'warn'>,
): Promise<People> {
  return openPeople({
    keys,
    secret,
    firstOwner: folder.secrets.firstOwner,
    signIn: () => liveConfig.state().config.signIn,
    clock,
    random: systemRandom,
    reportFault,
    warn,
    mayDelete: shared?.work.isMine ?? (() => true),
  })
}

export interface PeopleOptions {
  readonly keys: Pick<OpenKeys, 'people' | 'registry' | 'operations' | 'audit'>
  /** The ways to sign in at this moment. */
  readonly signIn: () => SignInPolicy
  /** The secret that seals the shared secrets of second factors; undefined where nobody can sign in. */
  readonly secret: string | undefined
  readonly firstOwner: FirstOwnerFile
  readonly clock: Clock
  readonly random: Random
  readonly reportFault: ReportFault
  readonly warn: (message: string) => void
  /** Whether this process deletes what has ended, which one of several nodes does. */
  readonly mayDelete?: () => boolean
}

const MAINTENANCE_MS = HOUR_MS
/** The length of the secret that is made where none is needed. */
const UNUSED_SECRET_BYTES = 32

async function openPeople({
  keys,
  secret,
  signIn,
  firstOwner,
  clock,
  random,
  reportFault,
  warn,
  mayDelete = () => true,
}: PeopleOptions): Promise<People> {
  const { people: stores, registry } = keys
  // It has connections of its own, so that none waits behind a caller's, and makes them when a person signs in.
  const provider = openIdentityProvider(openUpstream(), clock)
  const context = {
    stores,
    hasher: createPasswordHasher(random),
    throttle: new SignInThrottle(await stores.failures.list(), clock),
    sealer: createSealer(secret ?? random.bytes(UNUSED_SECRET_BYTES).toString('hex'), random),
    clock,
    random,
    keys: registry.keys,
    changeKey: keys.operations.change,
    groups: registry.groups,
    signIn,
    provider,
    audit: keys.audit,
    onOwner: firstOwner.remove,
  }
  const identity = createOperatorIdentity({
    ...stores,
    clock,
    secondFactorRoles: () => signIn().secondFactorRoles,
  })
  const recordBreakGlass = createBreakGlassRecord({ users: stores.users, audit: keys.audit, clock, warn })
  const maintenance = new PeopleMaintenance({ stores, clock, reportFault, mayDelete })
  return {
    operations: createPeopleOperations(context),
    signOn: createSignOnOperations(context),
    admit: (checkAdmin) => createOperatorAdmission({ identity, checkAdmin, recordBreakGlass, clock }),
    async close() {
      await maintenance.stop()
      await provider.close()
    },
  }
}

interface MaintenanceOptions extends Pick<PeopleOptions, 'clock' | 'reportFault'> {
  readonly stores: Pick<OpenKeys['people'], 'sessions' | 'links' | 'authorizations'>
  readonly mayDelete: () => boolean
}

/** Deletes ended sessions, links and authorization requests every hour. */
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
    const { stores, clock, mayDelete } = this.#options
    if (!mayDelete()) return
    const nowMs = clock.nowMs()
    const { sessions, links, authorizations } = stores
    const deletions = [
      sessions.deleteEnded(nowMs),
      links.deleteExpired(nowMs),
      authorizations.deleteExpired(nowMs),
    ]
    for (const done of await Promise.allSettled(deletions)) {
      // A store that does not answer is asked again in an hour.
      if (done.status === 'rejected' && !isStoreFault(done.reason)) throw done.reason
    }
  }
}

/** The operations of a process that has the data folder to itself, such as a command without a server. */
export async function openLocalPeople(
  data: DataFolder,
  warn: (message: string) => void,
): Promise<Pick<People, 'operations' | 'signOn' | 'close'>> {
  const keys = await data.openKeys(undefined)
  const { firstOwner } = data.secrets
  const reportFault: ReportFault = (source, error) => warn(`${source}: ${innerReasonOf(error)}`)
  const system = { clock: systemClock, random: systemRandom, reportFault, warn }
  const { operations, signOn, close } = await openPeople({
    keys,
    secret: undefined,
    signIn: () => passwordsOnly,
    firstOwner,
    ...system,
  })
  return {
    operations,
    signOn,
    async close() {
      await close()
      await keys.close()
    },
  }
}
