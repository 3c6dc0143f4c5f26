import { connect } from 'node:net'

/** Whether a process listens at a Unix domain socket. The file remains after its process is killed. */
export function isListenedAt(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
