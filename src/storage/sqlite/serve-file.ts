import { type MessagePort, parentPort } from 'node:worker_threads'
import type { ThreadOrder } from './thread-protocol.ts'

/** Reports that the program of this thread is loaded, then serves each file that the thread is given. */
export function serveFile(serve: (port: MessagePort, file: string) => void | Promise<void>): void {
  const parent = parentPort
  if (parent === null) return
  parent.on('message', ({ file, port }: ThreadOrder) => void serve(port, file))
  parent.postMessage('loaded')
}
