import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { channelYaml } from '../support/channel-yaml.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

export interface RawUpstream extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** Bytes that the gateway took before it closed, in all. */
  readonly taken: () => number
  /** Connections that are still open. */
  readonly open: () => number
}

/** Says bytes as an upstream, once for each request; more than one piece goes out as fast as they are taken. */
export type RawScript = (socket: RawSpeaker) => Promise<void>

export interface RawSpeaker {
  /** False once the gateway has closed. */
  say(bytes: string | Buffer): Promise<boolean>
  end(): void
}

/** The gateway before an upstream that knows no HTTP but the bytes that a test has it say. */
export async function openRawUpstream(script: RawScript, more = ''): Promise<RawUpstream> {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => {
      void script({
        say: (bytes) => {
          taken += bytes.length
          return say(socket, bytes)
        },
        end: () => socket.end(),
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const channel = { format: 'chat', origin: `http://127.0.0.1:${port}`, models: ['m'], more } as const
  const gateway = await startGateway(`${channelYaml(channel)}retry: { attempts: 1 }`)
  return {
    gateway,
    taken: () => taken,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function say(socket: Socket, bytes: string | Buffer): Promise<boolean> {
  if (!socket.writable) return Promise.resolve(false)
  return new Promise((resolve) => {
    const finish = () => {
      socket.off('close', finish)
      resolve(socket.writable)
    }
    socket.once('close', finish)
    socket.write(bytes, 'latin1', finish)
  })
}
