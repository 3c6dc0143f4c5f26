import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { answered, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import { imagesCheck } from './images-check.ts'

const run = (text: string) => runCheck(imagesCheck, answered(saidText(text)))

it('sends an image whose left half is blue and whose right half is yellow', () => {
  const [call] = run('blue and yellow').calls
  const turn = call?.type === 'conversation' ? call.request.turns[0] : undefined
  const image = turn?.role === 'user' ? turn.content.find(({ type }) => type === 'image') : undefined
  const source = image?.type === 'image' ? image.source : undefined
  const bytes = Buffer.from(source?.type === 'base64' ? source.data : '', 'base64')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const data = bytes.indexOf('IDAT')
  const pixels = inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)))
  const rowBytes = 1 + 3 * width
  expect(pixels.length).toBe(rowBytes * height)
  expect([...pixels.subarray(1, 4)]).toEqual([0x10, 0x30, 0xe0])
  expect([...pixels.subarray(rowBytes - 3, rowBytes)]).toEqual([0xff, 0xe0, 0x10])
})

it('passes only if both colors are named', () => {
  expect(run('Blue, yellow').verdict.finding).toBe('image_seen')
  expect(run('Blue, I think').verdict.finding).toBe('image_not_seen')
})
