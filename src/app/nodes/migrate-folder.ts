// The copy of a data folder into PostgreSQL, for the command line.
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GatewayError } from '../../canonical/failure.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import { createSealer, type Sealer } from '../../kit/bytes/seal.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { restoreBackup } from '../../storage/backup/restore-backup.ts'
import { createSecretFiles } from '../../storage/files/secret-files.ts'
import { dropLeftFolders, makeWorkFolder } from '../../storage/files/work-folders.ts'
import {
  type CopiedHistory,
  copyHistory,
  countSource,
  finishCopy,
  type ReportCopy,
} from '../../storage/migrate/copy-folder.ts'
import { copySecrets, type FolderSecrets, requireSealingSecret } from '../../storage/migrate/copy-secrets.ts'
import {
  describeSourceFault,
  openSourceFolder,
  type SourceFolder,
} from '../../storage/migrate/source-folder.ts'
import { claimDatabase, requireClaimable } from '../../storage/postgres/folder-copy.ts'
import { openPostgres, type PostgresDatabase } from '../../storage/postgres/open-postgres.ts'
import {
  connectDatabase,
  describeAway,
  requireEncoding,
  requireRights,
} from '../../storage/postgres/open-postgres-stores.ts'
import { requireKnownTables } from '../../storage/postgres/postgres-migrations.ts'

export interface MigrationOrder {
  readonly dataFolder: string
  readonly settings: DatabaseSettings
  /** The secret in the environment; undefined if the file in the data folder is used. */
  readonly secret: string | undefined
  /** `plan` writes nothing. `history` may run while the gateway serves. `finish` needs a stopped gateway. */
  readonly step: 'plan' | 'history' | 'finish'
  /** The bytes of a backup by the gateway that runs on the folder; undefined if the gateway cannot be reached. */
  readonly backUp: () => Promise<AsyncIterable<Uint8Array> | undefined>
  readonly report: ReportCopy
}

export interface FolderMigration {
  /** The number of rows in each table of the data folder. */
  readonly rows: Readonly<Record<string, number>>
  /** Undefined if nothing was written. */
  readonly copied: CopiedHistory | undefined
  /** The number of compared figures, all of them equal; undefined before the last step. */
  readonly compared: number | undefined
  /** Whether nodes need the secret from the file in the data folder. */
  readonly isSecretOfFile: boolean
}

/** The number of the advisory lock for copying: "head" in ASCII, and 32. */
const COPY_LOCK = 0x68656164_20

const doNothing = (): void => undefined

export async function migrateFolder(order: MigrationOrder): Promise<FolderMigration> {
  try {
    return await copyInSteps(order)
  } catch (error) {
    const isAway = error instanceof GatewayError && error.failure.code === 'store_unavailable'
    if (isAway) throw describeAway(error, order.settings.name)
    throw describeSourceFault(`a database of the data folder ${order.dataFolder}`, error)
  }
}

async function copyInSteps(order: MigrationOrder): Promise<FolderMigration> {
  await using cleanup = new AsyncDisposableStack()
  const source = await openSource(order, cleanup)
  const secrets = readSecrets(order)
  requireSealingSecret(source.keys, secrets.sealer)
  const settings = { ...order.settings, statementTimeoutMs: HOUR_MS }
  const rows = countSource(source)
  const { isSecretOfFile } = secrets
  if (order.step === 'plan') {
    await requireFreeDatabase(settings, secrets.installation)
    return { rows, copied: undefined, compared: undefined, isSecretOfFile }
  }
  const database = await connectDatabase(settings)
  cleanup.defer(() => database.close())
  await lockDatabase(database, cleanup)
  await database.transaction((queries) =>
    claimDatabase(queries, { installation: secrets.installation, name: database.name }),
  )
  const copied = await copyHistory(source, database, order.report)
  if (order.step === 'history') return { rows, copied, compared: undefined, isSecretOfFile }
  const { compared } = await finishCopy(source, database, {
    report: order.report,
    seal: (queries) => copySecrets(queries, secrets, secrets.sealer),
  })
  return { rows, copied, compared, isSecretOfFile }
}

/** Opens the databases of the folder. If a gateway uses them, it makes a backup, and that is opened. */
async function openSource(
  { dataFolder, step, backUp, report }: MigrationOrder,
  cleanup: AsyncDisposableStack,
): Promise<SourceFolder> {
  const open = (folder: string): SourceFolder => {
    const source = openSourceFolder(folder)
    cleanup.defer(() => source.close())
    return source
  }
  const [parent, prefix] = [dirname(dataFolder), `${basename(dataFolder)}.copy-`]
  if (step !== 'plan' && existsSync(parent)) dropLeftFolders(parent, prefix)
  try {
    return open(dataFolder)
  } catch (error) {
    const isInUse = error instanceof OperatorError && error.code === 'data_folder_in_use'
    if (!isInUse || step === 'finish') throw error
    report('backup by the gateway')
    const bytes = await backUp()
    if (bytes === undefined) throw error
    const copy = makeFolderIn(parent, prefix)
    cleanup.defer(() => rmSync(copy, { recursive: true, force: true }))
    await restoreBackup({ dataFolder: copy, bytes, mayReplace: true, nowMs: systemClock.nowMs() })
    return open(copy)
  }
}

function makeFolderIn(parent: string, prefix: string): string {
  try {
    return makeWorkFolder(parent, prefix)
  } catch (cause) {
    throw new OperatorError('data_folder_unusable', `no folder can be made beside it: ${reasonOf(cause)}`, {
      cause,
      advice:
        'give this user the right to write there; or stop the gateway and run the command with --finish, which needs no such folder',
    })
  }
}

interface OpenSecrets extends FolderSecrets {
  readonly sealer: Sealer
  readonly isSecretOfFile: boolean
  /** A fingerprint of the installation. It does not reveal the pepper. */
  readonly installation: string
}

/** Reads the secrets of the folder, and creates none. */
function readSecrets({ dataFolder, secret: given }: MigrationOrder): OpenSecrets {
  const files = createSecretFiles(dataFolder, systemRandom)
  const has = (name: string) => existsSync(join(dataFolder, name))
  const secret = given ?? (has('secret') ? files.sealingSecret() : undefined)
  if (secret === undefined)
    throw new OperatorError('secret_missing', `${join(dataFolder, 'secret')} is not there`, {
      advice: 'set HEADGATE_SECRET to the one that the gateway runs with',
    })
  const pepper = files.pepper('refuse').toString('hex')
  return {
    pepper,
    adminToken: files.findAdminToken(),
    metricsToken: has('metrics-token') ? files.metricsToken() : undefined,
    sealer: createSealer(secret, systemRandom),
    isSecretOfFile: given === undefined,
    installation: createHash('sha256').update('headgate installation').update(pepper).digest('hex'),
  }
}

/** Acquires the lock. One process copies at a time, until its connection ends. */
async function lockDatabase(database: PostgresDatabase, cleanup: AsyncDisposableStack): Promise<void> {
  const connection = await database.reserve()
  cleanup.defer(() => connection.release())
  const { rows } = await connection.query('select pg_try_advisory_lock($1) as is_ours', [COPY_LOCK])
  if (rows[0]?.['is_ours'] !== true)
    throw new OperatorError(
      'migration_unfinished',
      `another "headgate migrate" copies into the database ${database.name}`,
      { advice: 'wait until it has ended' },
    )
  // If the connection was lost, the lock is released already.
  const unlock = () => connection.query('select pg_advisory_unlock($1)', [COPY_LOCK])
  cleanup.defer(() => unlock().then(doNothing, doNothing))
}

/** Checks whether the database can be used, without creating anything in it. */
async function requireFreeDatabase(settings: DatabaseSettings, installation: string): Promise<void> {
  const database = await openPostgres({ settings, clock: systemClock, chance: () => 0 })
  try {
    await requireEncoding(database)
    await requireRights(database, settings.schema)
    await requireKnownTables(database, settings.schema)
    const { rows } = await database.query("select to_regclass('folder_copy') is not null as has_tables")
    if (rows[0]?.['has_tables'] === true)
      await requireClaimable(database, { installation, name: database.name })
  } finally {
    await database.close()
  }
}
