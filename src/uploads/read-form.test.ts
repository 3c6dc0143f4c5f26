import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openSpool } from './open-spool.ts'
import { readForm } from './read-form.ts'
import { type MemoryAllowance, SpooledBytes } from './spooled-bytes.ts'

const headers = { 'content-type': 'multipart/form-data; boundary=b' }
const inMemory: MemoryAllowance = { grow: () => true }
const fileHead = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'

function read(source: Readable, allowance = inMemory) {
  const files = openSpool(join(makeTemporaryFolder(), 'uploads')).open('r', allowance)
  return readForm(source, { headers, files, needsDigest: false, judge: () => undefined }).form
}

it('counts the bytes of the texts instead of their characters', async () => {
  const text = 'é'.repeat(500_000)
  const parts = [1, 2, 3, 4, 5].map(
    (index) => `--b\r\ncontent-disposition: form-data; name="f${index}"\r\n\r\n${text}\r\n`,
  )
  const form = read(Readable.from([Buffer.from(`${parts.join('')}--b--\r\n`)]))
  await expect(form).rejects.toMatchObject({ failure: { code: 'request_too_large', param: 'f5' } })
})

it('logs the cause of a broken connection', async () => {
  const source = new PassThrough()
  const form = read(source)
  source.destroy(new Error('read ECONNRESET'))
  await expect(form).rejects.toMatchObject({
    failure: { code: 'malformed_request', logCause: 'the connection broke off: read ECONNRESET' },
  })
})

it('refuses a form that is cut off within a file', async () => {
  const form = read(Readable.from([Buffer.from(`${fileHead}sound`)]))
  await expect(form).rejects.toMatchObject({ failure: { code: 'malformed_request' } })
})

it('reports that there is no room if the file system refuses a file', async () => {
  const path = join(makeTemporaryFolder(), 'missing', 'file')
  const files = {
    add: () => new SpooledBytes({ path, allowance: { grow: () => false } }),
    release: () => undefined,
  }
  const source = Readable.from([Buffer.from(`${fileHead}sound\r\n--b--\r\n`)])
  const { form } = readForm(source, { headers, files, needsDigest: false, judge: () => undefined })
  await expect(form).rejects.toMatchObject({
    failure: { code: 'bodies_over_capacity', logCause: expect.stringContaining('ENOENT') },
  })
})

it('passes on an internal fault unchanged, without reporting a full disk', async () => {
  const fault = new Error('a fault of the gateway')
  const source = Readable.from([Buffer.from(`${fileHead}sound\r\n--b--\r\n`)])
  const form = read(source, {
    grow: () => {
      throw fault
    },
  })
  await expect(form).rejects.toBe(fault)
})
