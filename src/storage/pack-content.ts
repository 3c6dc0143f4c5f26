import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { ByteSealer } from '../kit/bytes/seal.ts'
import type { ResponseContent } from '../stored-answers/stored-response.ts'

type Present = Extract<ResponseContent, { readonly type: 'present' }>

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Level 1 prefers speed to size: conversations compress well at any level. */
const COMPRESSION_LEVEL = 1
const LENGTH_BYTES = 4
/**
 * The maximum size of unpacked content. No larger content was ever packed, and a damaged row must not fill the
 * memory.
 */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 2

type TwoParts = readonly [first: Buffer, second: Buffer]

/** Compresses in a thread of the pool, then seals. The seal is bound to the content's place. */
export async function packParts(
  [first, second]: TwoParts,
  sealer: ByteSealer,
  boundTo: string,
): Promise<Buffer> {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(first.length)
  const packed = await deflate(Buffer.concat([length, first, second]), { level: COMPRESSION_LEVEL })
  return sealer.seal(packed, boundTo)
}

/** Undefined where the parts cannot be decrypted. */
export async function unpackParts(
  sealed: Uint8Array,
  sealer: ByteSealer,
  boundTo: string,
): Promise<TwoParts | undefined> {
  const packed = sealer.open(sealed, boundTo)
  if (packed === undefined) return undefined
  const bytes = await inflate(packed, { maxOutputLength: MAX_UNPACKED_BYTES })
  const split = LENGTH_BYTES + bytes.readUInt32BE()
  return [bytes.subarray(LENGTH_BYTES, split), bytes.subarray(split)]
}

export function packContent(
  { input, response }: Present,
  sealer: ByteSealer,
  boundTo: string,
): Promise<Buffer> {
  return packParts([Buffer.from(input, 'utf8'), Buffer.from(response, 'utf8')], sealer, boundTo)
}

/** Undefined where the content cannot be decrypted. */
export async function unpackContent(
  sealed: Uint8Array,
  sealer: ByteSealer,
  boundTo: string,
): Promise<Present | undefined> {
  const parts = await unpackParts(sealed, sealer, boundTo)
  if (parts === undefined) return undefined
  const [input, response] = parts
  return { type: 'present', input: input.toString('utf8'), response: response.toString('utf8') }
}
