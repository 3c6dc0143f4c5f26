import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readEnvironment } from '../../config/source/environment.ts'
import type { Variables } from '../../config/source/substitute-variables.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { type CheckOptions, checkCommand, type Terminal } from './check.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-check-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function check(
  text: string,
  options: CheckOptions = {},
  variables: Variables = {},
): Promise<readonly [exitCode: number, printed: string[], errors: string[]]> {
  await writeFile(join(folder, 'headgate.yaml'), text)
  const printed: string[] = []
  const errors: string[] = []
  const parts = {
    flags: {},
    environment: readEnvironment(variables),
    workingFolder: folder,
    registry: providerRegistry,
    probe: async () => false,
  }
  const terminal: Terminal = {
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  }
  const exitCode = await checkCommand(parts, terminal, options)
  return [exitCode, printed, errors]
}

test('a valid configuration is summed up on one line', async () => {
  const yaml = `
keys: [{ name: ci, secret: 0123456789abcdef }]
channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o, gpt-5] }
  - { name: b, provider: openai, api_key: k, models: [gpt-4o] }
models: { fast: { targets: [a/gpt-5] } }`
  expect(await check(yaml)).toEqual([0, ['headgate.yaml: ok, 2 channels, 3 models, 1 key'], []])
})

test('channels with an upstream model list are counted separately', async () => {
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

test('an invalid configuration is reported line by line with exit code 1', async () => {
  expect(await check('lisen: x\nchanels: []')).toEqual([
    1,
    [],
    [
      'headgate.yaml:1:1: lisen: is not a known name; did you mean "listen"?\nheadgate.yaml:2:1: chanels: is not a known name; did you mean "channels"?',
    ],
  ])
})

test('missing variables and files are reported with their place in the file', async () => {
  const yaml = `tls: { cert: server.crt, key: server.key }
channels:
  - { name: a, provider: openai, api_key: "\${NO_SUCH_KEY}", models: [m] }`
  expect(await check(yaml)).toEqual([
    1,
    [],
    [
      [
        `headgate.yaml:1:14: tls.cert: there is no file ${join(folder, 'server.crt')}`,
        `headgate.yaml:1:31: tls.key: there is no file ${join(folder, 'server.key')}`,
        `headgate.yaml:3:43: channels[0].api_key: the environment variable NO_SUCH_KEY is not set; set it, or give a default with \${NO_SUCH_KEY:-default}`,
      ].join('\n'),
    ],
  ])
})

test('a weak secret in the environment is reported by name and not shown', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]'
  const [exitCode, , errors] = await check(yaml, {}, { HEADGATE_SECRET: 'hunter2' })
  expect([exitCode, errors.join().replace(/:.*/, '')]).toEqual([1, 'HEADGATE_SECRET'])
  expect(errors.join()).not.toContain('hunter2')
})

test('with --json the result is one JSON object, valid or not', async () => {
  const good = 'listen: 127.0.0.1:0\nchannels: [{ name: demo, provider: demo }]'
  const [goodCode, [said = '']] = await check(good, { isJson: true })
  expect([goodCode, JSON.parse(said)]).toMatchObject([0, { ok: true, warnings: [], problems: [] }])
  const [badCode, [told = ''], errors] = await check('lisen: x', { isJson: true })
  expect([badCode, JSON.parse(told), errors]).toEqual([
    1,
    {
      ok: false,
      warnings: [],
      problems: [
        {
          file: 'headgate.yaml',
          line: 1,
          column: 1,
          path: 'lisen',
          message: 'is not a known name; did you mean "listen"?',
          fact: { code: 'unknown_field', values: { nearest: 'listen' } },
        },
      ],
    },
    [],
  ])
})
