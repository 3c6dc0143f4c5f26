import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { JsonObject } from '../kit/json/json.ts'
import { countTokens } from './demo-answer.ts'
import { DemoError } from './demo-error.ts'
import { demoChatModel, readCount, requireModel } from './demo-request.ts'

const EDGE_PIXELS = 64
const TOKENS_AN_IMAGE = 256
const MAX_IMAGES = 10

/** Answers a request for images with squares in a color that depends on the prompt. Throws `DemoError`. */
export function answerImages(body: JsonObject, inputImages: number): JsonObject {
  requireModel(body, demoChatModel)
  const { prompt } = body
  if (typeof prompt !== 'string' || prompt === '')
    throw new DemoError(400, 'prompt must be a text that is not empty.', { param: 'prompt' })
  const count = readCount(body, 'n') ?? 1
  if (count > MAX_IMAGES) throw new DemoError(400, `n must be at most ${MAX_IMAGES}.`, { param: 'n' })
  const data = Array.from({ length: count }, (_, index) => ({
    b64_json: drawSquare(`${prompt} ${index}`).toString('base64'),
  }))
  const text = countTokens([prompt])
  const image = inputImages * TOKENS_AN_IMAGE
  const output = count * TOKENS_AN_IMAGE
  return {
    data,
    output_format: 'png',
    size: `${EDGE_PIXELS}x${EDGE_PIXELS}`,
    usage: {
      input_tokens: text + image,
      input_tokens_details: { text_tokens: text, image_tokens: image },
      output_tokens: output,
      total_tokens: text + image + output,
    },
  }
}

/** Draws a PNG in one color (https://www.w3.org/TR/png-3/, seen 2026-11-24). */
function drawSquare(seed: string): Buffer {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(seed).digest()
  const row = Buffer.concat([
    Buffer.alloc(1),
    ...Array.from({ length: EDGE_PIXELS }, () => Buffer.from([red, green, blue])),
  ])
  const pixels = Buffer.concat(Array.from({ length: EDGE_PIXELS }, () => row))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(EDGE_PIXELS, 0)
  head.writeUInt32BE(EDGE_PIXELS, 4)
  // Eight bits for each of three colors.
  head.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    writeChunk('IHDR', head),
    writeChunk('IDAT', deflateSync(pixels)),
    writeChunk('IEND', Buffer.alloc(0)),
  ])
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
