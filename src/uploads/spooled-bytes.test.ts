import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openSpool } from './open-spool.ts'

function allow(maxBytes: number) {
  let left = maxBytes
  return {
    grow(bytes: number) {
      if (bytes > left) return false
      left -= bytes
      return true
    },
  }
}

it('keeps bytes in memory up to the limit, and all of them on disk above it', async () => {
  const folder = makeTemporaryFolder()
  const files = openSpool(folder).open('r', allow(10))
  const bytes = files.add()
  await bytes.write(Buffer.from('0123456789'))
  expect(bytes.isOnDisk).toBe(false)
  await bytes.write(Buffer.from('abcdef'))
  expect(bytes.isOnDisk).toBe(true)
  expect((await bytes.read(8, 4)).toString()).toBe('89ab')
  expect((await bytes.read(14, 100)).toString()).toBe('ef')
  // The file has no name any more.
  expect(readdirSync(folder)).toEqual([])
  files.release()
})

it('joins tiny chunks, so that an upload of single bytes is read in linear time', async () => {
  const count = 200_000
  const files = openSpool(makeTemporaryFolder()).open('r', allow(count))
  const bytes = files.add()
  for (let index = 0; index < count; index += 1) await bytes.write(Buffer.from(new ArrayBuffer(1)).fill(97))
  const cpu = process.cpuUsage()
  for (let at = 0; at < count; at += 100) expect((await bytes.read(at, 100)).toString()).toBe('a'.repeat(100))
  expect(process.cpuUsage(cpu).user / 1_000).toBeLessThan(2_000)
  expect(bytes.length).toBe(count)
  files.release()
})

it('reads across chunk boundaries in memory', async () => {
  const files = openSpool(makeTemporaryFolder()).open('r', allow(100))
  const bytes = files.add()
  for (const part of ['ab', 'cd', 'ef']) await bytes.write(Buffer.from(part))
  expect((await bytes.read(1, 4)).toString()).toBe('bcde')
  expect((await bytes.read(2, 2)).toString()).toBe('cd')
})

it('deletes the files of a killed process, and gives no other user access', () => {
  const folder = join(makeTemporaryFolder(), 'uploads')
  openSpool(folder)
  writeFileSync(join(folder, 'left'), 'x')
  mkdirSync(join(folder, 'other'))
  openSpool(folder)
  expect(readdirSync(folder)).toEqual([])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})
