import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { tarEnd, writeTarHeader, writeTarPadding } from '../storage/backup/tar.ts'
import { markShared, type SharedMark } from '../storage/files/shared-mark.ts'
import { registerBackupCommands } from './backup.ts'

/** The error of a command on the folder of a node. */
async function runOnNode(...argv: readonly string[]): Promise<string> {
  return runOn({ name: 'models at db:5432', schema: 'headgate' }, argv)
}

async function runOn(mark: SharedMark, argv: readonly string[]): Promise<string> {
  const folder = makeTemporaryFolder()
  markShared(folder, mark)
  return run(folder, argv)
}

async function run(folder: string, argv: readonly string[]): Promise<string> {
  let errors = ''
  const program = new Command('headgate').exitOverride()
  const writeError = (text: string) => {
    errors += text
  }
  const io = { write: writeError, writeError, isTerminal: false, setExitCode: () => undefined }
  registerBackupCommands(program, { dataFolder: () => folder, adminToken: () => undefined, io }, '1')
  await program.parseAsync(['node', 'headgate', ...argv])
  return errors
}

/** The error of a restore of a file with this content. */
async function restoreFile(bytes: Buffer): Promise<string> {
  const folder = makeTemporaryFolder()
  const file = join(folder, 'backup.tar')
  writeFileSync(file, bytes)
  return run(join(folder, 'data'), ['restore', file])
}

function tarOf(name: string, text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([writeTarHeader(name, bytes.length, 0), bytes, writeTarPadding(bytes.length), tarEnd])
}

test('a restore of a backup that this version cannot read says so in one line', async () => {
  const errors = await restoreFile(tarOf('manifest.json', '{"format": "headgate-backup", "version": 2}'))
  expect(errors).toMatch(
    /^headgate: .* was not restored into .*: its manifest\.json cannot be read; it may be of a newer version of Headgate; use another backup \[backup_damaged\]\n$/,
  )
})

test('a restore of a backup with a damaged database names the database', async () => {
  const text = 'of no database'
  const sha256 = createHash('sha256').update(text).digest('hex')
  const manifest = {
    format: 'headgate-backup',
    version: 1,
    headgate: '1',
    created_at: '2026-11-30T00:00:00Z',
    files: [{ name: 'headgate.db', size: text.length, sha256 }],
    omitted: [],
  }
  const files = [
    tarOf('headgate.db', text).subarray(0, -tarEnd.length),
    tarOf('manifest.json', JSON.stringify(manifest)),
  ]
  expect(await restoreFile(Buffer.concat(files))).toContain(
    ': headgate.db in it cannot be used: file is not a database; use another backup [backup_damaged]\n',
  )
})

test('a restore into the folder of a node says how to go back to a data folder', async () => {
  const errors = await runOnNode('restore', 'backup.tar')
  expect(errors).toContain(
    'the installation is in the database models at db:5432; to go back to a data folder',
  )
  expect(errors).toContain('name it with --data, and leave HEADGATE_DATABASE_URL out')
})

test('a backup of the folder of a node names the tools of PostgreSQL', async () => {
  expect(await runOnNode('backup', 'backup.tar')).toContain('copy it by: pg_dump')
})

test('a backup of the folder of a node names the schema that the node uses', async () => {
  const ofOther = await runOn({ name: 'models at db:5432', schema: 'gateway' }, ['backup', 'backup.tar'])
  expect(ofOther).toContain('is in the database models at db:5432;')
  expect(ofOther).toContain('--schema=gateway --file')
  expect(await runOn({ name: 'models', schema: undefined }, ['backup', 'backup.tar'])).toContain(
    '(where the configuration has a database.schema, name that one)',
  )
})
