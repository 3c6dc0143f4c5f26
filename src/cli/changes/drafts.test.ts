import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { startGateway, testAdminToken } from '../../../test/support/start-gateway.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { draftSummarySchema } from '../../admin/drafts/draft-contract.ts'
import { registerConfigCommand } from '../config/config.ts'
import { registerKeysCommand } from '../keys.ts'
import { registerDraftsCommand } from './drafts.ts'

/** Runs a command in this process, on the data folder of a gateway; answers with what it wrote. */
function createRun(folder: string) {
  return async (...argv: readonly string[]): Promise<string> => {
    let written = ''
    const write = (text: string): void => {
      written += text
    }
    const program = new Command('headgate')
      .exitOverride()
      .configureOutput({ writeErr: write, writeOut: write })
    const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
    const context = { dataFolder: () => folder, adminToken: () => testAdminToken, io }
    registerConfigCommand(program, context)
    registerDraftsCommand(program, context)
    registerKeysCommand(program, context)
    await program.parseAsync(['node', 'headgate', ...argv])
    return written
  }
}

test('commands create, change, show, rebase, apply and undo a draft', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const run = createRun(gateway.dataFolder)
  const { id } = draftSummarySchema.parse(JSON.parse(await run('drafts', 'create', 'cheaper', '--json')))
  await run('drafts', 'add', id, 'models', 'fast', '--set', 'targets=[demo/demo-chat]')
  await run('drafts', 'patch', id, 'models', 'fast', '--set', 'strategy=cheapest')
  await run('drafts', 'edit', id, '--comment', 'as agreed')
  expect(await run('drafts', 'list')).toContain('as agreed')
  expect(await run('drafts', 'show', id)).toContain('+ The key test gains fast\n+ New: fast\n')
  expect(await run('drafts', 'rebase', id)).toBe('The draft "cheaper" is a change of version 0.\n')
  expect(await run('drafts', 'apply', id)).toBe(
    'Version 1 is in use. "headgate config undo 1" takes it back.\n',
  )
  const breaks = '! The key test loses fast\n! No channel serves fast any more\n'
  expect(await run('config', 'preview', 'models', 'fast', '--remove')).toContain(breaks)
  expect(await run('config', 'undo', '1', '--preview')).toContain(breaks)
  expect(await run('config', 'undo', '--preview')).toContain(breaks)
  expect(await run('config', 'restore', '0', '--preview')).toContain(breaks)
  expect(await run('config', 'undo', '1')).toBe('Version 2 is in use.\n')
  const other = draftSummarySchema.parse(JSON.parse(await run('drafts', 'create', 'x', '--json')))
  await run('drafts', 'put', other.id, 'models', 'fast', '--set', 'targets=[demo/demo-chat]')
  expect(await run('drafts', 'remove', other.id, 'models', 'fast')).toContain('has the change')
  expect(await run('drafts', 'show', other.id)).toContain('Nothing changes for anybody.')
  expect(await run('drafts', 'discard', other.id)).toBe('The draft "x" is discarded.\n')
})

test('the preview of an undo after an undo shows the next step back, as the undo itself takes it', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const run = createRun(gateway.dataFolder)
  const file = join(makeTemporaryFolder(), 'document.yaml')
  for (const names of [['one'], ['one', 'two']]) {
    writeFileSync(
      file,
      `models: { ${names.map((name) => `${name}: { targets: [demo/demo-chat] }`).join(', ')} }\n`,
    )
    await run('config', 'apply', file)
  }
  expect(await run('config', 'undo', '--preview')).toContain('model "two" removed')
  await run('config', 'undo')
  expect(await run('config', 'undo', '--preview')).toContain('model "one" removed')
  expect(await run('config', 'undo')).toBe('Version 4 is in use.\n')
  expect(await run('config', 'diff', '4')).toBe('model "one" removed\n')
})

test('a command previews a change to a key', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const run = createRun(gateway.dataFolder)
  await run('keys', 'create', '--name', 'ci')
  expect(await run('keys', 'edit', 'ci', '--models', 'demo-chat', '--preview')).toBe(
    '! The key ci loses demo-embed\n',
  )
  expect(await run('keys', 'show', 'ci')).toContain('"*"')
})
