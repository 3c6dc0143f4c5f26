import type { Vector } from '../../canonical/embedding.ts'
import type { JsonValue } from '../../kit/json/json.ts'

const FLOAT_BYTES = 4
/** Whether this machine has the byte order of the format. */
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Returns the numbers of a vector. In base64 they are little-endian 32-bit floats. */
export function toNumbers(vector: Vector): readonly number[] {
  if (vector.encoding === 'float') return vector.values
  const decoded = Buffer.from(vector.data, 'base64')
  const floats = new Float32Array(Math.floor(decoded.length / FLOAT_BYTES))
  const bytes = Buffer.from(floats.buffer)
  decoded.copy(bytes)
  if (!isLittleEndian) bytes.swap32()
  const numbers: number[] = []
  for (const float of floats) numbers.push(float)
  return numbers
}

export function toBase64(vector: Vector): string {
  if (vector.encoding === 'base64') return vector.data
  const bytes = Buffer.from(new Float32Array(vector.values).buffer)
  return (isLittleEndian ? bytes : bytes.swap32()).toString('base64')
}

export function isNumbers(list: readonly JsonValue[]): list is readonly number[] {
  for (const value of list) if (typeof value !== 'number') return false
  return true
}
