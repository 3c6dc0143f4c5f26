import { type MessagePort, parentPort } from 'node:worker_threads'
import type { ThreadOrder, ThreadReply } from './thread-protocol.ts'

/** Reports that the program of this thread is loaded, then serves the file that the thread is given. */
export function serveFile(serve: (port: MessagePort, file: string) => void | Promise<void>): void {
  const port = parentPort
  if (port === null) return
  port.once('message', ({ file }: ThreadOrder) => void serve(port, file))
  port.postMessage({ type: 'loaded' } satisfies ThreadReply<never>)
}
