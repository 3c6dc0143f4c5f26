// The objects that workers may call in the process that owns the files. Calls wait for objects that are not open yet.
import { OperatorError } from '../../canonical/operator-error.ts'
import type { CaptureStore } from '../../capture/capture-store.ts'
import { CallClient } from '../../kit/local-calls/call-client.ts'
import type { CalledObject } from '../../kit/local-calls/call-host.ts'
import { callable, callableFor, createRemoteObject } from '../../kit/local-calls/called-object.ts'
import { isListenedAt } from '../../kit/local-calls/is-listened-at.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import type { LazyStore } from '../../storage/lazy-store.ts'
import type { OpenedKeyStore, OpenedSealedStores } from '../../storage/open-key-store.ts'
import type { ClaimedCalls } from '../../storage/owner/claimed-calls.ts'
import type { OwnedMeter } from '../../storage/owner/owned-meter.ts'
import type { OwnerHandover } from '../../storage/owner/owner-handover.ts'
import { type OwnerStores, ownerMethods } from '../../storage/owner/owner-stores.ts'
import { ownerUnavailable, storeFaults } from '../../storage/owner/store-faults.ts'
import type { Succession } from './succession.ts'

const PREDECESSOR_WITHIN_MS = 500

export interface SealedForAll extends OpenedSealedStores {
  readonly claims: ClaimedCalls
}

export interface OwnerObjectsOptions {
  readonly stores: OpenedKeyStore
  readonly meter: OwnedMeter
  readonly reader: Pick<LedgerReader, 'usage' | 'rowsOf'>
  readonly requestLog: LazyStore<RequestLogStore>
  readonly captures: CaptureStore
  readonly sealed: Promise<SealedForAll>
  readonly checkSuccessor: Succession['checkSuccessor']
  /** Hands the files over to the calling process. */
  readonly giveUp: (process: string) => Promise<OwnerHandover>
}

type OwnerObjects = Readonly<Record<keyof OwnerStores, CalledObject>>

export function createOwnerObjects(options: OwnerObjectsOptions): OwnerObjects {
  const { meter, reader, requestLog, checkSuccessor, giveUp } = options
  return {
    ...smallStores(options.stores),
    ...sealedStores(options),
    requestLog: share('requestLog', { append: async (rows) => (await requestLog.open()).append(rows) }),
    reports: share('reports', {
      usage: (query) => reader.usage(query),
      rowsOf: (requestId) => reader.rowsOf(requestId),
    }),
    ledger: callableFor(
      (process): OwnerStores['ledger'] => ({
        load: () => meter.load(),
        commit: (epoch, batch) => meter.commit(batch, { epoch, process }),
      }),
      ownerMethods.ledger,
    ),
    meter: share('meter', {
      lease: (...args) => meter.lease(...args),
      readOthers: (...args) => meter.readOthers(...args),
      findTopValues: (...args) => meter.findTopValues(...args),
    }),
    nodes: share('nodes', meter.nodes),
    handover: callableFor(
      (process): OwnerStores['handover'] => ({
        async succeed(supervisor) {
          checkSuccessor(supervisor)
          return giveUp(process)
        },
      }),
      ownerMethods.handover,
    ),
  }
}

type SmallStore =
  | ('keys' | 'configVersions' | 'configDrafts' | 'health' | 'audit' | 'credits' | 'alerts')
  | ('certifications' | 'users' | 'sessions' | 'tokens' | 'links' | 'failures' | 'authorizations')

function smallStores({ store, people, ...stores }: OpenedKeyStore): Pick<OwnerObjects, SmallStore> {
  return {
    keys: share('keys', store),
    configVersions: share('configVersions', stores.configVersions),
    configDrafts: share('configDrafts', stores.configDrafts),
    health: share('health', stores.health),
    audit: share('audit', stores.audit),
    credits: share('credits', stores.credits),
    alerts: share('alerts', stores.alerts),
    certifications: share('certifications', stores.certifications),
    users: share('users', people.users),
    sessions: share('sessions', people.sessions),
    tokens: share('tokens', people.tokens),
    links: share('links', people.links),
    failures: share('failures', people.failures),
    authorizations: share('authorizations', people.authorizations),
  }
}

type SealedStore = 'storedResponses' | 'idempotency' | 'remoteObjects' | 'captures' | 'secrets'

/** The owner deletes old entries of its stores by itself. */
function sealedStores({ sealed, captures }: OwnerObjectsOptions): Pick<OwnerObjects, SealedStore> {
  return {
    storedResponses: share('storedResponses', {
      find: async (...args) => (await sealed).storedResponses.find(...args),
      findItems: async (...args) => (await sealed).storedResponses.findItems(...args),
      save: async (...args) => (await sealed).storedResponses.save(...args),
      prune: async () => undefined,
    }),
    idempotency: callableFor((process): OwnerStores['idempotency'] => {
      const store = async () => (await sealed).claims.storeFor(process)
      return {
        claim: async (...args) => (await store()).claim(...args),
        release: async (...args) => (await store()).release(...args),
        finish: async (...args) => (await store()).finish(...args),
        prune: async () => undefined,
      }
    }, ownerMethods.idempotency),
    remoteObjects: share('remoteObjects', {
      find: async (...args) => (await sealed).remoteObjects.find(...args),
      findRemote: async (...args) => (await sealed).remoteObjects.findRemote(...args),
      findStored: async (...args) => (await sealed).remoteObjects.findStored(...args),
      list: async (...args) => (await sealed).remoteObjects.list(...args),
      add: async (...args) => (await sealed).remoteObjects.add(...args),
      update: async (...args) => (await sealed).remoteObjects.update(...args),
      delete: async (...args) => (await sealed).remoteObjects.delete(...args),
      findDue: async (...args) => (await sealed).remoteObjects.findDue(...args),
      prune: async (...args) => (await sealed).remoteObjects.prune(...args),
    }),
    captures: share('captures', { ...captures, prune: async () => undefined }),
    secrets: share('secrets', { captureKey: async () => (await sealed).captureKey }),
  }
}

function share<Name extends keyof OwnerStores>(name: Name, object: OwnerStores[Name]): CalledObject {
  return callable(object, ownerMethods[name])
}

/**
 * Asks the process that owns the data folder, if there is one, to give up the folder. Throws `OperatorError` where it
 * belongs to another supervisor.
 */
export async function askPredecessor(path: string, supervisor: string): Promise<OwnerHandover | undefined> {
  // A killed process leaves its socket file, on which nothing listens. The check is fast, since callers are waiting.
  if (!(await isListenedAt(path))) return undefined
  const client = new CallClient({
    path,
    process: `successor ${process.pid}`,
    clock: systemClock,
    faults: storeFaults,
    unavailable: ownerUnavailable,
    onEvent: () => undefined,
    onConnectedAnew: () => undefined,
    firstWithinMs: PREDECESSOR_WITHIN_MS,
  })
  type Predecessor = OwnerStores['handover']
  const predecessor = createRemoteObject<Predecessor>(client, 'handover', ownerMethods.handover)
  try {
    return await predecessor.succeed(supervisor)
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'data_folder_in_use') throw error
    // The predecessor has ended, or does not answer. A process of another version may not support the call.
    return undefined
  } finally {
    client.close()
  }
}
