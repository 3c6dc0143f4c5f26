// The state that several nodes share in PostgreSQL instead of a data folder. A node's own folder has only the files of
// its process: the one through which commands find it, and those for the operator at a first start.
import { createHmac } from 'node:crypto'
import { hostname } from 'node:os'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { Config } from '../../config/config.ts'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import { earlierSecretsOf } from '../../config/source/environment.ts'
import { createSealer } from '../../kit/bytes/seal.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { SecretMarks } from '../../metering/leases/node-registry.ts'
import { makeDataFolder } from '../../storage/files/make-data-folder.ts'
import { createSecretFiles, type SecretFiles } from '../../storage/files/secret-files.ts'
import { createServerFile } from '../../storage/files/server-file.ts'
import { markShared } from '../../storage/files/shared-mark.ts'
import { BackgroundWork } from '../../storage/postgres/background-work.ts'
import { ChangeFeed } from '../../storage/postgres/change-feed.ts'
import { requireWholeCopy } from '../../storage/postgres/folder-copy.ts'
import { PostgresLedger } from '../../storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresLedgerReader } from '../../storage/postgres/ledger/ledger-reader-postgres.ts'
import { createPostgresMeterStore } from '../../storage/postgres/ledger/meter-store-postgres.ts'
import { pruneLedger } from '../../storage/postgres/ledger/prune-ledger.ts'
import { createPostgresNodes } from '../../storage/postgres/nodes-postgres.ts'
import type { PostgresDatabase } from '../../storage/postgres/open-postgres.ts'
import {
  connectDatabase,
  createPostgresCaptures,
  createPostgresStores,
} from '../../storage/postgres/open-postgres-stores.ts'
import { createPostgresRateShares } from '../../storage/postgres/rate-shares-postgres.ts'
import { createPostgresRequestLog } from '../../storage/postgres/request-log/request-log-postgres.ts'
import { SharedEvents } from '../../storage/postgres/shared-events.ts'
import { markSecret, openSharedSecrets, type SharedSecrets } from '../../storage/postgres/shared-secrets.ts'
import {
  type DataFolder,
  type DataFolderOptions,
  joinKeys,
  type MeteringStores,
} from '../open-data-folder.ts'
import { fingerprintFile } from './fingerprint-file.ts'
import { createNodeBus, type NodeBus } from './node-bus.ts'
import { idleFigures, SharedNode } from './shared-node.ts'
import type { SharedState } from './shared-state.ts'

/** The state that the nodes of a database share, with the database itself. */
export interface PostgresState extends SharedState {
  readonly database: PostgresDatabase
  readonly ledger: PostgresLedger
  readonly work: BackgroundWork
  readonly events: SharedEvents
}

export interface SharedFolder extends DataFolder {
  readonly shared: PostgresState
}

export interface SharedFolderOptions extends DataFolderOptions {
  readonly version: string
  /** The name of the supervisor whose processes share the data folder; undefined if one process has it alone. */
  readonly supervisor: string | undefined
}

/** Connects to the configured database, and joins the existing nodes. */
export async function openSharedFolder(config: Config, options: SharedFolderOptions): Promise<SharedFolder> {
  const { database: settings, secret, dataFolder } = config
  if (settings === undefined || secret === undefined) throw new InvariantError('no database is configured')
  if (config.ledger.maxBytes !== undefined)
    throw new OperatorError('not_with_postgres', 'ledger.max_bytes has no effect in PostgreSQL', {
      advice: 'leave it out, and say by ledger.keep for how long rows stay',
    })
  makeDataFolder(dataFolder)
  const database = await connectDatabase(settings)
  try {
    await requireWholeCopy(database, database.name)
    markShared(dataFolder, settings)
    const secrets = await openSecrets(config, secret, { database, options })
    const shared = await joinNodes(config, { database, settings, secrets, options })
    return createFolder(config, { shared, secrets, options })
  } catch (error) {
    await database.close()
    throw error
  }
}

function openSecrets(
  config: Config,
  secret: string,
  { database, options }: { readonly database: PostgresDatabase; readonly options: SharedFolderOptions },
): Promise<SharedSecrets> {
  const { random } = options
  return openSharedSecrets(database, {
    sealer: createSealer(secret, random),
    previous: earlierSecretsOf(config).map((each) => createSealer(each, random)),
    random,
    pepper: config.file.environment.pepper,
  })
}

interface JoinInput {
  readonly database: PostgresDatabase
  readonly settings: DatabaseSettings
  readonly secrets: SharedSecrets
  readonly options: SharedFolderOptions
}

async function joinNodes(
  config: Config,
  { database, settings, secrets, options: { clock, random, version } }: JoinInput,
): Promise<PostgresState> {
  const nodes = createPostgresNodes(database)
  const node = new SharedNode({
    nodes,
    clock,
    version,
    id: `${hostname()}-${random.bytes(3).toString('hex')}`,
    atStart: { ...idleFigures, fileFingerprint: fingerprintFile(config, config.secret ?? '') },
    secrets: markTokens(config, secrets),
  })
  await node.join()
  const ledger = new PostgresLedger({ database, epoch: node.epoch })
  const calls = { announceNeed: () => undefined }
  const work = new BackgroundWork({ database, epoch: node.epoch, clock })
  await work.start()
  const events = new SharedEvents({
    database,
    clock,
    epoch: node.epoch,
    wantsAll: work.isMine,
    mayPrune: work.isMine,
    onEvent: (event) => bus.deliverEvent(event),
  })
  const bus = createNodeBus({ events, sealer: createSealer(config.secret ?? '', random) })
  await events.start()
  return {
    store: 'postgres',
    events,
    bus: withHistory(bus, events),
    database,
    node,
    nodes,
    ledger,
    work,
    calls,
    meterStore: createPostgresMeterStore(database),
    rateShares: createPostgresRateShares(database),
    servingCount: () => node.count,
    openFeed: (options) => new ChangeFeed({ database, settings, ...options, onEvents: () => events.read() }),
  }
}

/** The fingerprints of the secrets that all nodes must share. */
function markTokens({ adminToken, metricsToken }: Config, { pepper, ...stored }: SharedSecrets): SecretMarks {
  return {
    HEADGATE_ADMIN_TOKEN: markSecret('admin', adminToken ?? stored.adminToken, pepper),
    HEADGATE_METRICS_TOKEN: markSecret('metrics', metricsToken ?? stored.metricsToken, pepper),
  }
}

/** Creates the bus of a node that can read again the events from before it joined. */
function withHistory(bus: NodeBus, events: SharedEvents): PostgresState['bus'] {
  return {
    ...bus,
    async hearAgain(topics, withinMs) {
      const sent = await events.readAgain(topics, withinMs)
      return sent.flatMap((event) => {
        const read = bus.readEvent(event)
        return read === undefined ? [] : { ...read, sentAtMs: event.sentAtMs }
      })
    },
  }
}

interface FolderParts {
  readonly shared: PostgresState
  readonly secrets: SharedSecrets
  readonly options: SharedFolderOptions
}

function createFolder(config: Config, { shared, secrets, options }: FolderParts): SharedFolder {
  const { database, node } = shared
  const { dataFolder } = config
  const files = createSharedSecretFiles(config, secrets, createSecretFiles(dataFolder, options.random))
  return {
    shared,
    secrets: files,
    server: createServerFile(dataFolder, options.random, deriveSigningKey(secrets, options.supervisor)),
    isInUse: () => true,
    openRequests: async () => createPostgresRequestLog(database, { mayPrune: shared.work.isMine }),
    openCaptures: () => createPostgresCaptures(database, shared.work.isMine),
    openLedger: async () => {
      throw new OperatorError('not_with_postgres', 'the ledger is in the database')
    },
    openMetering: async () => createMeteringStores(shared),
    async openKeys(bootstrapKeys) {
      const stores = createPostgresStores(database, { epoch: node.epoch, mayPrune: shared.work.isMine })
      const { store, ...others } = stores
      const keys = await joinKeys({
        store,
        secrets: files,
        options,
        bootstrapKeys,
        close: async () => {
          await shared.events.stop()
          await shared.work.stop()
          await node.leave()
          await database.close()
        },
      })
      return { ...keys, ...others }
    },
  }
}

const nothingMore = { hasMore: false }

function createMeteringStores({ ledger, database, work }: PostgresState): MeteringStores {
  const reader = createPostgresLedgerReader(database)
  return {
    store: {
      load: (nowMs) => ledger.load(nowMs),
      commit: (batch) => ledger.commit(batch),
      maintain: async (retention) => (work.isMine() ? pruneLedger(database, retention) : nothingMore),
      async copyTo() {
        throw new OperatorError('not_with_postgres', 'the ledger is in the database')
      },
      close: async () => ledger.close(),
    },
    reader: { ...reader, readAhead: async () => undefined, close: async () => undefined },
  }
}

/** Each process of a supervisor may be asked for the proof of the server file that another one wrote. */
function deriveSigningKey({ pepper }: SharedSecrets, supervisor: string | undefined): string | undefined {
  if (supervisor === undefined) return undefined
  return createHmac('sha256', pepper).update(`server file of ${supervisor}`).digest('base64url')
}

/** Replaces the secret files by the secrets of the database. Files for the operator stay in the folder. */
function createSharedSecretFiles(
  { secret = '' }: Config,
  secrets: SharedSecrets,
  { firstKey, firstOwner }: SecretFiles,
): SecretFiles {
  return {
    firstKey,
    firstOwner,
    pepper: () => secrets.pepper,
    adminToken: () => secrets.adminToken,
    metricsToken: () => secrets.metricsToken,
    sealingSecret: () => secret,
    earlierSealingSecrets: () => [],
    dropEarlierSealingSecret: () => undefined,
    findAdminToken: () => secrets.adminToken,
  }
}
