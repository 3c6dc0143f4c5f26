import { createHash } from 'node:crypto'
import { z } from 'zod'
import { OperatorError } from '../../canonical/operator-error.ts'
import { PRICE_TABLE_FILE } from '../../config/source/open-price-tables.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { DamagedBackupError } from './damaged-backup-error.ts'
import { readTar, type TarFile, tarEnd, writeTarHeader, writeTarPadding } from './tar.ts'

/** The files of a data folder that a backup may hold. A backup with any other file name is refused. */
export const backupDatabases = ['headgate.db', 'requests.db', 'ledger.db'] as const
export const backupSecrets = [
  'pepper',
  'secret',
  'secret.previous',
  'admin-token',
  'metrics-token',
  'first-key',
] as const
/** Files that are neither databases nor secrets. Without the prices, requests would cost other amounts. */
export const backupSettings = [PRICE_TABLE_FILE] as const

const MANIFEST = 'manifest.json'
const MAX_MANIFEST_BYTES = 64 * 1024

/** The facts about a backup that are stored besides its files. */
export interface BackupAbout {
  /** Headgate's own version. */
  readonly version: string
  readonly createdAtMs: number
  /** Databases that could not be copied, with the reasons. Called once all files have been read. */
  readonly omitted: () => readonly OmittedFile[]
}

export interface OmittedFile {
  readonly name: string
  readonly reason: string
}

const manifestSchema = z.object({
  format: z.literal('headgate-backup'),
  version: z.literal(1),
  headgate: z.string(),
  created_at: z.iso.datetime(),
  files: z.array(
    z.object({ name: z.string(), size: z.int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
  omitted: z.array(z.object({ name: z.string(), reason: z.string() })),
})

/** The last file of a backup. A backup that was cut off has no manifest. */
export type BackupManifest = z.output<typeof manifestSchema>

/**
 * The bytes of a backup: a tar archive of the files in order, followed by a manifest with the size and the SHA-256 of
 * each file.
 */
export async function* packBackup(
  files: AsyncIterable<TarFile>,
  about: BackupAbout,
): AsyncGenerator<Buffer, void, undefined> {
  const packed: BackupManifest['files'] = []
  const { createdAtMs: atMs } = about
  for await (const { name, size, bytes } of files) {
    yield writeTarHeader(name, size, atMs)
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of bytes) {
      hash.update(chunk)
      length += chunk.length
      yield chunk
    }
    if (length !== size) throw new OperatorError('backup_failed', `${name} changed while it was read`)
    yield writeTarPadding(size)
    packed.push({ name, size, sha256: hash.digest('hex') })
  }
  const manifest = Buffer.from(`${JSON.stringify(describe(packed, about), undefined, 2)}\n`)
  yield writeTarHeader(MANIFEST, manifest.length, atMs)
  yield manifest
  yield writeTarPadding(manifest.length)
  yield tarEnd
}

function describe(
  files: BackupManifest['files'],
  { version, createdAtMs, omitted }: BackupAbout,
): BackupManifest {
  return {
    format: 'headgate-backup',
    version: 1,
    headgate: version,
    created_at: new Date(createdAtMs).toISOString(),
    files,
    omitted: [...omitted()],
  }
}

/**
 * Yields the files of a backup one after the other, each to be read to its end, then calls `onManifest`. Do not rely
 * on any file before that call: until then the backup may be cut off or damaged. Throws an error that says what is
 * wrong with the backup.
 */
export async function* readBackup(
  bytes: AsyncIterable<Uint8Array>,
  onManifest: (manifest: BackupManifest) => void,
): AsyncGenerator<TarFile, void, undefined> {
  const read: BackupManifest['files'] = []
  let manifest: BackupManifest | undefined
  for await (const file of readTar(bytes)) {
    if (manifest !== undefined) throw new DamagedBackupError(`something follows ${MANIFEST}`)
    if (file.name === MANIFEST) {
      manifest = await readManifest(file)
      continue
    }
    checkName(
      file.name,
      read.map(({ name }) => name),
    )
    const hash = createHash('sha256')
    yield { ...file, bytes: hashing(file.bytes, hash) }
    read.push({ name: file.name, size: file.size, sha256: hash.digest('hex') })
  }
  if (manifest === undefined)
    throw new DamagedBackupError(`it has no ${MANIFEST} at its end, so it is cut off or no backup`)
  compare(read, manifest.files)
  onManifest(manifest)
}

async function* hashing(bytes: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

function checkName(name: string, before: readonly string[]): void {
  const known: readonly string[] = [...backupDatabases, ...backupSettings, ...backupSecrets]
  if (!known.includes(name))
    throw new DamagedBackupError(`it holds a file ${JSON.stringify(name)}, which no backup has`)
  if (before.includes(name)) throw new DamagedBackupError(`it holds ${name} twice`)
}

async function readManifest({ size, bytes }: TarFile): Promise<BackupManifest> {
  if (size > MAX_MANIFEST_BYTES) throw new DamagedBackupError(`its ${MANIFEST} is too large`)
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const manifest = manifestSchema.safeParse(tryParseJson(Buffer.concat(chunks).toString('utf8')))
  if (manifest.success) return manifest.data
  throw new DamagedBackupError(`its ${MANIFEST} cannot be read; it may be of a newer version of Headgate`)
}

function compare(read: BackupManifest['files'], stated: BackupManifest['files']): void {
  for (const { name, size, sha256 } of stated) {
    const found = read.find((file) => file.name === name)
    if (found === undefined) throw new DamagedBackupError(`it lacks ${name}`)
    if (found.size !== size || found.sha256 !== sha256)
      throw new DamagedBackupError(`${name} in it is damaged`)
  }
  if (read.length !== stated.length)
    throw new DamagedBackupError('it holds files that its manifest does not name')
}
