// The data folder in a worker. Every store is called in the process that owns the files.
import { OperatorError } from '../../canonical/operator-error.ts'
import type { Config } from '../../config/config.ts'
import { CallClient } from '../../kit/local-calls/call-client.ts'
import { createRemoteObject } from '../../kit/local-calls/called-object.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock, type Timer } from '../../kit/time/clock.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import { createSecretFiles } from '../../storage/files/secret-files.ts'
import { createWorkerServerFile } from '../../storage/files/server-file.ts'
import type { OpenedKeyStore, OpenedSealedStores } from '../../storage/open-key-store.ts'
import { findOwnerSocket } from '../../storage/owner/owner-socket.ts'
import { type OwnerStores, ownerMethods } from '../../storage/owner/owner-stores.ts'
import { ownerUnavailable, storeFaults } from '../../storage/owner/store-faults.ts'
import { WorkerClaims } from '../../storage/owner/worker-claims.ts'
import type { ChangeTopic } from '../../storage/postgres/change-feed.ts'
import { fingerprintAtStart } from '../nodes/fingerprint-file.ts'
import type { OpenFolder } from '../nodes/open-folder.ts'
import { createProcessBus, type LocalBus } from '../nodes/process-bus.ts'
import { idleFigures, SharedNode } from '../nodes/shared-node.ts'
import { evenShares, type SharedFeedOptions, type SharedState } from '../nodes/shared-state.ts'
import { type DataFolder, joinKeys, type MeteringStores } from '../open-data-folder.ts'
import { HeldValues } from './held-values.ts'
import { ownerTopics } from './open-owner-folder.ts'

export interface WorkerFolderOptions {
  readonly version: string
  /** The name of this process in the installation. */
  readonly id: string
  readonly workers: number
}

export interface WorkerFolder extends OpenFolder {
  readonly bus: LocalBus
}

/** Connects to the process that owns the files, and joins the shared state. */
export async function openWorkerFolder(config: Config, options: WorkerFolderOptions): Promise<WorkerFolder> {
  const worker = new Worker(config, options)
  await worker.join()
  return worker.folder()
}

const topics: readonly ChangeTopic[] = ['keys', 'config_versions', 'credit_grants', 'budget_changes']

/** The time after which a change that could not be read is read again. */
const REREAD_AFTER_MS = 1_000

class Worker {
  readonly #config: Config
  readonly #options: WorkerFolderOptions
  readonly #client: CallClient
  readonly #bus: LocalBus
  readonly #held: HeldValues
  readonly #node: SharedNode
  readonly #claims: WorkerClaims
  readonly #rereads = new Map<ChangeTopic, Timer>()
  #feed: SharedFeedOptions | undefined

  constructor(config: Config, options: WorkerFolderOptions) {
    const { version, id } = options
    this.#config = config
    this.#options = options
    this.#client = new CallClient({
      path: findOwnerSocket(config.dataFolder),
      process: id,
      clock: systemClock,
      faults: storeFaults,
      unavailable: ownerUnavailable,
      onEvent: (topic, value) => this.#onEvent(topic, value),
      onConnectedAnew: (how) => this.#onConnectedAnew(how),
    })
    this.#claims = new WorkerClaims(this.#remote('idempotency'))
    this.#bus = createProcessBus((topic, value) => this.#client.publish(`${ownerTopics.bus}${topic}`, value))
    this.#held = new HeldValues(this.#bus)
    this.#node = new SharedNode({
      nodes: this.#remote('nodes'),
      clock: systemClock,
      version,
      secrets: {},
      id,
      atStart: { ...idleFigures, fileFingerprint: fingerprintAtStart(config) },
    })
  }

  join(): Promise<void> {
    return this.#node.join()
  }

  folder(): WorkerFolder {
    return {
      bus: this.#bus,
      shared: this.#shared(),
      folder: this.#dataFolder(),
    }
  }

  #remote<Name extends keyof OwnerStores>(name: Name): OwnerStores[Name] {
    return createRemoteObject<OwnerStores[Name]>(this.#client, name, ownerMethods[name])
  }

  #dataFolder(): DataFolder {
    const { dataFolder } = this.#config
    const system = { clock: systemClock, random: systemRandom }
    const files = createSecretFiles(dataFolder, systemRandom)
    return {
      // The owner has already resealed everything that an earlier secret sealed.
      secrets: { ...files, earlierSealingSecrets: () => [], dropEarlierSealingSecret: () => undefined },
      server: createWorkerServerFile(dataFolder, systemRandom),
      isInUse: () => true,
      openRequests: async () => this.#requestLog(),
      openCaptures: () => ({ ...this.#remote('captures'), close: async () => undefined }),
      openLedger: refuse,
      openMetering: async () => this.#metering(),
      openKeys: async () => {
        const { store, ...stores } = this.#stores()
        const keys = await joinKeys({
          store,
          secrets: files,
          options: system,
          bootstrapKeys: undefined,
          close: async () => {
            await this.#node.leave()
            this.#client.close()
          },
        })
        return { ...keys, ...stores }
      },
    }
  }

  #stores(): Omit<OpenedKeyStore, 'close'> {
    const none = async () => 0
    return {
      store: this.#remote('keys'),
      configVersions: { ...this.#remote('configVersions'), rewrite: none },
      configDrafts: { ...this.#remote('configDrafts'), rewrite: none },
      health: this.#remote('health'),
      audit: this.#remote('audit'),
      credits: this.#remote('credits'),
      alerts: this.#remote('alerts'),
      certifications: this.#remote('certifications'),
      people: {
        users: this.#remote('users'),
        sessions: this.#remote('sessions'),
        tokens: this.#remote('tokens'),
        links: this.#remote('links'),
        failures: this.#remote('failures'),
        authorizations: this.#remote('authorizations'),
      },
      copyTo: refuse,
      openSealedStores: () => this.#sealedStores(),
    }
  }

  async #sealedStores(): Promise<OpenedSealedStores> {
    const captureKey = await this.#remote('secrets').captureKey()
    return {
      storedResponses: this.#remote('storedResponses'),
      idempotency: this.#claims,
      remoteObjects: this.#remote('remoteObjects'),
      sealedBy: 'opened',
      captureKey: { bytes: Buffer.from(captureKey.bytes), state: 'opened' },
    }
  }

  #shared(): SharedState {
    const { workers } = this.#options
    const node = this.#node
    const ledger = this.#remote('ledger')
    return {
      store: 'sqlite',
      node,
      nodes: this.#remote('nodes'),
      meterStore: this.#remote('meter'),
      ledger: {
        load: () => ledger.load(),
        commit: (batch) => ledger.commit(node.epoch(), batch),
        // The owner settles the open attempts of dead processes.
        findOrphans: async () => [],
      },
      rateShares: evenShares,
      work: { isMine: () => false, mayGoOn: () => false },
      bus: undefined,
      servingCount: () => workers,
      calls: { announceNeed: () => undefined },
      openFeed: (feed) => {
        this.#feed = feed
        return {
          start: async () => this.#held.open(),
          stop: async () => {
            this.#feed = undefined
          },
          announceNeed: (counters) => {
            for (const counter of counters) this.#client.publish(ownerTopics.need, counter)
          },
        }
      },
    }
  }

  #metering(): MeteringStores {
    const { ledger } = this.#shared()
    const reports = this.#remote('reports')
    return {
      store: {
        load: ledger.load,
        commit: ledger.commit,
        copyTo: refuse,
        maintain: async () => ({ hasMore: false }),
        close: async () => undefined,
      },
      reader: {
        usage: reports.usage,
        rows: refuse,
        rowsOf: reports.rowsOf,
        verify: refuse,
        export: refuseExport,
        readAhead: async () => undefined,
        close: async () => undefined,
      },
    }
  }

  #requestLog(): RequestLogStore {
    const log = this.#remote('requestLog')
    return {
      append: (rows) => log.append(rows),
      page: refuse,
      find: refuse,
      callers: refuse,
      traffic: refuse,
      copyTo: refuse,
      prune: async () => ({ hasMore: false }),
      close: async () => undefined,
    }
  }

  async #onEvent(topic: string, value: unknown): Promise<void> {
    const { bus, need, change } = ownerTopics
    if (topic === need && typeof value === 'string') this.#feed?.onNeed(value)
    else if (topic.startsWith(bus)) this.#held.deliver(topic.slice(bus.length), value)
    else {
      const changed = topics.find((each) => topic === `${change}${each}`)
      if (changed !== undefined) await this.#follow(changed)
    }
  }

  /** Reads a change. If that fails, this process has the state from before, so it reads again later. */
  async #follow(topic: ChangeTopic): Promise<void> {
    this.#rereads.get(topic)?.cancel()
    try {
      await this.#feed?.onChange(topic)
    } catch {
      // The reader of changes has logged the failure.
      this.#rereads.set(
        topic,
        systemClock.startTimer(REREAD_AFTER_MS, () => void this.#follow(topic)),
      )
    }
  }

  /** An owner that ended unexpectedly has lost all leases. */
  #onConnectedAnew(how: 'handed-over' | 'lost'): void {
    this.#claims.renew()
    if (how === 'lost') this.#node.restart()
    this.#feed?.onBack()
    for (const topic of topics) void this.#follow(topic)
  }
}

async function refuse(): Promise<never> {
  throw new OperatorError('server_not_running', 'only the process that owns the data folder can do this')
}

async function* refuseExport(): ReturnType<LedgerReader['export']> {
  yield await refuse()
}
