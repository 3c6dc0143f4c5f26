import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { OperatorError } from '../../canonical/operator-error.ts'
import { type LoadedThread, loadThread, type ProgramThread, type ThreadProgram } from './program-thread.ts'
import type { SqliteFault } from './sqlite-protocol.ts'
import { storeUnavailable } from './store-fault.ts'
import type { ThreadOrder, ThreadReply, ThreadRequest } from './thread-protocol.ts'

/** A thread that owns a store, as the other threads use it. */
export interface StoreThread<Ask, Answer> {
  /** Rejects with the error that `readFault` returns, or with `store_unavailable` once the thread has ended. */
  ask(ask: Ask): Promise<Answer>
  /** Waits for the messages in progress, closes the file and releases the thread. */
  close(): Promise<void>
  /** Whether the thread has failed or was closed, and no longer answers. */
  readonly hasEnded: boolean
}

export interface ThreadOptions extends ThreadProgram {
  /** The thread, if its program was loaded ahead of time. */
  readonly loaded?: LoadedThread | undefined
  /** The file that the thread owns. */
  readonly file: string
  /** The error that says why the store could not be opened. */
  readonly openingError: (fault: SqliteFault) => OperatorError
  readonly readFault: (fault: SqliteFault) => Error
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void
  readonly reject: (error: Error) => void
}

export async function openStoreThread<Ask, Answer>(
  options: ThreadOptions,
): Promise<StoreThread<Ask, Answer>> {
  const thread = await (options.loaded ?? loadThread(options))
  const { port1, port2 } = new MessageChannel()
  const store = new OpenThread<Ask, Answer>(thread, port1, options)
  thread.worker.postMessage({ file: options.file, port: port2 } satisfies ThreadOrder, [port2])
  await store.opened()
  return store
}

class OpenThread<Ask, Answer> implements StoreThread<Ask, Answer> {
  readonly #thread: ProgramThread
  readonly #port: MessagePort
  readonly #options: ThreadOptions
  /** Fulfilled with the fault of the opening, or with undefined once the file is open. */
  readonly #opening = Promise.withResolvers<SqliteFault | undefined>()
  readonly #waiting = new Map<number, Waiting<Answer>>()
  #nextId = 0
  #ended: string | undefined
  #released: Promise<void> | undefined

  constructor(thread: ProgramThread, port: MessagePort, options: ThreadOptions) {
    this.#thread = thread
    this.#port = port
    this.#options = options
    port.on('message', (reply: ThreadReply<Answer>) => this.#receive(reply))
    thread.worker.on('error', this.#onError)
    thread.worker.on('exit', this.#onExit)
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Fulfilled when the file is open. Rejects with the error that says why it could not be opened. */
  async opened(): Promise<void> {
    const fault = await this.#opening.promise
    if (fault === undefined) return
    await this.#release()
    throw this.#options.openingError(fault)
  }

  async ask(ask: Ask): Promise<Answer> {
    const answer = await this.#post((id) => ({ type: 'ask', id, ask }))
    if (answer === undefined) throw storeUnavailable(`the thread of ${this.#options.file} gave no answer`)
    return answer
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return this.#released
    const closing = this.#post((id) => ({ type: 'close', id }))
    this.#ended = `${this.#options.file} is closed`
    this.#released = closing.then(() => this.#release())
    await this.#released
  }

  /** Gives the thread back. The file is closed by now. */
  async #release(): Promise<void> {
    this.#thread.worker.off('error', this.#onError).off('exit', this.#onExit)
    this.#port.close()
    await this.#thread.release()
  }

  #post(makeRequest: (id: number) => ThreadRequest<Ask>): Promise<Answer | undefined> {
    if (this.#ended !== undefined) return Promise.reject(storeUnavailable(this.#ended))
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
    this.#nextId += 1
    this.#waiting.set(this.#nextId, { resolve, reject })
    this.#port.postMessage(makeRequest(this.#nextId))
    return promise
  }

  #receive(reply: ThreadReply<Answer>): void {
    if (reply.type === 'opened') this.#opening.resolve(undefined)
    else if (reply.type === 'not-opened') this.#opening.resolve(reply.fault)
    else this.#settle(reply.id, reply)
  }

  #settle(id: number, reply: Extract<ThreadReply<Answer>, { readonly id: number }>): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (reply.type === 'done') waiting?.resolve(reply.answer)
    else waiting?.reject(this.#options.readFault(reply.fault))
  }

  readonly #onError = ({ message }: Error): void => {
    this.#opening.resolve({ message: `its thread failed: ${message}`, code: undefined })
    this.#end(`the thread of ${this.#options.file} failed: ${message}`)
  }

  readonly #onExit = (): void => {
    this.#opening.resolve({ message: 'its thread has ended', code: undefined })
    this.#end(`${this.#options.file} is closed`)
  }

  #end(reason: string): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.values()) reject(storeUnavailable(reason))
    this.#waiting.clear()
    this.#port.close()
  }
}
