import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readPlainFile } from './read-plain-file.ts'

const MEGABYTE = 1024 * 1024
const isUnix = process.platform !== 'win32'

it('a regular file is read whole, up to 1 MB', async () => {
  const path = join(makeTemporaryFolder(), 'file')
  writeFileSync(path, 'é'.repeat(MEGABYTE / 2))
  expect(await readPlainFile(path)).toEqual({ type: 'text', text: 'é'.repeat(MEGABYTE / 2) })
})

it('a file larger than 1 MB is refused', async () => {
  const path = join(makeTemporaryFolder(), 'file')
  writeFileSync(path, Buffer.alloc(MEGABYTE + 1))
  expect(await readPlainFile(path)).toEqual({ type: 'unfit', reason: 'the file is larger than 1 MB:' })
})

it('a missing file and a folder are distinguished', async () => {
  const folder = makeTemporaryFolder()
  mkdirSync(join(folder, 'folder'))
  const reasons = [await readPlainFile(join(folder, 'gone')), await readPlainFile(join(folder, 'folder'))]
  expect(reasons).toEqual([
    { type: 'unfit', reason: 'there is no file' },
    { type: 'unfit', reason: 'this is a folder, name the file in it:' },
  ])
})

const noFile = { type: 'unfit', reason: 'only a regular file is read, no device, pipe or socket:' }

it.runIf(isUnix)('a pipe is not read, and reading does not wait for a writer', async () => {
  const path = join(makeTemporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  // More than libuv has threads: were one to wait, the last would never be answered.
  const answers = await Promise.all(Array.from({ length: 6 }, () => readPlainFile(path)))
  expect(answers).toEqual(Array.from({ length: 6 }, () => noFile))
})

it.runIf(isUnix)('a device is not read', async () => {
  expect(await readPlainFile('/dev/zero')).toEqual(noFile)
})

it.runIf(isUnix)('a socket is not read', async () => {
  const path = join(makeTemporaryFolder(), 'socket')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  expect(await readPlainFile(path)).toEqual(noFile)
  server.close()
})
