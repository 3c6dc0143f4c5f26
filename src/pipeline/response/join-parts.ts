/** Parts of a stream as one, so that they leave in one piece. */
export function joinParts(parts: readonly (Buffer | string)[]): Buffer | string {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
