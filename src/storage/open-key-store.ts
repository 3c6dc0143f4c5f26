import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { KeyStore } from '../access/key-store.ts'
import type { PeopleStores } from '../access/people/user-store.ts'
import type { AuditStore } from '../admin/audit/audit-store.ts'
import type { CertificationStore } from '../admin/certification/certification-store.ts'
import type { ConfigDraftStore } from '../admin/config/config-draft-store.ts'
import type { ConfigVersionStore } from '../admin/config/config-version-store.ts'
import type { AlertStore } from '../alerts/alert-store.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { createByteSealer } from '../kit/bytes/seal.ts'
import type { CreditStore } from '../metering/credit-store.ts'
import type { HealthStore } from '../routing/health/health-store.ts'
import type { IdempotencyStore } from '../stored-answers/idempotency-store.ts'
import type { RemoteObjectStore } from '../stored-answers/remote-object.ts'
import type { StoredResponsePersistence } from '../stored-answers/stored-response-persistence.ts'
import { createSqlAlertStore } from './alert-store-sql.ts'
import { createSqlAuditStore } from './audit-sql.ts'
import { COPIES_PREFIX } from './backup/copy-databases.ts'
import { STAGING_PREFIX } from './backup/restore-backup.ts'
import { createSqlCertificationStore } from './certification-sql.ts'
import { checkPepper, type UsedPepper } from './check-pepper.ts'
import { createSqlConfigDraftStore } from './config-draft-sql.ts'
import { createSqlConfigVersionStore } from './config-version-sql.ts'
import { createSqlCreditStore } from './credit-store-sql.ts'
import { makeDataFolder } from './files/make-data-folder.ts'
import { dropLeftFolders } from './files/work-folders.ts'
import { createSqlHealthStore } from './health-store-sql.ts'
import { createSqlIdempotencyStore } from './idempotency-sql.ts'
import { createSqlKeyStore } from './key-store-sql.ts'
import { type DataKey, openDataKey, type Sealing } from './open-data-key.ts'
import { createSqlPeopleStores } from './people/people-stores-sql.ts'
import { createSqlRemoteObjects } from './remote-object-sql.ts'
import { copyBeforeMigration } from './sqlite/copy-before-migration.ts'
import { migrateFile } from './sqlite/migrate-file.ts'
import { migrations } from './sqlite/migrations.ts'
import type { SqliteRunner } from './sqlite/open-sqlite.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import type { LoadedThread } from './sqlite/program-thread.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import { createSqlStoredResponses } from './stored-response-sql.ts'
import type { Tables } from './tables.ts'

export interface OpenedKeyStore {
  readonly store: KeyStore
  readonly configVersions: ConfigVersionStore
  readonly configDrafts: ConfigDraftStore
  readonly health: HealthStore
  readonly audit: AuditStore
  readonly credits: CreditStore
  readonly people: PeopleStores
  readonly alerts: AlertStore
  readonly certifications: CertificationStore
  /** Copies the database as it is when the copy ends. The file must not exist yet. */
  copyTo(path: string): Promise<void>
  /** Opens the sealed stores with the secret, which is not in the database. */
  openSealedStores(sealing: Sealing): Promise<OpenedSealedStores>
  close(): Promise<void>
}

/** The stores of a data folder that this process owns. */
export interface OwnedKeyStore extends OpenedKeyStore {
  /** Refuses another pepper than that of the stored keys. */
  checkPepper(used: UsedPepper): Promise<void>
}

/** The stores of callers' content. */
export interface OpenedSealedStores {
  readonly storedResponses: StoredResponsePersistence
  readonly idempotency: IdempotencyStore
  readonly remoteObjects: RemoteObjectStore
  readonly sealedBy: DataKey['state']
  /** Seals captured prompts and answers. */
  readonly captureKey: DataKey
}

/**
 * Opens `headgate.db` in the data folder and migrates its tables. It runs in the given thread if one was loaded
 * ahead, otherwise in a new thread. Throws an error for the operator.
 */
export async function openKeyStore(dataFolder: string, loaded?: LoadedThread): Promise<OwnedKeyStore> {
  const file = join(dataFolder, 'headgate.db')
  try {
    makeDataFolder(dataFolder)
    refuseEmptied(dataFolder, file)
  } catch (error) {
    await (await loaded)?.release()
    throw error
  }
  const database = await openSqlite(file, loaded)
  try {
    for (const prefix of [COPIES_PREFIX, STAGING_PREFIX]) dropLeftFolders(dataFolder, prefix)
    await migrateFile(file, database, {
      steps: migrations,
      copyBefore: copyBeforeMigration(file, database.copyTo),
    })
    await refuseEmptiedLedger(dataFolder, database)
  } catch (error) {
    await database.close()
    throw error
  }
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  return {
    store: createSqlKeyStore(queries),
    configVersions: createSqlConfigVersionStore(queries),
    configDrafts: createSqlConfigDraftStore(queries),
    health: createSqlHealthStore(queries),
    audit: createSqlAuditStore(queries),
    credits: createSqlCreditStore(queries),
    people: createSqlPeopleStores(queries),
    alerts: createSqlAlertStore(queries),
    certifications: createSqlCertificationStore(queries),
    copyTo: database.copyTo,
    openSealedStores: (sealing) => openSealedStores(queries, sealing),
    checkPepper: (used) => checkPepper(dataFolder, database, used),
    close: () => database.close(),
  }
}

/** Opens the stores of callers' content, with the sealed key that is in their database. */
export async function openSealedStores(
  queries: Kysely<Tables>,
  sealing: Sealing,
): Promise<OpenedSealedStores> {
  const key = await openDataKey(queries, 'stored_responses', sealing)
  const sealer = createByteSealer(key.bytes, sealing.random)
  return {
    storedResponses: createSqlStoredResponses(queries, sealer),
    idempotency: createSqlIdempotencyStore(queries, sealer),
    remoteObjects: createSqlRemoteObjects(queries, sealer),
    sealedBy: key.state,
    captureKey: await openDataKey(queries, 'captures', sealing),
  }
}

/**
 * Refuses an empty `headgate.db` in a folder with a pepper, which is made after the first tables. A database can lose
 * all its bytes by a copy onto a full disk. SQLite takes such a file for a new database, and the start would go on
 * without what it had.
 */
function refuseEmptied(dataFolder: string, file: string): void {
  const pepper = join(dataFolder, 'pepper')
  if (!isEmpty(file) || !existsSync(pepper)) return
  throw new OperatorError('database_damaged', `${file} is empty, although ${pepper} shows that it had keys`, {
    advice: 'restore it from a copy; to begin without these keys and changes, delete it',
  })
}

/** Refuses an empty `ledger.db` where keys were used. The ledger has its tables before a server serves a key. */
async function refuseEmptiedLedger(dataFolder: string, database: SqliteRunner): Promise<void> {
  const file = join(dataFolder, 'ledger.db')
  if (!isEmpty(file)) return
  const [used] = await database.run([{ sql: 'select 1 from key_uses limit 1', parameters: [] }], 'single')
  if (used?.rows.length === 0) return
  throw new OperatorError('database_damaged', `${file} is empty, although keys in headgate.db were used`, {
    advice:
      'restore it from a copy; to begin without what was spent, so that all budgets are full, delete it',
  })
}

function isEmpty(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0
}
