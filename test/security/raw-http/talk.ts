import { connect } from 'node:net'

export interface Talk {
  /** All that came, one character for each byte. */
  readonly text: string
  /** The other side never closed, though it was given this long. */
  readonly isHanging: boolean
}

const PATIENCE_MS = 8_000

/** Sends bytes and reads until the other side closes. */
export function talk(port: number, bytes: string): Promise<Talk> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const parts: Buffer[] = []
    let isHanging = false
    const timer = setTimeout(() => {
      isHanging = true
      socket.destroy()
    }, PATIENCE_MS)
    socket.on('data', (part) => parts.push(part))
    // A side that closes with bytes unread resets the connection; what it said before still came.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ text: Buffer.concat(parts).toString('latin1'), isHanging })
    })
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}
