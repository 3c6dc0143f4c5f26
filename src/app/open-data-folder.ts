// Opens the stores of the data folder, for the server and for commands without a server.
import { createSecretKey } from 'node:crypto'
import { join } from 'node:path'
import { digestSecret } from '../access/digest-secret.ts'
import type { Key, KeyId } from '../access/key.ts'
import { createKeyRegistry, type KeyRegistry } from '../access/key-registry.ts'
import type { BootstrapKey } from '../access/key-schema.ts'
import type { KeyStore } from '../access/key-store.ts'
import { KeyUses } from '../access/key-uses.ts'
import type { KeyWarning } from '../access/key-warning.ts'
import { makeBootstrapKey } from '../access/make-key.ts'
import {
  createKeyOperations,
  type OwnKeyOperations,
  type PreviewKeyChange,
  type ReadKeyCosts,
} from '../admin/keys/manage-keys.ts'
import type { Actor } from '../canonical/audit.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import type { CaptureMode } from '../capture/capture-schema.ts'
import type { CaptureStore } from '../capture/capture-store.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { LedgerReader } from '../metering/ledger-reader.ts'
import type { RequestLogStore } from '../request-log/request-log-store.ts'
import { createSecretFiles, type SecretFiles } from '../storage/files/secret-files.ts'
import { createServerFile, type NamedServer, type ServerFile } from '../storage/files/server-file.ts'
import { readSharedMark, type SharedMark } from '../storage/files/shared-mark.ts'
import { ledgerThread, type OpenLedger, openLedger } from '../storage/ledger/open-ledger.ts'
import { createLedgerReader, type OpenLedgerReader } from '../storage/ledger/open-ledger-reader.ts'
import { createCaptureFile } from '../storage/open-capture-store.ts'
import { type OpenedKeyStore, type OwnedKeyStore, openKeyStore } from '../storage/open-key-store.ts'
import { openRequestLog, requestLogThread } from '../storage/request-log/open-request-log.ts'
import { sqliteThread } from '../storage/sqlite/open-sqlite.ts'
import type { ThreadSource } from '../storage/sqlite/program-thread.ts'
import { SharedThreads } from '../storage/sqlite/shared-threads.ts'
import { isSqliteFileInUse } from '../storage/sqlite/sqlite-file.ts'

export { type NamedServer, readSharedMark, type SharedMark, type SharedThreads }

export interface DataFolder {
  readonly secrets: SecretFiles
  readonly server: ServerFile
  /**
   * Acquires the database and brings its tables up to date. `bootstrapKeys` are the keys of the configuration.
   * Undefined leaves those of the last start unchanged. Fails with a one-line error if the folder cannot be used.
   */
  openKeys(bootstrapKeys: readonly BootstrapKey[] | undefined): Promise<OpenKeys>
  /** Whether a process has acquired `headgate.db`. */
  isInUse(): boolean
  /** Acquires the stored request log, to read it without a server. */
  openRequests(): Promise<RequestLogStore>
  /** Opens the captures. Nothing is created before the first capture. */
  openCaptures(): CaptureStore
  /** Acquires the folder, to read its ledger without a server. */
  openLedger(): Promise<OwnedLedger>
  /** Opens the ledger for the server. `onDiskFault` is called when the ledger can no longer be written. */
  openMetering(onDiskFault: (reason: string) => void): Promise<MeteringStores>
}

export interface MeteringStores {
  readonly store: OpenLedger
  /** Reads the ledger for reports. */
  readonly reader: OpenLedgerReader
}

export interface OwnedLedger {
  readonly reader: LedgerReader
  close(): Promise<void>
}

/** The stores of `headgate.db`, with the keys in memory. */
export interface OpenKeys extends Omit<OpenedKeyStore, 'store'> {
  readonly registry: KeyRegistry
  readonly operations: OwnKeyOperations
  /** Sets the function for the warnings in views of a key. */
  warnBy(warningsOf: (key: Key) => readonly KeyWarning[]): void
  /** Sets the function for the capture mode in views of a key. */
  captureBy(captureOf: (key: Key) => CaptureMode): void
  /** Digests a secret issued by Headgate. Only digests of such secrets are stored. */
  digest(secret: string): string
  /** Sets the source for the month's cost in lists of keys. */
  costBy(readCosts: ReadKeyCosts): void
  /** Sets the function that previews changed terms of a key. */
  previewBy(previewChange: PreviewKeyChange): void
  /** Stores the times at which keys were last used, and returns those that have changed. */
  saveUses(): Promise<ReadonlyMap<KeyId, number>>
  /**
   * Replaces the keys of the configuration file. Resolves when that is durable. The returned function applies the
   * change to requests.
   */
  replaceBootstrap(keys: readonly BootstrapKey[]): Promise<() => void>
}

export interface DataFolderOptions {
  readonly clock: Clock
  readonly random: Random
  /** The pepper of the environment, as hex digits. */
  readonly pepper?: string | undefined
  /** The source of loaded threads, if any. */
  readonly threads?: ThreadSource | undefined
}

/** Loads the threads for the data folder of a server. Several servers of one process can share them. */
export function loadFolderThreads(): SharedThreads {
  return new SharedThreads([sqliteThread, ledgerThread, requestLogThread])
}

export function openDataFolder(folder: string, options: DataFolderOptions): DataFolder {
  const secrets = createSecretFiles(folder, options.random, options.pepper)
  const { threads } = options
  return {
    secrets,
    server: createServerFile(folder, options.random),
    isInUse: () => isSqliteFileInUse(join(folder, 'headgate.db')),
    openRequests: () => openRequestLog(folder, threads?.claim(requestLogThread)),
    openCaptures: () => createCaptureFile(folder),
    openLedger: () => openOwnedLedger(folder),
    async openMetering(onDiskFault) {
      const store = await openLedger({
        dataFolder: folder,
        onDiskFault,
        loaded: threads?.claim(ledgerThread),
      })
      return { store, reader: createLedgerReader(folder) }
    },
    async openKeys(bootstrapKeys) {
      const opened = await openKeyStore(folder, threads?.claim(sqliteThread))
      const { store, close, checkPepper, ...stores } = opened
      const keys = await joinKeys({ store, secrets, checkPepper, options, bootstrapKeys, close })
      return { ...keys, ...stores }
    },
  }
}

/** Opens the ledger. The process must have acquired `headgate.db`. */
async function openOwnedLedger(folder: string): Promise<OwnedLedger> {
  await using cleanup = new AsyncDisposableStack()
  const keys = await openKeyStore(folder)
  cleanup.defer(() => keys.close())
  // A fault is ignored here, since it makes the next call of the reader fail.
  const ledger = await openLedger({ dataFolder: folder, onDiskFault: () => undefined })
  cleanup.defer(() => ledger.close())
  const reader = createLedgerReader(folder)
  cleanup.defer(() => reader.close())
  const open = cleanup.move()
  return { reader, close: () => open.disposeAsync() }
}

/** The actor for a command that opens the folder without a server. */
const commandLine: Actor = { author: 'command line', credential: 'data folder', address: 'this machine' }

const refusePreview: PreviewKeyChange = async () => {
  throw new OperatorError('server_not_running', 'what a change would do is known to a running server alone')
}

/** Functions of a running server that operations on keys use. Until they are set, defaults apply. */
class KeyHooks {
  #warningsOf: (key: Key) => readonly KeyWarning[] = () => []
  #captureOf: (key: Key) => CaptureMode = () => 'off'
  #readCosts: ReadKeyCosts = async () => undefined
  #previewChange = refusePreview

  readonly warningsOf = (key: Key): readonly KeyWarning[] => this.#warningsOf(key)
  readonly captureOf = (key: Key): CaptureMode => this.#captureOf(key)
  readonly readCosts: ReadKeyCosts = (keyIds) => this.#readCosts(keyIds)
  readonly previewChange: PreviewKeyChange = (before, after) => this.#previewChange(before, after)

  readonly warnBy = (next: (key: Key) => readonly KeyWarning[]): void => {
    this.#warningsOf = next
  }

  readonly captureBy = (next: (key: Key) => CaptureMode): void => {
    this.#captureOf = next
  }

  readonly costBy = (next: ReadKeyCosts): void => {
    this.#readCosts = next
  }

  readonly previewBy = (next: PreviewKeyChange): void => {
    this.#previewChange = next
  }
}

export interface JoinKeysInput {
  readonly store: KeyStore
  readonly secrets: Pick<SecretFiles, 'pepper'>
  /** Refuses another pepper than that of the stored keys; undefined where the secrets are checked elsewhere. */
  readonly checkPepper?: OwnedKeyStore['checkPepper']
  readonly options: DataFolderOptions
  readonly bootstrapKeys: readonly BootstrapKey[] | undefined
  /** Closes the store and all that was opened with it. */
  readonly close: () => Promise<void>
}

type JoinedKeys = Omit<OpenKeys, keyof Omit<OpenedKeyStore, 'store' | 'close'>>

/**
 * Connects the keys of a store with the registry that checks them and the operations that change them. Closes the
 * store where that fails, as what is open keeps the process alive.
 */
export async function joinKeys(input: JoinKeysInput): Promise<JoinedKeys> {
  const { close } = input
  try {
    const keys = await connectKeys(input)
    const closeKeys = (): Promise<void> => {
      keys.operations.close()
      return close()
    }
    return { ...keys, close: closeKeys }
  } catch (error) {
    await close()
    throw error
  }
}

async function connectKeys({
  store,
  secrets,
  checkPepper,
  options,
  bootstrapKeys,
}: JoinKeysInput): Promise<Omit<JoinedKeys, 'close'>> {
  const { clock } = options
  // This process has acquired the database, so two concurrent first starts cannot create two peppers.
  const hasKeys = await store.hasAny()
  const bytes = secrets.pepper(hasKeys ? 'refuse' : 'make')
  await checkPepper?.({ pepper: bytes, hasKeys })
  // A pepper of the environment becomes a file here if the file was gone, so that a backup has it.
  secrets.pepper('make')
  const pepper = createSecretKey(bytes)
  const maker = { ...options, pepper }
  if (bootstrapKeys !== undefined) await writeBootstrap(bootstrapKeys)
  const uses = new KeyUses(await store.listUses())
  const registry = createKeyRegistry({ keys: await store.list(), uses, pepper, clock })
  const { warningsOf, captureOf, readCosts, previewChange, ...setters } = new KeyHooks()
  return {
    registry,
    operations: createKeyOperations({
      store,
      registry,
      maker,
      actor: commandLine,
      warningsOf,
      captureOf,
      readCosts,
      previewChange,
    }),
    ...setters,
    digest: (secret) => digestSecret(secret, pepper),
    saveUses: () => saveUses(store, uses),
    async replaceBootstrap(wanted) {
      const keys = await writeBootstrap(wanted)
      return () => {
        for (const key of keys) registry.put(key)
      }
    },
  }

  function writeBootstrap(wanted: readonly BootstrapKey[]): Promise<readonly Key[]> {
    const keys = wanted.map((key) => makeBootstrapKey(key, maker))
    return store.replaceBootstrap(keys, clock.nowMs())
  }
}

async function saveUses(
  store: Pick<KeyStore, 'writeUses'>,
  uses: KeyUses,
): Promise<ReadonlyMap<KeyId, number>> {
  const unsaved = uses.drainUnsaved()
  if (unsaved.size === 0) return unsaved
  await store.writeUses(unsaved).catch((error: unknown) => {
    uses.giveBack(unsaved)
    throw error
  })
  return unsaved
}
