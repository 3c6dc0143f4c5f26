const BACKSLASH = 0x5c

/** Whether an odd number of backslashes, none before `from`, leads up to this offset. */
export function endsEscaped(bytes: Buffer, offset: number, from: number): boolean {
  let at = offset - 1
  while (at >= from && bytes[at] === BACKSLASH) at -= 1
  return (offset - 1 - at) % 2 === 1
}
