import { crc32, deflateSync } from 'node:zlib'
import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { includesWord, readAnswer, textOf } from './judge-answer.ts'

type Rgb = readonly [number, number, number]

const SIDE_PIXELS = 128
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Eight bits for each of red, green and blue; compression, filter and interlace as the format has them. */
const FORMAT_BYTES = [8, 2, 0, 0, 0]

/** The colors are only in the picture, so that no response names them by chance. */
const left = { name: 'blue', rgb: [0x10, 0x30, 0xe0] } as const
const right = { name: 'yellow', rgb: [0xff, 0xe0, 0x10] } as const

/** Whether the model sees a picture. */
export const imagesCheck: Check = {
  name: 'images',
  bounds: { calls: 1, inputTokens: 2_000, outputTokens: OUTPUT_TOKENS },
  *run() {
    const data = drawHalves(left.rgb, right.rgb).toString('base64')
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data } } as const
    const question = 'Which two colours does this picture show, the left half first? Say two words.'
    return judgeImage(yield ask([saying(question, image)], { needs: ['image'] }))
  },
}

function judgeImage(call: ObservedCall): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  const text = textOf(answer.reply)
  const hasSeen = [left, right].every(({ name }) => includesWord(text, name))
  return hasSeen ? works('image_seen') : fails('image_not_seen')
}

/** A square picture whose left and right halves have one colour each (PNG, https://www.w3.org/TR/png-3/). */
function drawHalves(left: Rgb, right: Rgb): Buffer {
  const half = SIDE_PIXELS / 2
  const row = Buffer.from([0, ...repeat(left, half), ...repeat(right, half)])
  const pixels = Buffer.concat(Array.from({ length: SIDE_PIXELS }, () => row))
  const header = Buffer.concat([uint32(SIDE_PIXELS), uint32(SIDE_PIXELS), Buffer.from(FORMAT_BYTES)])
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...parts])
}

function repeat(rgb: Rgb, count: number): readonly number[] {
  return Array.from({ length: count }, () => rgb).flat()
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
