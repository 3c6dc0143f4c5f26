import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { GatewayError } from '../canonical/failure.ts'
import { filesOf } from '../canonical/uploads/uploaded-form.ts'
import { openSpool } from './open-spool.ts'
import { readUploadedBytes } from './read-bytes.ts'

function open(source: Readable, maxBytes: number, inMemory: boolean) {
  const files = openSpool(join(makeTemporaryFolder(), 'uploads')).open('r', { grow: () => inMemory })
  const judge = (soFar: number, more: number) =>
    soFar + more > maxBytes ? new GatewayError('request_too_large') : undefined
  return readUploadedBytes(source, { files, judge })
}

it.each([true, false])('reads any bytes as one file, in memory or not: %s', async (inMemory) => {
  const chunks = [Buffer.from([0, 255]), Buffer.from([1]), Buffer.alloc(100_000, 7)]
  const reading = open(Readable.from(chunks), 1_000_000, inMemory)
  const form = await reading.form
  const [file] = filesOf(form)
  expect(form.bytes).toBe(100_003)
  expect((await file?.content.read(0, 200_000))?.equals(Buffer.concat(chunks))).toBe(true)
})

it('reads an empty body as an empty file', async () => {
  const form = await open(Readable.from([]), 1, true).form
  expect(filesOf(form).map(({ content }) => content.length)).toEqual([0])
})

it('stops at the first chunk above the limit', async () => {
  const reading = open(Readable.from([Buffer.alloc(6), Buffer.alloc(6)]), 10, true)
  await expect(reading.form).rejects.toMatchObject({ failure: { code: 'request_too_large' } })
  expect(reading.bytes).toBe(6)
})

it('reports a connection that closes before the end', async () => {
  const source = new PassThrough()
  const reading = open(source, 10, true)
  source.destroy(new Error('read ECONNRESET'))
  await expect(reading.form).rejects.toMatchObject({ failure: { code: 'malformed_request' } })
})
