import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createSecretFiles } from './secret-files.ts'
import { createServerFile } from './server-file.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('secrets are made once, in a folder and files that only their owner can read', () => {
  const folder = join(makeTemporaryFolder(), 'data')
  const secrets = createSecretFiles(folder, systemRandom)
  expect(secrets.findAdminToken()).toBe(undefined)
  const pepper = secrets.pepper('make')
  const token = secrets.adminToken()
  expect(pepper).toHaveLength(32)
  expect(token).toMatch(/^[\w-]{43}$/)
  const again = createSecretFiles(folder, systemRandom)
  expect([again.pepper('refuse'), again.adminToken(), again.findAdminToken()]).toEqual([pepper, token, token])
  expect(readdirSync(folder).sort()).toEqual(['admin-token', 'pepper'])
  expect([folder, join(folder, 'pepper'), join(folder, 'admin-token')].map(modeOf)).toEqual([
    '700',
    '600',
    '600',
  ])
})

test('the first key stays in a file that only its owner can read until it is removed', () => {
  const folder = makeTemporaryFolder()
  const path = join(folder, 'first-key')
  const { firstKey } = createSecretFiles(folder, systemRandom)
  expect(firstKey.isThere()).toBe(false)
  firstKey.write('sk-hg-first')
  expect([firstKey.path, firstKey.isThere()]).toEqual([path, true])
  expect(readFileSync(path, 'utf8')).toBe('sk-hg-first\n')
  expect(modeOf(path)).toBe('600')
  firstKey.remove()
  expect(firstKey.isThere()).toBe(false)
})

test.each([
  ['an empty pepper', 'pepper', '', 0o600, /pepper is damaged/],
  ['a short pepper', 'pepper', 'abcd', 0o600, /pepper is damaged/],
  [
    'a pepper that others can read',
    'pepper',
    'ab'.repeat(32),
    0o640,
    /can be read by others; run: chmod 600/,
  ],
  ['an empty admin token', 'admin-token', '\n', 0o600, /admin-token is damaged/],
  ['a short admin token', 'admin-token', 'secret', 0o600, /admin-token is damaged/],
  ['an admin token that others can read', 'admin-token', 'a'.repeat(40), 0o604, /can be read by others/],
])('refuses %s with an error of one line', (_case, name, text, mode, line) => {
  const folder = makeTemporaryFolder()
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  const secrets = createSecretFiles(folder, systemRandom)
  expect(() => (name === 'pepper' ? secrets.pepper('make') : secrets.adminToken())).toThrow(line)
})

test('a damaged secret of sealed values is to be restored, since a new one opens none of them', () => {
  const folder = makeTemporaryFolder()
  const secrets = createSecretFiles(folder, systemRandom)
  for (const name of ['secret', 'secret.previous']) writeFileSync(join(folder, name), '', { mode: 0o600 })
  const line = /damaged: .*; restore it from a copy, as nothing that it sealed can be read without it/
  expect(() => secrets.sealingSecret()).toThrow(line)
  expect(() => secrets.earlierSealingSecrets(false)).toThrow(line)
})

test.each(['pepper', 'admin-token', 'metrics-token', 'secret', 'first-owner'])(
  'the error for a file %s that cannot be read names it, and what to do',
  (name) => {
    const folder = makeTemporaryFolder()
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    const { pepper, adminToken, metricsToken, sealingSecret, firstOwner } = createSecretFiles(
      folder,
      systemRandom,
    )
    const reads: Readonly<Record<string, () => unknown>> = {
      pepper: () => pepper('make'),
      'admin-token': adminToken,
      'metrics-token': metricsToken,
      secret: sealingSecret,
      'first-owner': firstOwner.read,
    }
    expect(reads[name]).toThrow(
      `${path} cannot be read: EISDIR: illegal operation on a directory, read; make it`,
    )
  },
)

test('a lost pepper is not created again when keys depend on it', () => {
  const secrets = createSecretFiles(makeTemporaryFolder(), systemRandom)
  expect(() => secrets.pepper('refuse')).toThrow('pepper is gone; restore it from a copy')
})

test('the server file holds the address until it is removed, and a damaged one is treated as absent', () => {
  const folder = makeTemporaryFolder()
  const file = createServerFile(folder, systemRandom)
  expect(file.read()).toBe(undefined)
  const address = {
    pid: 42,
    url: 'https://127.0.0.1:8080',
    adminUrl: 'http://127.0.0.1:8081',
    certificate: 'AB',
  }
  file.write(address)
  expect(file.read()).toMatchObject(address)
  expect(modeOf(join(folder, 'server.json'))).toBe('600')
  file.remove()
  file.remove()
  expect(file.read()).toBe(undefined)
  writeFileSync(join(folder, 'server.json'), '{"pid":"42"')
  expect(file.read()).toBe(undefined)
})
