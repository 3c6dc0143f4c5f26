import { Worker } from 'node:worker_threads'
import type { SqliteFault } from './sqlite-protocol.ts'
import { storeUnavailable } from './store-fault.ts'
import type { ThreadReply, ThreadRequest } from './thread-protocol.ts'

/** A thread that owns a store, as others see it. */
export interface StoreThread<Ask, Answer> {
  /** Fails as `readFault` says, or with `store_unavailable` once the thread has ended. */
  ask(ask: Ask): Promise<Answer>
  /** Waits for what is under way, and for the thread to end. */
  close(): Promise<void>
}

export interface ThreadOptions {
  readonly script: URL
  /** What the thread owns, handed to it as its data. */
  readonly file: string
  /** Why it could not be opened, in a line for the operator. */
  readonly describeRefusal: (fault: SqliteFault) => string
  readonly readFault: (fault: SqliteFault) => Error
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void
  readonly reject: (error: Error) => void
}

export async function openStoreThread<Ask, Answer>(
  options: ThreadOptions,
): Promise<StoreThread<Ask, Answer>> {
  const { file } = options
  const worker = new Worker(options.script, { workerData: file })
  const waiting = new Map<number, Waiting<Answer>>()
  let nextId = 0
  let ended: string | undefined

  function post(makeRequest: (id: number) => ThreadRequest<Ask>): Promise<Answer | undefined> {
    if (ended !== undefined) return Promise.reject(storeUnavailable(ended))
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
    nextId += 1
    waiting.set(nextId, { resolve, reject })
    worker.postMessage(makeRequest(nextId))
    return promise
  }

  function end(reason: string): void {
    ended ??= reason
    for (const { reject } of waiting.values()) reject(storeUnavailable(reason))
    waiting.clear()
  }

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await opened(worker, options)
  worker.on('message', (reply: ThreadReply<Answer>) => {
    if (reply.type === 'opened' || reply.id === undefined) return
    const asker = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (reply.type === 'done') asker?.resolve(reply.answer)
    else asker?.reject(options.readFault(reply.fault))
  })
  worker.on('error', (error) => end(`the thread of ${file} failed: ${error.message}`))
  worker.on('exit', () => end(`${file} is closed`))

  return {
    async ask(ask) {
      const answer = await post((id) => ({ type: 'ask', id, ask }))
      if (answer === undefined) throw storeUnavailable(`the thread of ${file} gave no answer`)
      return answer
    },
    async close() {
      if (ended !== undefined) return exited
      const closing = post((id) => ({ type: 'close', id }))
      ended = `${file} is closed`
      await closing
      await exited
    },
  }
}

async function opened<Answer>(worker: Worker, { describeRefusal }: ThreadOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadReply<Answer>>()
  worker.once('message', resolve)
  worker.once('error', reject)
  const reply = await promise
  worker.off('error', reject)
  if (reply.type === 'failed') throw new Error(describeRefusal(reply.fault))
}
