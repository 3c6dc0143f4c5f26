import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { FromWarmUpThread, ToWarmUpThread, WarmUpBatch, WarmUpThreadTerms } from './warm-up-protocol.ts'

/** The error of a warm-up that could not continue. */
export class WarmUpError extends Error {
  override readonly name = 'WarmUpError'
}

/**
 * The thread that sends requests to the gateway, and has the upstream that answers the gateway. Only one message is
 * awaited at a time.
 */
export class WarmUpThread {
  readonly #worker: Worker
  #waiting: PromiseWithResolvers<FromWarmUpThread> | undefined
  #fault: Error | undefined

  constructor(terms: WarmUpThreadTerms) {
    const script = new URL(`./warm-up-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url)
    this.#worker = new Worker(script, { workerData: terms })
    this.#worker.unref()
    this.#worker.on('message', (message: FromWarmUpThread) => this.#waiting?.resolve(message))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new WarmUpError('its thread has ended')))
  }

  /** Reads the origin of the thread's upstream. Must be called once, before any other method. */
  async readOrigin(): Promise<string> {
    const message = await this.#next()
    if (message.type !== 'listening') throw new InvariantError('the thread of the warm-up has no upstream')
    return message.origin
  }

  /** Sets the gateway to which the thread sends requests. */
  useGateway(gateway: Omit<Extract<ToWarmUpThread, { readonly type: 'gateway' }>, 'type'>): void {
    this.#send({ type: 'gateway', ...gateway })
  }

  /**
   * Sends a batch. Fulfilled when all its requests have ended, with the number of those that were not answered with
   * 200.
   */
  async sendBatch(batch: WarmUpBatch): Promise<number> {
    this.#send({ type: 'batch', batch })
    const message = await this.#next()
    if (message.type !== 'sent') throw new InvariantError('the thread of the warm-up has sent nothing')
    return message.failures
  }

  /** Ends the thread at once. A pending wait fails. */
  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(message: ToWarmUpThread): void {
    this.#worker.postMessage(message)
  }

  #next(): Promise<FromWarmUpThread> {
    this.#waiting = Promise.withResolvers()
    if (this.#fault !== undefined) this.#waiting.reject(this.#fault)
    return this.#waiting.promise
  }

  #fail(error: unknown): void {
    this.#fault ??= error instanceof Error ? error : new WarmUpError(String(error))
    this.#waiting?.reject(this.#fault)
  }
}
