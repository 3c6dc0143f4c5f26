import { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { markShared, type SharedMark } from '../storage/files/shared-mark.ts'
import { registerBackupCommands } from './backup.ts'

/** The error of a command on the folder of a node. */
async function runOnNode(...argv: readonly string[]): Promise<string> {
  return runOn({ name: 'models at db:5432', schema: 'headgate' }, argv)
}

async function runOn(mark: SharedMark, argv: readonly string[]): Promise<string> {
  const folder = makeTemporaryFolder()
  markShared(folder, mark)
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
