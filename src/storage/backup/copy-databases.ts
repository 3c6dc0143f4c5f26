import { createReadStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { makeWorkFolder } from '../files/work-folders.ts'
import { backupSecrets, backupSettings, type OmittedFile } from './pack-backup.ts'
import type { TarFile } from './tar.ts'

/** A database that is copied into a backup. */
export interface CopiedSource {
  readonly name: string
  /** Whether a backup without this database is useful. */
  readonly isOptional: boolean
  /** Makes a copy that other users cannot read. The file does not exist yet. */
  copyTo(path: string): Promise<void>
}

export interface CopiedDatabases {
  readonly omitted: readonly OmittedFile[]
  files(): AsyncGenerator<TarFile, void, undefined>
  /** Deletes the copies. */
  drop(): void
}

/** The beginning of the names of folders with copies. */
export const COPIES_PREFIX = 'backup-'

/** The number of bytes that copies may fill where the data folder is; undefined where the system does not say. */
export type ReadRoom = () => Promise<number | undefined>

/**
 * Copies databases, one after the other, into a new folder inside the data folder. An optional database that cannot
 * be copied is omitted. If any other copy fails, all copies are deleted.
 */
export async function copyDatabases(
  dataFolder: string,
  sources: readonly CopiedSource[],
  readRoom: ReadRoom,
): Promise<CopiedDatabases> {
  const folder = makeCopiesFolder(dataFolder)
  const drop = () => rmSync(folder, { recursive: true, force: true })
  const omitted: OmittedFile[] = []
  const copied: string[] = []
  try {
    for (const [index, { name, isOptional, copyTo }] of sources.entries()) {
      const rest = sources.slice(index + 1).filter((source) => !source.isOptional)
      try {
        requireRoom([name, ...rest.map((source) => source.name)], dataFolder, await readRoom())
        await copyTo(join(folder, name))
        copied.push(name)
      } catch (error) {
        if (!isOptional) throw error
        rmSync(join(folder, name), { force: true })
        omitted.push({ name, reason: innerReasonOf(error) })
      }
    }
  } catch (error) {
    drop()
    throw error
  }
  return {
    omitted,
    drop,
    async *files() {
      for (const name of copied) {
        const path = join(folder, name)
        yield { name, size: statSync(path).size, bytes: createReadStream(path) }
      }
    },
  }
}

function makeCopiesFolder(dataFolder: string): string {
  try {
    return makeWorkFolder(dataFolder, COPIES_PREFIX)
  } catch (cause) {
    const message = `A backup first copies the databases inside the data folder ${dataFolder}, which cannot be written to: ${reasonOf(cause)}. Make it writable for this user, or copy the whole folder to another disk while no server runs on it, and name the copy with --data.`
    throw new GatewayError('store_unavailable', { message, logCause: message }, { cause })
  }
}

const BYTES_PER_MB = 1024 ** 2

/** Refuses copies that would fill the disk, since the server writes there too. */
function requireRoom(names: readonly string[], dataFolder: string, room: number | undefined): void {
  const needed = names.reduce((sum, name) => sum + sizeOf(join(dataFolder, name)), 0)
  if (room === undefined || needed <= room) return
  const [needs, may] = [Math.ceil(needed / BYTES_PER_MB), Math.max(0, Math.floor(room / BYTES_PER_MB))]
  const message = `The disk of the data folder has too little room for the copies of a backup: ${names.join(', ')} need ${needs} MB, and at most ${may} MB may be filled. Free some room, then make the backup again.`
  throw new GatewayError('store_unavailable', { message, logCause: message })
}

/** The larger of a database and its log: the database may grow up to the log when the log is moved into it. */
function sizeOf(path: string): number {
  const [database = 0, log = 0] = [path, `${path}-wal`].map(
    (each) => statSync(each, { throwIfNoEntry: false })?.size,
  )
  return Math.max(database, log)
}

/** The files of a data folder that each hold a secret. */
export function readSecretFiles(dataFolder: string): AsyncGenerator<TarFile, void, undefined> {
  return readFiles(dataFolder, backupSecrets)
}

/** The files of a data folder that are neither databases nor secrets. */
export function readSettingFiles(dataFolder: string): AsyncGenerator<TarFile, void, undefined> {
  return readFiles(dataFolder, backupSettings)
}

async function* readFiles(
  dataFolder: string,
  names: readonly string[],
): AsyncGenerator<TarFile, void, undefined> {
  for (const name of names) {
    const path = join(dataFolder, name)
    if (!existsSync(path)) continue
    const bytes = readFileSync(path)
    yield { name, size: bytes.length, bytes: oneChunk(bytes) }
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes
}
