// The data folder in the process that owns it. Workers of this machine use the folder through a socket of this process.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CaptureStore } from '../../capture/capture-store.ts'
import type { Config } from '../../config/config.ts'
import { CallHost } from '../../kit/local-calls/call-host.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { type Clock, systemClock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import { LazyStore } from '../../storage/lazy-store.ts'
import { ledgerThread, type OwnedLedgerFile, openLedger } from '../../storage/ledger/open-ledger.ts'
import { createLedgerReader, type OpenLedgerReader } from '../../storage/ledger/open-ledger-reader.ts'
import { createCaptureFile } from '../../storage/open-capture-store.ts'
import { type OwnedKeyStore, openKeyStore } from '../../storage/open-key-store.ts'
import { announceChanges } from '../../storage/owner/announce-changes.ts'
import { ClaimedCalls } from '../../storage/owner/claimed-calls.ts'
import { OwnedMeter } from '../../storage/owner/owned-meter.ts'
import { type OwnerHandover, usersOf } from '../../storage/owner/owner-handover.ts'
import { findOwnerSocket } from '../../storage/owner/owner-socket.ts'
import { storeFaults } from '../../storage/owner/store-faults.ts'
import type { ChangeTopic } from '../../storage/postgres/change-feed.ts'
import { openRequestLog } from '../../storage/request-log/open-request-log.ts'
import { sqliteThread } from '../../storage/sqlite/open-sqlite.ts'
import { loadThread } from '../../storage/sqlite/program-thread.ts'
import { deleteSpools } from '../../uploads/open-spool.ts'
import { fingerprintAtStart } from '../nodes/fingerprint-file.ts'
import type { OpenFolder } from '../nodes/open-folder.ts'
import { createProcessBus, type LocalBus } from '../nodes/process-bus.ts'
import { idleFigures, SharedNode } from '../nodes/shared-node.ts'
import { evenShares, type SharedState } from '../nodes/shared-state.ts'
import { joinKeys, type MeteringStores, openDataFolder } from '../open-data-folder.ts'
import { HeldValues } from './held-values.ts'
import { askPredecessor, createOwnerObjects, type SealedForAll } from './owner-objects.ts'
import type { Succession } from './succession.ts'

export interface OwnerFolderOptions {
  readonly version: string
  /** The number of workers among which callers' requests are distributed. */
  readonly workers: number
  /** Ends all work of this process with the files, before another process takes them over. */
  readonly onSuccessor: () => Promise<void>
  readonly succession: Succession
  /** The system's clock by default. */
  readonly clock?: Clock
}

export interface OwnerFolder extends OpenFolder {
  readonly bus: LocalBus
  /** Fulfilled when no worker is connected. */
  usersGone(): Promise<void>
}

const ORPHANS_AFTER_RESTART_MS = MINUTE_MS
/** The time after which a process that used the previous owner but is not connected to this one is considered dead. */
const MISSING_AFTER_MS = 5_000
const OWN_ID = 'owner'
const BUS = 'bus:'
/** The topics that a process must not miss while it changes from one owner to the next. */
const repeated = new Set(['health', 'reset-health', 'reasoning'].map((topic) => `${BUS}${topic}`))
const NEED = 'need'
const CHANGE = 'change:'
export const ownerTopics = { bus: BUS, need: NEED, change: CHANGE } as const

export async function openOwnerFolder(config: Config, options: OwnerFolderOptions): Promise<OwnerFolder> {
  const { dataFolder } = config
  const { clock = systemClock } = options
  const path = findOwnerSocket(dataFolder)
  // A process that ends normally removes the socket file. If it does not exist, no worker of an earlier owner is
  // running.
  const isFirst = !existsSync(path)
  await using cleanup = new AsyncDisposableStack()
  // Callers wait from the time when the predecessor gives up the files, so the threads are loaded before.
  const threads = await Promise.all([loadThread(sqliteThread), loadThread(ledgerThread)])
  cleanup.defer(async () => void (await Promise.all(threads.map((thread) => thread.release()))))
  const handover = isFirst ? undefined : await askPredecessor(path, options.succession.supervisor)
  const stores = await openKeyStore(dataFolder, threads[0])
  cleanup.defer(() => stores.close())
  if (isFirst) deleteSpools(join(dataFolder, 'uploads'))
  const onDiskFault = (reason: string) => owner.onDiskFault(reason)
  const file = await openLedger({ dataFolder, onDiskFault, loaded: threads[1] })
  cleanup.defer(() => file.close())
  const meter = new OwnedMeter({
    file,
    clock,
    earlierOrphansAfterMs: isFirst ? 0 : ORPHANS_AFTER_RESTART_MS,
  })
  await meter.open(handover)
  const owner = new Owner(config, { ...options, clock, path, stores, file, meter, handover })
  await owner.start()
  cleanup.move()
  return owner.folder()
}

interface OwnerParts extends OwnerFolderOptions {
  readonly clock: Clock
  readonly path: string
  readonly stores: OwnedKeyStore
  readonly file: OwnedLedgerFile
  readonly meter: OwnedMeter
  /** The state of the previous owner; undefined if it has died, or if there was none. */
  readonly handover: OwnerHandover | undefined
}

class Owner {
  readonly #config: Config
  readonly #parts: OwnerParts
  readonly #server: CallHost
  readonly #bus: LocalBus
  readonly #held: HeldValues
  readonly #node: SharedNode
  readonly #sealed = Promise.withResolvers<SealedForAll>()
  readonly #requestLog: LazyStore<RequestLogStore>
  readonly #captures: CaptureStore
  readonly #reader: OpenLedgerReader
  #claims: ClaimedCalls | undefined
  #onNeed: (counter: string) => void = () => undefined
  #onFault: (reason: string) => void = () => undefined
  #isSucceeded = false

  constructor(config: Config, parts: OwnerParts) {
    const { path, meter, version, stores, clock, handover } = parts
    this.#config = config
    this.#parts = parts
    this.#requestLog = new LazyStore(() => openRequestLog(config.dataFolder))
    this.#captures = createCaptureFile(config.dataFolder)
    this.#reader = createLedgerReader(config.dataFolder)
    this.#server = new CallHost({
      path,
      faults: storeFaults,
      clock,
      objects: createOwnerObjects({
        meter,
        reader: this.#reader,
        requestLog: this.#requestLog,
        captures: this.#captures,
        stores: announceChanges(stores, this.#announce),
        sealed: this.#sealed.promise,
        checkSuccessor: parts.succession.checkSuccessor,
        giveUp: (process) => this.#giveUp(process),
      }),
      onGone: (process) => void this.#gone(process),
      onPublished: (topic, value) => this.#hear(topic, value),
      isRepeated: (topic) => repeated.has(topic),
      earlier: handover?.published ?? [],
    })
    this.#bus = createProcessBus((topic, value) => this.#server.publish(`${BUS}${topic}`, value))
    this.#held = new HeldValues(this.#bus)
    this.#node = new SharedNode({
      nodes: meter.nodes,
      clock,
      version,
      secrets: {},
      id: OWN_ID,
      atStart: { ...idleFigures, fileFingerprint: fingerprintAtStart(config) },
    })
  }

  async start(): Promise<void> {
    await this.#node.join()
    await this.#server.listen()
    const { handover, clock } = this.#parts
    if (handover !== undefined) clock.startTimer(MISSING_AFTER_MS, () => this.#endMissing(usersOf(handover)))
  }

  /** Ends what processes left that have died while no owner could see it. */
  #endMissing(users: ReadonlySet<string>): void {
    for (const process of users)
      if (process !== OWN_ID && !this.#server.isConnected(process)) void this.#gone(process)
  }

  readonly #announce = (topic: ChangeTopic): Promise<void> =>
    this.#server.announce(`${CHANGE}${topic}`, undefined)

  onDiskFault(reason: string): void {
    this.#onFault(reason)
  }

  folder(): OwnerFolder {
    const { dataFolder } = this.#config
    const system = { clock: systemClock, random: systemRandom }
    const { pepper } = this.#config.file.environment
    const folder = openDataFolder(dataFolder, { ...system, pepper })
    return {
      bus: this.#bus,
      shared: this.#shared(),
      usersGone: () => this.#server.deserted(),
      folder: {
        ...folder,
        openRequests: async () => ({
          ...(await this.#requestLog.open()),
          close: async () => undefined,
        }),
        openCaptures: () => ({ ...this.#captures, close: async () => undefined }),
        openMetering: async (onDiskFault) => {
          this.#onFault = onDiskFault
          return this.#metering()
        },
        openKeys: async (bootstrapKeys) => {
          const announced = announceChanges(this.#parts.stores, this.#announce)
          const { store, close: _close, openSealedStores, ...others } = announced
          const { checkPepper } = this.#parts.stores
          const input = { store, secrets: folder.secrets, options: system, bootstrapKeys, checkPepper }
          const keys = await joinKeys({ ...input, close: () => this.#close() })
          return {
            ...keys,
            ...others,
            openSealedStores: async (sealing) => {
              const opened = await openSealedStores(sealing)
              const claims = new ClaimedCalls(opened.idempotency, this.#parts.handover?.claims)
              this.#claims = claims
              this.#sealed.resolve({ ...opened, claims })
              return { ...opened, idempotency: claims.storeFor(OWN_ID) }
            },
          }
        },
      },
    }
  }

  #shared(): SharedState {
    const { meter, workers } = this.#parts
    const node = this.#node
    return {
      store: 'sqlite',
      node,
      nodes: meter.nodes,
      meterStore: meter,
      ledger: {
        load: () => meter.load(),
        commit: (batch) => meter.commit(batch, { epoch: node.epoch(), process: node.id }),
        findOrphans: () => meter.findOrphans(),
      },
      rateShares: evenShares,
      work: { isMine: () => true, mayGoOn: () => true },
      bus: undefined,
      servingCount: () => workers,
      calls: { announceNeed: () => undefined },
      openFeed: ({ onNeed }) => {
        this.#onNeed = onNeed
        return {
          start: async () => this.#held.open(),
          stop: async () => undefined,
          announceNeed: (counters) => {
            for (const counter of counters) this.#server.publish(NEED, counter)
          },
        }
      },
    }
  }

  #metering(): MeteringStores {
    const { file } = this.#parts
    const { ledger } = this.#shared()
    return {
      store: {
        load: ledger.load,
        commit: ledger.commit,
        maintain: file.maintain,
        copyTo: file.copyTo,
        // Workers use the store until the end, so it is not closed here.
        close: async () => undefined,
      },
      reader: { ...this.#reader, close: async () => undefined },
    }
  }

  async #gone(process: string): Promise<void> {
    if (this.#isSucceeded) return
    this.#parts.meter.gone(process)
    const { claims } = await this.#sealed.promise
    claims.gone(process)
  }

  #hear(topic: string, value: unknown): void {
    if (topic === NEED && typeof value === 'string') this.#onNeed(value)
    else if (topic.startsWith(BUS)) this.#held.deliver(topic.slice(BUS.length), value)
  }

  /** Hands the files over to a newly started process, with the state that is only in memory. */
  async #giveUp(successor: string): Promise<OwnerHandover> {
    this.#isSucceeded = true
    await this.#server.pause(successor)
    await this.#parts.onSuccessor()
    const claims = this.#claims?.handover(OWN_ID) ?? this.#parts.handover?.claims ?? []
    return { ...this.#parts.meter.handover(), claims, published: this.#server.unheard() }
  }

  async #close(): Promise<void> {
    if (!this.#isSucceeded) await this.#server.pause()
    await this.#node.leave()
    const { stores, file } = this.#parts
    await this.#reader.close()
    await this.#requestLog.close()
    await this.#captures.close()
    await file.close()
    await stores.close()
  }
}
