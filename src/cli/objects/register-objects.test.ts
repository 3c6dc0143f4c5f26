import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandRunner } from '../../../test/support/run-commands.ts'
import { startGateway } from '../../../test/support/start-gateway.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { registerObjectCommands } from './register-objects.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

test('commands add, change, disable and remove channels on the running server, with the key read from a file', async () => {
  await using gateway = await startGateway(demo)
  const run = createCommandRunner(gateway.dataFolder, registerObjectCommands)
  const key = join(makeTemporaryFolder(), 'key')
  writeFileSync(key, 'sk-upstream-0123456789wxyz\n')
  const made = await run(
    'channels',
    'add',
    'a',
    '--provider',
    'openai',
    '--key-file',
    key,
    '--models',
    'm, n',
  )
  expect(made).toEqual({ out: 'The channel "a" is added.\n', error: '', code: 0 })
  await run(
    'channels',
    'edit',
    'a',
    '--weight',
    '3',
    '--set',
    'timeouts.idle=90s',
    '--set',
    'headers={x-team: search}',
  )
  const shown: unknown = JSON.parse((await run('channels', 'show', 'a')).out)
  expect(shown).toMatchObject({
    api_key: '…wxyz',
    models: ['m', 'n'],
    weight: 3,
    timeouts: { idle: '90s' },
    headers: { 'x-team': 'search' },
  })
  expect((await run('channels', 'disable', 'a')).out).toBe('The channel "a" is disabled.\n')
  expect((await run('channels', 'list')).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'PROVIDER', 'ADDRESS', 'MODELS', 'PRIORITY', 'WEIGHT', 'STATUS', 'OWNER'],
    ['a', 'openai', '-', 'm,n', '-', '3', 'disabled', 'api'],
    ['demo', 'demo', '-', '-', '-', '-', 'enabled', 'file'],
    [''],
  ])
  await run('channels', 'edit', 'a', '--set', 'weight=null')
  expect(JSON.parse((await run('channels', 'show', 'a')).out)).not.toHaveProperty('weight')
  expect((await run('channels', 'enable', 'a')).code).toBe(0)
  expect((await run('channels', 'remove', 'a')).out).toBe('The channel "a" is removed.\n')
  expect(await run('channels', 'remove', 'a')).toMatchObject({
    code: 1,
    error: expect.stringContaining('There is no channel "a"'),
  })
})

test('commands add and remove models, and problems are reported line by line', async () => {
  await using gateway = await startGateway(demo)
  const run = createCommandRunner(gateway.dataFolder, registerObjectCommands)
  expect((await run('models', 'add', 'team/fast', '--targets', 'demo/demo-chat')).code).toBe(0)
  expect((await run('models', 'list')).out).toContain('team/fast  demo/demo-chat')
  const bad = await run('models', 'edit', 'team/fast', '--targets', 'no/x,no/y')
  expect(bad.code).toBe(1)
  expect(bad.error).toContain('  targets[0]: there is no channel "no"')
  expect(bad.error).toContain('  targets[1]: there is no channel "no"')
  expect((await run('models', 'remove', 'team/fast')).code).toBe(0)
})

test('a command without a server reports that no server runs', async () => {
  const run = createCommandRunner(makeTemporaryFolder(), registerObjectCommands)
  expect(await run('channels', 'list')).toMatchObject({
    code: 1,
    error: expect.stringContaining('no server runs here'),
  })
})
