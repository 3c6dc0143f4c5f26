import type { Framing } from '../script/fault-schema.ts'

type ChunkedForm = NonNullable<Framing['chunked']>

const lineEnd = Buffer.from('\r\n')

/** One chunk of a body in the chunked coding, with the fault that the script wants (RFC 9112 §7.1). */
export function frameChunk(bytes: Buffer, form: ChunkedForm): Buffer {
  const size = bytes.length.toString(16)
  switch (form) {
    case 'bad-size':
      return Buffer.concat([Buffer.from('zz\r\n'), bytes, lineEnd])
    case 'huge-size':
      return Buffer.concat([Buffer.from('fffffffffffffffff\r\n'), bytes, lineEnd])
    case 'bad-end':
      return Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from('XX')])
    case 'extensions':
      return Buffer.concat([Buffer.from(`${size};name="value";flag\r\n`), bytes, lineEnd])
    default:
      return Buffer.concat([Buffer.from(`${size}\r\n`), bytes, lineEnd])
  }
}

/** What ends a chunked body. */
export function lastChunk(form: ChunkedForm): string {
  if (form === 'no-last') return ''
  return form === 'trailers' ? '0\r\nx-trailer: late\r\ncontent-length: 5\r\n\r\n' : '0\r\n\r\n'
}
