import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../canonical/operator-error.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { makeDataFolder } from '../files/make-data-folder.ts'
import { moveFiles } from '../files/move-files.ts'
import { dropLeftFolders, makeWorkFolder } from '../files/work-folders.ts'
import { syncFolder } from '../files/write-private-file.ts'
import { ledgerMigrations } from '../ledger/ledger-migrations.ts'
import { requestLogMigrations } from '../request-log/request-log-tables.ts'
import { migrations } from '../sqlite/migrations.ts'
import { isSqliteFileInUse } from '../sqlite/sqlite-file.ts'
import { DamagedBackupError } from './damaged-backup-error.ts'
import {
  type BackupManifest,
  backupDatabases,
  backupSecrets,
  backupSettings,
  readBackup,
} from './pack-backup.ts'

export interface RestoreOrder {
  readonly dataFolder: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** Whether existing files may be moved aside. */
  readonly mayReplace: boolean
  readonly nowMs: number
}

export interface RestoredBackup {
  readonly manifest: BackupManifest
  readonly restored: readonly string[]
  /** The folder to which the existing files were moved; undefined where there were none. */
  readonly movedTo: string | undefined
  /** Whether stored keys work: their digests need the pepper. */
  readonly hasPepper: boolean
}

/** The beginning of the names of folders with files that are not restored yet. */
export const STAGING_PREFIX = 'restore-'
const knownTables: Readonly<Record<string, number>> = {
  'headgate.db': migrations.length,
  'requests.db': requestLogMigrations.length,
  'ledger.db': ledgerMigrations.length,
}

const databaseSuffixes = ['', '-wal', '-shm'] as const

/**
 * Restores a backup into a data folder. All files are first written and verified next to the existing ones. Only then
 * are the existing files moved aside and the new ones renamed into place. On failure it throws an error for the
 * operator, and the folder is unchanged.
 */
export async function restoreBackup(order: RestoreOrder): Promise<RestoredBackup> {
  const { dataFolder, bytes, mayReplace } = order
  refuseInUse(dataFolder)
  refuseFull(dataFolder, mayReplace)
  makeDataFolder(dataFolder)
  dropLeftFolders(dataFolder, STAGING_PREFIX)
  const staging = makeWorkFolder(dataFolder, STAGING_PREFIX)
  try {
    const manifest = await unpack(bytes, { dataFolder, staging })
    for (const { name } of manifest.files) verifyDatabase(staging, name)
    if (!manifest.files.some(({ name }) => name === 'headgate.db'))
      throw new DamagedBackupError('it lacks headgate.db')
    const names = manifest.files.map(({ name }) => name)
    // A server may have been started in the meantime.
    refuseInUse(dataFolder)
    const movedTo = replaceFiles(names, staging, order)
    return {
      manifest,
      restored: names,
      movedTo,
      hasPepper: existsSync(join(dataFolder, 'pepper')),
    }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/**
 * Gives an open file that root made to the owner of the folder, since a service that is not root could not open it. The
 * owner may replace any path in the folder by a link, so the path is not used.
 */
function giveToOwnerOf(dataFolder: string, file: number): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dataFolder)
  const made = fstatSync(file)
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid)
}

function giveFolderToOwnerOf(dataFolder: string, made: string): void {
  if (process.getuid?.() !== 0) return
  const folder = openSync(made, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    giveToOwnerOf(dataFolder, folder)
  } finally {
    closeSync(folder)
  }
}

function refuseFull(dataFolder: string, mayReplace: boolean): void {
  const present = backupDatabases.filter((name) => existsSync(join(dataFolder, name)))
  if (present.length === 0 || mayReplace) return
  throw refuseToReplace(dataFolder, present)
}

function refuseToReplace(dataFolder: string, present: readonly string[]): OperatorError {
  return new OperatorError(
    'data_folder_not_empty',
    `the data folder ${dataFolder} already holds ${present.join(', ')}`,
  )
}

/** Refuses a folder in use. The lock of the database is the only sign of that. A damaged database may be replaced. */
function refuseInUse(dataFolder: string): void {
  if (!backupDatabases.some((name) => isSqliteFileInUse(join(dataFolder, name)))) return
  throw new OperatorError(
    'data_folder_in_use',
    `the data folder ${dataFolder} is in use by a running Headgate`,
    {
      advice: 'stop it first',
    },
  )
}

async function unpack(
  bytes: AsyncIterable<Uint8Array>,
  { dataFolder, staging }: { readonly dataFolder: string; readonly staging: string },
): Promise<BackupManifest> {
  let manifest: BackupManifest | undefined
  for await (const { name, bytes: chunks } of readBackup(bytes, (read) => {
    manifest = read
  })) {
    const file = openSync(join(staging, name), 'wx', 0o600)
    try {
      giveToOwnerOf(dataFolder, file)
      for await (const chunk of chunks) writeSync(file, chunk)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
  if (manifest === undefined) throw new DamagedBackupError('it has no manifest')
  return manifest
}

function verifyDatabase(staging: string, name: string): void {
  const known = knownTables[name]
  if (known === undefined) return
  let version: unknown
  try {
    const database = new DatabaseSync(join(staging, name))
    try {
      const found = database.prepare('pragma quick_check(1)').get()
      if (found?.['quick_check'] !== 'ok') throw new DamagedBackupError(String(found?.['quick_check']))
      version = database.prepare('select max(number) as version from migrations').get()?.['version']
    } finally {
      database.close()
    }
  } catch (error) {
    throw new DamagedBackupError(`${name} in it cannot be used: ${reasonOf(error)}`, { cause: error })
  }
  if (typeof version === 'number' && version > known) {
    throw new OperatorError(
      'database_newer',
      `${name} in it was written by a newer Headgate (version ${version} of its tables, this one knows ${known})`,
      { advice: 'restore it with that Headgate' },
    )
  }
}

/**
 * Moves the restored files into place. Before that it moves aside everything that belongs to the replaced databases,
 * and the other files that the backup contains. Secrets and prices that the backup does not contain stay: the backup
 * was made without them. Returns the folder of the files that were moved aside.
 */
function replaceFiles(
  names: readonly string[],
  staging: string,
  { dataFolder, mayReplace, nowMs }: RestoreOrder,
): string | undefined {
  const restored = names.map((name) => ({ from: join(staging, name), to: join(dataFolder, name) }))
  const given = new Set(names)
  const databases = backupDatabases.flatMap((name) => databaseSuffixes.map((suffix) => name + suffix))
  const others = [...backupSettings, ...backupSecrets].filter((name) => given.has(name))
  const present = [...databases, ...others].filter((name) => existsSync(join(dataFolder, name)))
  if (present.length === 0) {
    moveFiles(restored)
    syncFolder(dataFolder)
    return undefined
  }
  if (!mayReplace) throw refuseToReplace(dataFolder, present)
  const aside = join(dataFolder, `replaced-${new Date(nowMs).toISOString().replaceAll(':', '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  giveFolderToOwnerOf(dataFolder, aside)
  const replaced = present.map((name) => ({ from: join(dataFolder, name), to: join(aside, name) }))
  try {
    moveFiles([...replaced, ...restored])
  } finally {
    if (readdirSync(aside).length === 0) rmdirSync(aside)
  }
  syncFolder(aside)
  syncFolder(dataFolder)
  return aside
}
