/** Whether chunks that are not joined hold these bytes, across the seams between them too. */
export function holdsBytes(chunks: readonly Buffer[], wanted: Buffer): boolean {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only.includes(wanted)
  let seam: Buffer = Buffer.alloc(0)
  for (const chunk of chunks) {
    if (chunk.includes(wanted)) return true
    const reach = wanted.length - 1
    const joined = Buffer.concat([seam, chunk.subarray(0, reach)])
    if (seam.length > 0 && joined.includes(wanted)) return true
    seam = chunk.length >= reach ? chunk.subarray(chunk.length - reach) : tailOf(joined, reach)
  }
  return false
}

function tailOf(bytes: Buffer, length: number): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - length))
}
