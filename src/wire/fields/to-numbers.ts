import type { Vector } from '../../canonical/embedding.ts'

const FLOAT_BYTES = 4

/** The numbers of a vector, which base64 holds as little-endian 32-bit floats. */
export function toNumbers(vector: Vector): readonly number[] {
  if (vector.encoding === 'float') return vector.values
  const bytes = Buffer.from(vector.data, 'base64')
  const count = Math.floor(bytes.length / FLOAT_BYTES)
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}

export function toBase64(vector: Vector): string {
  if (vector.encoding === 'base64') return vector.data
  const bytes = Buffer.alloc(vector.values.length * FLOAT_BYTES)
  for (const [index, value] of vector.values.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES)
  return bytes.toString('base64')
}
