import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

/** A caller made of nothing but a socket: what comes is kept byte for byte. */
export interface RawClient {
  readonly socket: Socket
  /** All that came so far. */
  readonly text: string
  readonly bytes: Buffer
  send(text: string | Buffer): void
  /** Fulfilled when the text contains this. */
  until(part: string): Promise<void>
  untilBytes(count: number): Promise<void>
  /** The end of the connection: FIN, or the code of its error. */
  readonly ended: Promise<string>
  close(): void
}

export interface RawClientOptions {
  /** Speak TLS, and trust this root; what the certificate says is not judged. */
  readonly authority?: string | undefined
}

/** Opens a connection to a port of this machine; where that fails, `ended` says how. */
export async function openRawClient(port: number, { authority }: RawClientOptions = {}): Promise<RawClient> {
  const options = { host: '127.0.0.1', port }
  const socket =
    authority === undefined
      ? connect({ ...options, allowHalfOpen: true })
      : connectSecurely({ ...options, ca: authority })
  const chunks: Buffer[] = []
  const watchers = new Set<() => void>()
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    for (const watch of watchers) watch()
  })
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('end', () => resolve('fin'))
    socket.on('close', () => resolve('closed'))
  })
  await new Promise<void>((ready) => {
    socket.once(authority === undefined ? 'connect' : 'secureConnect', ready)
    socket.once('error', () => ready())
  })
  const all = () => Buffer.concat(chunks)
  const wait = (isThere: () => boolean) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        if (!isThere()) return
        watchers.delete(watch)
        resolve()
      }
      watchers.add(watch)
      watch()
    })
  return {
    socket,
    get text() {
      return all().toString('latin1')
    },
    get bytes() {
      return all()
    },
    send: (text) => void socket.write(text),
    until: (part) => wait(() => all().includes(part)),
    untilBytes: (count) => wait(() => all().length >= count),
    ended,
    close: () => void socket.destroy(),
  }
}

/** The bytes of a request with a JSON body. */
export function rawRequest(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: 'faults',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`
}
