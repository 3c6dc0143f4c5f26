import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { ByteSealer } from '../kit/bytes/seal.ts'
import type { ResponseContent } from '../objects/stored-response.ts'

type Present = Extract<ResponseContent, { readonly type: 'present' }>

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Speed before size: conversations compress well at any level. */
const LEVEL = 1
const LENGTH_BYTES = 4
/** No more was ever packed; a damaged row must not fill the memory. */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 2

/** Compressed by a thread of the pool, then sealed for its place. */
export async function packContent(
  { input, response }: Present,
  sealer: ByteSealer,
  boundTo: string,
): Promise<Buffer> {
  const first = Buffer.from(input, 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(first.length)
  const packed = await deflate(Buffer.concat([length, first, Buffer.from(response, 'utf8')]), {
    level: LEVEL,
  })
  return sealer.seal(packed, boundTo)
}

/** Undefined where it cannot be opened. */
export async function unpackContent(
  sealed: Uint8Array,
  sealer: ByteSealer,
  boundTo: string,
): Promise<Present | undefined> {
  const packed = sealer.open(sealed, boundTo)
  if (packed === undefined) return undefined
  const bytes = await inflate(packed, { maxOutputLength: MAX_UNPACKED_BYTES })
  const split = LENGTH_BYTES + bytes.readUInt32BE()
  return {
    type: 'present',
    input: bytes.toString('utf8', LENGTH_BYTES, split),
    response: bytes.toString('utf8', split),
  }
}
