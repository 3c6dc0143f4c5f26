import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createServerFile } from './server-file.ts'

const address = { pid: 1, url: 'http://127.0.0.1:8080' }

test('a server file that is absent, or written by another version, names no server', () => {
  const folder = makeTemporaryFolder()
  const file = createServerFile(folder, systemRandom)
  expect(file.read()).toBeUndefined()
  writeFileSync(join(folder, 'server.json'), '{"pid": "of another form"}')
  expect(file.read()).toBeUndefined()
})

test('a server file that cannot be read is an error, not a folder without a server', () => {
  const folder = makeTemporaryFolder()
  mkdirSync(join(folder, 'server.json'))
  expect(() => createServerFile(folder, systemRandom).read()).toThrow(
    /server\.json cannot be read: EISDIR.*; give this user the right to read it$/,
  )
})

test('a server file with the same content is not written again', () => {
  const folder = makeTemporaryFolder()
  const file = createServerFile(folder, systemRandom)
  file.stage(address)?.commit()
  expect(file.read()).toMatchObject(address)
  expect(file.stage(address)).toBeUndefined()
  const written = readFileSync(join(folder, 'server.json'), 'utf8')
  expect(file.stage({ ...address, pid: 2 })).toBeDefined()
  expect(readFileSync(join(folder, 'server.json'), 'utf8')).toBe(written)
})

test('a server file is removed by the process that wrote it last, and by no other', () => {
  const folder = makeTemporaryFolder()
  const [before, after] = [createServerFile(folder, systemRandom), createServerFile(folder, systemRandom)]
  before.write(address)
  after.write({ ...address, pid: 2 })
  before.remove()
  expect(after.read()).toMatchObject({ pid: 2 })
  after.remove()
  expect(after.read()).toBeUndefined()
})
