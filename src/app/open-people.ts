// Connects people with their stores, and creates the link for the first owner.

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
  /** Admits requests by session and token, and by the admin token, which `checkAdmin` checks. */
  admit(checkAdmin: AdminTokenCheck): AdmitOperator
  /** Fulfilled when no deletion is in progress. */
  close(): Promise<void>
}

/** The stores and secrets for the people of a server. */
export interface PeopleSources extends Pick<PeopleOptions, 'keys' | 'secret'> {
  readonly folder: { readonly secrets: { readonly firstOwner: FirstOwnerFile } }
  readonly liveConfig: { readonly state: () => { readonly config: { readonly signIn: SignInPolicy } } }
  /** The state that other processes share with this one; undefined if there are no other processes. */
  readonly shared: { readonly work: { readonly isMine: () => boolean } } | undefined
}

/** Opens the operations for a process that serves. */
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
  /** The current ways to sign in. */
  readonly signIn: () => SignInPolicy
  /** The secret that seals the shared secrets of second factors; undefined if sign-in is disabled. */
  readonly secret: string | undefined
  readonly firstOwner: FirstOwnerFile
  readonly clock: Clock
  readonly random: Random
  readonly reportFault: ReportFault
  readonly warn: (message: string) => void
  /** Whether this process deletes ended items. Only one of several nodes does. */
  readonly mayDelete?: () => boolean
}

const MAINTENANCE_MS = HOUR_MS
/** The length of the random secret that is created if none is needed. */
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
  // The provider has its own connections, so that a sign-in never waits for callers' requests. They are opened when a
  // person signs in.
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

  /** Stops further deletions and waits for the one in progress. The store can then be closed. */
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
      // If the store does not answer, the next attempt is in an hour.
      if (done.status === 'rejected' && !isStoreFault(done.reason)) throw done.reason
    }
  }
}

/**
 * Opens the operations for a process that is the only one to use the data folder, such as a command without a server.
 */
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
