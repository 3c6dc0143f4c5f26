import { expect, it } from 'vitest'
import { readIdentity } from '../../../test/support/certificate.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import type { Config } from '../config.ts'
import { resolveConfig } from '../resolve-config.ts'
import { readEnvironment } from '../source/environment.ts'
import { findRestartRequired } from './find-restart-required.ts'

function resolve(yaml: string, tls?: TlsIdentity): Config {
  const parsed = parseYamlConfig(yaml)
  return resolveConfig({
    parsed,
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls, channels: parsed.channels },
    environment: readEnvironment({}),
    outer: {},
    workingFolder: '/',
  })
}

it.each([
  ['nothing', 'retry: { attempts: 2 }', []],
  ['the listener, and with it the place of the admin API', 'listen: 0.0.0.0:8080', ['listen']],
  ['the data folder', 'data: elsewhere', ['data']],
  ['the admin API', 'admin: off', ['admin']],
  ['several', 'listen: :1\ndata: elsewhere', ['listen', 'data']],
])('the settings that need a restart are found when these change: %s', (_what, yaml, names) => {
  expect(findRestartRequired(resolve('{}'), resolve(yaml))).toEqual(names)
})

it('a new certificate needs no restart, but adding or removing TLS does', () => {
  const [first, second] = [readIdentity('first'), readIdentity('second')]
  expect(findRestartRequired(resolve('{}', first), resolve('{}', second))).toEqual([])
  expect(findRestartRequired(resolve('{}', first), resolve('{}'))).toEqual(['tls'])
  expect(findRestartRequired(resolve('{}'), resolve('{}', first))).toEqual(['tls'])
})
