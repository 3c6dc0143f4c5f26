import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandRunner } from '../../../test/support/run-commands.ts'
import { startGateway } from '../../../test/support/start-gateway.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { registerConfigCommand } from './config.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

test('a document is checked, applied, undone and restored, and the versions show it', async () => {
  await using gateway = await startGateway(demo)
  const run = createCommandRunner(gateway.dataFolder, registerConfigCommand)
  const file = join(makeTemporaryFolder(), 'document.yaml')
  writeFileSync(file, 'models: { fast: { targets: [demo/demo-chat] } }\nretry: { attempts: 5 }\n')
  expect((await run('config', 'check', file)).out).toBe(
    'model "fast" added\nsetting retry added\n~ Setting retry: attempts – → 5\n+ The key test gains fast\n+ New: fast\nok\n',
  )
  expect((await run('config', 'apply', file, '--comment', 'first', '--base', '0')).out).toBe(
    'Version 1 is in use.\n',
  )
  expect((await run('config', 'apply', file, '--base', '7')).error).toContain('is at version 1 by now')
  const { out } = await run('config', 'show', '--document')
  writeFileSync(file, out)
  expect((await run('config', 'check', file)).out).toBe('Nothing changes for anybody.\nok\n')
  expect((await run('config', 'undo')).out).toBe('Version 2 is in use.\n')
  expect((await run('config', 'restore', '1')).out).toBe('Version 3 is in use.\n')
  const versions = await run('config', 'versions')
  expect(
    versions.out.split('\n').map((line) => line.split(/ {2,}/).filter((_, index) => index !== 1)),
  ).toEqual([
    ['VERSION', 'WHO', 'STATUS', 'HOW', 'FROM', 'COMMENT', 'CHANGES'],
    ['3', 'admin token', 'serving', 'restore to 1', '127.0.0.1', '-', 'model "fast" added (+1)'],
    ['2', 'admin token', 'superseded', 'undo to 0', '127.0.0.1', '-', 'model "fast" removed (+1)'],
    ['1', 'admin token', 'superseded', 'change', '127.0.0.1', 'first', 'model "fast" added (+1)'],
    [''],
  ])
  expect((await run('config', 'versions', '1')).out).toContain('"attempts": 5')
  expect((await run('config', 'show')).out).toBe(
    'Version 3.\nWHAT     NAME   OWNER\nchannel  demo   file\nmodel    fast   api\nsetting  retry  api\nsetting  log    file\n',
  )
  writeFileSync(file, 'retry: { attempts: 0 }\nlog: { level: debug }\n')
  expect(await run('config', 'check', file)).toMatchObject({
    code: 1,
    out: expect.stringContaining('belongs to the configuration file'),
  })
  writeFileSync(file, 'retry: [')
  expect((await run('config', 'apply', file)).error).toContain('not valid YAML')
})

test('an empty file does not remove what the admin API owns, as an empty map does', async () => {
  await using gateway = await startGateway(demo)
  const run = createCommandRunner(gateway.dataFolder, registerConfigCommand)
  const file = join(makeTemporaryFolder(), 'document.json')
  writeFileSync(file, 'models: { fast: { targets: [demo/demo-chat] } }')
  await run('config', 'apply', file)
  for (const empty of ['', '\n', '# nothing yet\n', '---\n']) {
    writeFileSync(file, empty)
    for (const step of ['check', 'apply']) {
      const refused = await run('config', step, file)
      expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('is empty; write {}') })
    }
  }
  writeFileSync(file, '{}')
  expect((await run('config', 'apply', file)).out).toBe('Version 2 is in use.\n')
})

test('the preview of an undo that would be refused exits with 1', async () => {
  await using gateway = await startGateway(demo)
  const run = createCommandRunner(gateway.dataFolder, registerConfigCommand)
  const file = join(makeTemporaryFolder(), 'document.yaml')
  const apply = async (models: string) => {
    writeFileSync(file, `models: { ${models} }\n`)
    expect((await run('config', 'apply', file)).code).toBe(0)
  }
  await apply('fast: { targets: [demo/demo-chat] }')
  await apply('fast: { targets: [demo/demo-chat] }, other: { targets: [demo/demo-chat], fallback: [fast] }')
  const broken = await run('config', 'undo', '1', '--preview')
  expect(broken).toMatchObject({ code: 1, out: expect.stringContaining('It cannot be applied.') })
  expect((await run('config', 'undo', '2', '--preview')).code).toBe(0)
  await apply('fast: { targets: [demo/demo-chat], strategy: cheapest }')
  expect((await run('config', 'restore', '0', '--preview')).code).toBe(0)
  const conflict = await run('config', 'undo', '1', '--preview')
  expect(conflict).toMatchObject({ code: 1, out: expect.stringContaining('conflict: models fast') })
  expect((await run('config', 'undo', '1', '--preview', '--force')).code).toBe(0)
})
