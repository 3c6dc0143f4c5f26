import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { OperatorError } from '../../canonical/operator-error.ts'
import type { SqliteFault } from './sqlite-protocol.ts'
import { storeUnavailable } from './store-fault.ts'
import type { ThreadOrder, ThreadReply, ThreadRequest } from './thread-protocol.ts'

/** A thread that owns a store, as the other threads use it. */
export interface StoreThread<Ask, Answer> {
  /** Rejects with the error that `readFault` returns, or with `store_unavailable` once the thread has ended. */
  ask(ask: Ask): Promise<Answer>
  /** Waits for the messages in progress, and for the thread to end. */
  close(): Promise<void>
  /** Whether the thread has failed or was closed, and no longer answers. */
  readonly hasEnded: boolean
}

/** The program of a thread. */
export interface ThreadProgram {
  readonly script: URL
  /** The limits of the thread's JavaScript heap. A thread that exceeds them ends. */
  readonly memory?: ResourceLimits
}

/** A thread whose program is loaded or being loaded. */
export type LoadedThread = Worker | Promise<Worker>

export interface ThreadOptions extends ThreadProgram {
  /** The worker thread, if its program was loaded ahead of time. */
  readonly loaded?: LoadedThread | undefined
  /** The file that the thread owns. */
  readonly file: string
  /** The error that says why the store could not be opened. */
  readonly openingError: (fault: SqliteFault) => OperatorError
  readonly readFault: (fault: SqliteFault) => Error
}

/** The main thread has a larger young generation, for the requests in flight. Objects of a store die at once. */
const MAX_YOUNG_GENERATION_MB = 12

interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void
  readonly reject: (error: Error) => void
}

/** Starts a thread that loads its program and waits for its file. Loading takes far longer than opening the file. */
export async function loadThread({ script, memory }: ThreadProgram): Promise<Worker> {
  const worker = new Worker(script, {
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB, ...memory },
  })
  await nextReply(worker)
  return worker
}

export async function openStoreThread<Ask, Answer>(
  options: ThreadOptions,
): Promise<StoreThread<Ask, Answer>> {
  const worker = await (options.loaded ?? loadThread(options))
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.postMessage({ file: options.file } satisfies ThreadOrder)
  const reply = await nextReply(worker)
  if (reply.type === 'failed') throw options.openingError(reply.fault)
  return new OpenThread(worker, exited, options)
}

class OpenThread<Ask, Answer> implements StoreThread<Ask, Answer> {
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #options: ThreadOptions
  readonly #waiting = new Map<number, Waiting<Answer>>()
  #nextId = 0
  #ended: string | undefined

  constructor(worker: Worker, exited: Promise<void>, options: ThreadOptions) {
    const { file } = options
    this.#worker = worker
    this.#exited = exited
    this.#options = options
    worker.on('message', (reply: ThreadReply<Answer>) => this.#receive(reply))
    worker.on('error', (error) => this.#end(`the thread of ${file} failed: ${error.message}`))
    worker.on('exit', () => this.#end(`${file} is closed`))
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  async ask(ask: Ask): Promise<Answer> {
    const answer = await this.#post((id) => ({ type: 'ask', id, ask }))
    if (answer === undefined) throw storeUnavailable(`the thread of ${this.#options.file} gave no answer`)
    return answer
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return this.#exited
    const closing = this.#post((id) => ({ type: 'close', id }))
    this.#ended = `${this.#options.file} is closed`
    await closing
    await this.#exited
  }

  #post(makeRequest: (id: number) => ThreadRequest<Ask>): Promise<Answer | undefined> {
    if (this.#ended !== undefined) return Promise.reject(storeUnavailable(this.#ended))
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
    this.#nextId += 1
    this.#waiting.set(this.#nextId, { resolve, reject })
    this.#worker.postMessage(makeRequest(this.#nextId))
    return promise
  }

  #receive(reply: ThreadReply<Answer>): void {
    if (reply.type === 'loaded' || reply.type === 'opened' || reply.id === undefined) return
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.type === 'done') waiting?.resolve(reply.answer)
    else waiting?.reject(this.#options.readFault(reply.fault))
  }

  #end(reason: string): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.values()) reject(storeUnavailable(reason))
    this.#waiting.clear()
  }
}

async function nextReply(worker: Worker): Promise<ThreadReply<never>> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadReply<never>>()
  worker.once('message', resolve)
  worker.once('error', reject)
  const reply = await promise
  worker.off('error', reject)
  return reply
}
