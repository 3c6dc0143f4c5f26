/** The bytes of a shared secret as an authenticator app reads it. */
export function readBase32(text: string): Buffer {
  const bits = [...text]
    .map((sign) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
