import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readEnvironment } from '../config/environment.ts'
import { providerRegistry } from '../providers/registry.ts'
import { checkCommand } from './check.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-check-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function check(
  text: string,
): Promise<readonly [exitCode: number, printed: string[], errors: string[]]> {
  await writeFile(join(folder, 'headgate.yaml'), text)
  const printed: string[] = []
  const errors: string[] = []
  const parts = {
    flags: {},
    environment: readEnvironment({}),
    workingFolder: folder,
    registry: providerRegistry,
    probe: async () => false,
  }
  const exitCode = await checkCommand(parts, {
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  })
  return [exitCode, printed, errors]
}

test('a good configuration is summed up on one line', async () => {
  const yaml = `
keys: [{ name: ci, secret: 0123456789abcdef }]
channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o, gpt-5] }
  - { name: b, provider: openai, api_key: k, models: [gpt-4o] }
models: { fast: { targets: [a/gpt-5] } }`
  expect(await check(yaml)).toEqual([0, ['headgate.yaml: ok, 2 channels, 3 models, 1 key'], []])
})

test('channels that take the list of their upstream are named apart', async () => {
  const yaml = 'listen: :8080\nchannels: [{ name: local, provider: ollama }]'
  expect(await check(yaml)).toEqual([
    0,
    ['headgate.yaml: ok, 1 channel, 0 models and those that 1 channel lists, 0 keys'],
    [
      'headgate.yaml: warning: admin: the admin API and the metrics are off, since others can reach the listener; give admin.listen',
      'headgate.yaml: warning: listen: keys travel unencrypted unless a proxy in front of this address serves https',
    ],
  ])
})

test('a bad configuration is told line by line and ends with 1', async () => {
  expect(await check('lisen: x\nchanels: []')).toEqual([
    1,
    [],
    [
      'headgate.yaml:1:1: lisen: is not a known name; did you mean "listen"?\nheadgate.yaml:2:1: chanels: is not a known name; did you mean "channels"?',
    ],
  ])
})
