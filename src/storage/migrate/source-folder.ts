// Opens the databases of a data folder in such a way that they cannot change.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { captureMigrations } from '../capture-store-sql.ts'
import { describeUnusableFolder } from '../files/unusable-folder.ts'
import { ledgerMigrations } from '../ledger/ledger-migrations.ts'
import { CAPTURE_FILE } from '../open-capture-store.ts'
import { requestLogMigrations } from '../request-log/request-log-tables.ts'
import { isDamage } from '../sqlite/advise-on-fault.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { migrations } from '../sqlite/migrations.ts'
import { describeSqliteFault } from '../sqlite/sqlite-file.ts'

export interface SourceFolder {
  readonly keys: DatabaseSync
  readonly ledger: DatabaseSync
  /** Undefined where the folder has no request log. */
  readonly requests: DatabaseSync | undefined
  /** Undefined where nothing was ever captured. */
  readonly captures: DatabaseSync | undefined
  close(): void
}

const BUSY_TIMEOUT_MS = 1_000
// https://sqlite.org/rescode.html, seen 2026-11-24
const SQLITE_BUSY = 5
/** SQLite cannot open the `-wal` or the `-shm` beside the database, which it needs even to read. */
const unwritableCodes = [8, 14]

/**
 * Opens the databases for reading one consistent state. Until they are closed no server can start on the folder,
 * since this process holds the lock of `headgate.db`. Refuses a folder that is in use, and tables of another version.
 */
export function openSourceFolder(folder: string): SourceFolder {
  const opened: DatabaseSync[] = []
  const close = (): void => {
    for (const database of opened) database.close()
  }
  const open = (name: string, version: number): DatabaseSync => {
    const database = openForReading(join(folder, name))
    opened.push(database)
    begin(database, join(folder, name))
    requireVersion(database, join(folder, name), version)
    return database
  }
  try {
    const openOptional = (name: string, version: number) =>
      existsSync(join(folder, name)) ? open(name, version) : undefined
    return {
      keys: open('headgate.db', migrations.length),
      ledger: open('ledger.db', ledgerMigrations.length),
      requests: openOptional('requests.db', requestLogMigrations.length),
      captures: openOptional(CAPTURE_FILE, captureMigrations.length),
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

function openForReading(file: string): DatabaseSync {
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ENOENT') throw describeUnusableFolder(dirname(file), cause)
    const happened = `${file} is not there, so that there is nothing to copy it from`
    const advice = 'name the data folder of the gateway with --from'
    throw new OperatorError('data_folder_missing', happened, { advice })
  }
  return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
}

/** Starts a read, which acquires the lock. */
function begin(database: DatabaseSync, file: string): void {
  let tables: unknown
  try {
    database.exec('begin')
    tables = database.prepare("select name from sqlite_schema where name = 'migrations'").get()
  } catch (error) {
    const { code = 0 } = describeSqliteFault(error)
    if (code % 256 !== SQLITE_BUSY) throw describeSourceFault(file, error)
    throw new OperatorError(
      'data_folder_in_use',
      `a gateway runs on the data folder ${dirname(file)}, and would write what is not copied any more`,
      { advice: 'stop it, then run the command again; without --finish the history is copied meanwhile' },
    )
  }
  if (tables === undefined)
    throw new OperatorError('database_damaged', `${file} has none of the tables of Headgate`)
}

/** Describes a fault of SQLite for the operator. Any other error is returned unchanged. */
export function describeSourceFault(where: string, error: unknown): unknown {
  const fault = describeSqliteFault(error)
  if (fault.code === undefined) return error
  const happened = `${where} cannot be read: ${fault.message}`
  if (isDamage(fault)) return new OperatorError('database_damaged', happened, { cause: error })
  if (!unwritableCodes.includes(fault.code % 256))
    return new OperatorError('database_unusable', happened, { cause: error })
  const advice =
    'SQLite writes files beside a database that it reads, so copy the folder to where this user may write, and name the copy with --from'
  return new OperatorError('database_unusable', happened, { advice, cause: error })
}

function requireVersion(database: DatabaseSync, file: string, known: number): void {
  const found = numberOf(
    database.prepare('select coalesce(max(number), 0) as version from migrations').get()?.['version'],
  )
  if (found === known) return
  if (found > known)
    throw new OperatorError(
      'database_newer',
      `${file} was written by a newer Headgate (version ${found} of its tables, this one knows ${known})`,
    )
  throw new OperatorError(
    'data_folder_outdated',
    `${file} was written by an older Headgate (version ${found} of its tables, this one has ${known})`,
  )
}
