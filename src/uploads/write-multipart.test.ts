import { expect, it } from 'vitest'
import type { FormPart } from '../canonical/uploads/uploaded-form.ts'
import { createUploadBody } from './upload-body.ts'
import { writeMultipart } from './write-multipart.ts'

const bytes = Buffer.from('some bytes')
const content = {
  length: bytes.length,
  read: (from: number, length: number) => bytes.subarray(from, from + length),
}

function fileOf(more: Partial<Extract<FormPart, { type: 'file' }>>): FormPart {
  const file = { type: 'file', name: 'file', filename: 'a.wav', mediaType: 'audio/wav', content } as const
  return { ...file, head: bytes, tail: bytes, ...more }
}

async function read(parts: readonly FormPart[]) {
  const { contentType, pieces } = writeMultipart(parts, 'boundary')
  const body = createUploadBody(pieces)
  const chunks: Buffer[] = []
  for await (const chunk of body.open()) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  expect(body.length).toBe(whole.length)
  const form = await new Response(new Uint8Array(whole), {
    headers: { 'content-type': contentType },
  }).formData()
  return { form, text: whole.toString() }
}

it('writes texts and files that another parser reads back', async () => {
  const { form } = await read([{ type: 'text', name: 'model', value: 'm' }, fileOf({})])
  expect(form.get('model')).toBe('m')
  const file = form.get('file')
  expect(file instanceof File ? [file.name, file.type, await file.text()] : []).toEqual([
    'a.wav',
    'audio/wav',
    'some bytes',
  ])
})

it('prevents a name or content type from starting another header or part', async () => {
  const { form, text } = await read([
    fileOf({ filename: 'a"\r\nx: y', name: 'n"\r\n--boundary', mediaType: 'audio/wav\r\nx: y' }),
  ])
  expect([...form.keys()]).toHaveLength(1)
  expect(text).not.toContain('\r\nx: y')
  expect(text).toContain('content-type: application/octet-stream')
})

it('writes the same body each time it is sent', async () => {
  const { pieces } = writeMultipart([fileOf({})], 'boundary')
  const body = createUploadBody(pieces)
  const all = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of body.open()) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  expect(await all()).toBe(await all())
})
