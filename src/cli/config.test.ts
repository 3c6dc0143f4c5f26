import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { startGateway, testAdminToken } from '../../test/support/start-gateway.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { registerConfigCommand } from './config.ts'
import { registerObjectCommands } from './objects/register-objects.ts'

interface Ran {
  readonly out: string
  readonly error: string
  readonly code: number
}

/** Runs a command in this process, on the data folder of a gateway. */
function createRun(folder: string) {
  return async (...argv: readonly string[]): Promise<Ran> => {
    const ran = { out: '', error: '', code: 0 }
    const say = (text: string): void => {
      ran.error += text
    }
    const program = new Command('headgate').exitOverride().configureOutput({ writeErr: say, writeOut: say })
    const context = {
      dataFolder: () => folder,
      adminToken: () => testAdminToken,
      io: {
        write: (text: string) => {
          ran.out += text
        },
        writeError: say,
        isTerminal: false,
        setExitCode: (code: number) => {
          ran.code = code
        },
      },
    }
    registerConfigCommand(program, context)
    registerObjectCommands(program, context)
    await program.parseAsync(['node', 'headgate', ...argv]).catch(() => {
      ran.code = 1
    })
    return ran
  }
}

const demo = 'channels: [{ name: demo, provider: demo }]\n'

test('channels are made, changed, disabled and removed by the running server, the key from a file', async () => {
  await using gateway = await startGateway(demo)
  const run = createRun(gateway.dataFolder)
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

test('models are made and removed, and what is wrong is told line by line', async () => {
  await using gateway = await startGateway(demo)
  const run = createRun(gateway.dataFolder)
  expect((await run('models', 'add', 'team/fast', '--targets', 'demo/demo-chat')).code).toBe(0)
  expect((await run('models', 'list')).out).toContain('team/fast  demo/demo-chat')
  const bad = await run('models', 'edit', 'team/fast', '--targets', 'no/x,no/y')
  expect(bad.code).toBe(1)
  expect(bad.error).toContain('  targets[0]: there is no channel "no"')
  expect(bad.error).toContain('  targets[1]: there is no channel "no"')
  expect((await run('models', 'remove', 'team/fast')).code).toBe(0)
})

test('a document is checked, applied, undone and restored, and the versions tell it', async () => {
  await using gateway = await startGateway(demo)
  const run = createRun(gateway.dataFolder)
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
    ['VERSION', 'STATUS', 'HOW', 'FROM', 'COMMENT', 'CHANGES'],
    ['3', 'serving', 'restore to 1', '127.0.0.1', '-', 'model "fast" added (+1)'],
    ['2', 'superseded', 'undo to 0', '127.0.0.1', '-', 'model "fast" removed (+1)'],
    ['1', 'superseded', 'change', '127.0.0.1', 'first', 'model "fast" added (+1)'],
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

test('without a server a command says so', async () => {
  const run = createRun(makeTemporaryFolder())
  expect(await run('channels', 'list')).toMatchObject({
    code: 1,
    error: expect.stringContaining('no server runs here'),
  })
})
