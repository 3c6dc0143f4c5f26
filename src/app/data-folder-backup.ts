// Backups of a data folder, by the server that owns it or by a command without a server, and their restoration.

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../canonical/operator-error.ts'
import type { Clock } from '../kit/time/clock.ts'
import {
  type CopiedSource,
  copyDatabases,
  type ReadRoom,
  readSecretFiles,
  readSettingFiles,
} from '../storage/backup/copy-databases.ts'
import { DamagedBackupError } from '../storage/backup/damaged-backup-error.ts'
import {
  type BackupManifest,
  backupDatabases,
  packBackup,
  readBackup,
} from '../storage/backup/pack-backup.ts'
import { type RestoredBackup, type RestoreOrder, restoreBackup } from '../storage/backup/restore-backup.ts'
import type { TarFile } from '../storage/backup/tar.ts'
import { openRequestLog } from '../storage/request-log/open-request-log.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { nearlyFullBelow } from '../telemetry/disk-guard.ts'

export { type BackupManifest, DamagedBackupError, type RestoredBackup, type RestoreOrder, restoreBackup }

/** The folder and the version of a backup, and the clock for its time. */
export interface BackupInput {
  readonly dataFolder: string
  readonly version: string
  readonly clock: Clock
}

type Bytes = AsyncGenerator<Buffer, void, undefined>

/** The databases that a running server has open. */
export interface OpenDatabases {
  copyKeys(path: string): Promise<void>
  copyLedger(path: string): Promise<void>
  /** Undefined while the request log is off. */
  readonly copyRequests: ((path: string) => Promise<void>) | undefined
}

/**
 * Backs up the databases of a running server. The request log and the ledger are copied before `headgate.db`, so that
 * the copy of `headgate.db` contains every key and version to which the other copies refer.
 */
export async function backUpServer(input: BackupInput, open: OpenDatabases): Promise<Bytes> {
  const sources: CopiedSource[] = [
    ...requestSources(input.dataFolder, open.copyRequests),
    { name: 'ledger.db', isOptional: false, copyTo: open.copyLedger },
    { name: 'headgate.db', isOptional: false, copyTo: open.copyKeys },
  ]
  return pack(input, sources, { more: noFiles, readRoom: () => readRoom(input.dataFolder, nearlyFullBelow) })
}

/** The free space above the reserve. */
async function readRoom(
  dataFolder: string,
  reserveOf: (totalBytes: number) => number,
): Promise<number | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataFolder)
    return bavail * bsize - reserveOf(blocks * bsize)
  } catch {
    // Some file systems do not report their free space. A copy fails there once the disk is full.
    return undefined
  }
}

function requestSources(
  dataFolder: string,
  copyRequests: OpenDatabases['copyRequests'],
): readonly CopiedSource[] {
  const copyTo =
    copyRequests ?? (existsSync(join(dataFolder, 'requests.db')) ? copyClosedRequests(dataFolder) : undefined)
  return copyTo === undefined ? [] : [{ name: 'requests.db', isOptional: true, copyTo }]
}

function copyClosedRequests(dataFolder: string): CopiedSource['copyTo'] {
  return async (path) => {
    const log = await openRequestLog(dataFolder)
    try {
      await log.copyTo(path)
    } finally {
      await log.close()
    }
  }
}

/**
 * Backs up a data folder that no server uses. The databases are not changed, regardless of the version that wrote them.
 */
export async function backUpFolder(input: BackupInput, withSecrets: boolean): Promise<Bytes> {
  const { dataFolder } = input
  const present = backupDatabases.filter((name) => existsSync(join(dataFolder, name)))
  if (!present.includes('headgate.db'))
    throw new OperatorError('data_folder_missing', `the data folder ${dataFolder} holds no headgate.db`)
  const sources = present.toReversed().map((name) => ({
    name,
    isOptional: name === 'requests.db',
    copyTo: async (path: string) => {
      const database = await openSqlite(join(dataFolder, name))
      try {
        await database.copyTo(path)
      } finally {
        await database.close()
      }
    },
  }))
  return pack(input, sources, {
    more: withSecrets ? () => readSecretFiles(dataFolder) : noFiles,
    readRoom: () => readRoom(dataFolder, () => 0),
  })
}

interface PackOptions {
  readonly more: () => AsyncGenerator<TarFile, void, undefined>
  readonly readRoom: ReadRoom
}

async function pack(
  { dataFolder, version, clock }: BackupInput,
  sources: readonly CopiedSource[],
  { more, readRoom: readFreeRoom }: PackOptions,
): Promise<Bytes> {
  const createdAtMs = clock.nowMs()
  const copied = await copyDatabases(dataFolder, sources, readFreeRoom)
  async function* files() {
    yield* copied.files()
    yield* readSettingFiles(dataFolder)
    yield* more()
  }
  async function* bytes() {
    try {
      yield* packBackup(files(), { version, createdAtMs, omitted: () => copied.omitted })
    } finally {
      copied.drop()
    }
  }
  return bytes()
}

async function* noFiles(): AsyncGenerator<TarFile, void, undefined> {
  // A backup without secrets has no further files.
}

/** Adds the secret files of the data folder to a server's backup, and verifies the backup at the same time. */
export async function* addSecrets(
  bytes: AsyncIterable<Uint8Array>,
  { dataFolder, version, clock }: BackupInput,
): Bytes {
  let manifest: BackupManifest | undefined
  async function* files() {
    yield* readBackup(bytes, (read) => {
      manifest = read
    })
    yield* readSecretFiles(dataFolder)
  }
  yield* packBackup(files(), {
    version,
    createdAtMs: clock.nowMs(),
    omitted: () => manifest?.omitted ?? [],
  })
}

/**
 * Reads a backup to its end and returns its manifest. Throws an error that describes the defect if the backup is not
 * valid.
 */
export async function verifyBackup(bytes: AsyncIterable<Uint8Array>): Promise<BackupManifest> {
  let manifest: BackupManifest | undefined
  const files = readBackup(bytes, (read) => {
    manifest = read
  })
  for await (const { bytes: chunks } of files) for await (const _chunk of chunks);
  if (manifest === undefined) throw new DamagedBackupError('it has no manifest')
  return manifest
}
