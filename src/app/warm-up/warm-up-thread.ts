import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { FromWarmUpThread, ToWarmUpThread, WarmUpBatch, WarmUpThreadTerms } from './warm-up-protocol.ts'

/** A warm-up could not go on. */
export class WarmUpError extends Error {
  override readonly name = 'WarmUpError'
}

/** The thread that asks the gateway, and whose upstream answers it. One message is waited for at a time. */
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

  /** The origin of its upstream. Called once, before anything else. */
  async readOrigin(): Promise<string> {
    const message = await this.#next()
    if (message.type !== 'listening') throw new InvariantError('the thread of the warm-up has no upstream')
    return message.origin
  }

  /** Sets the gateway that it asks. */
  useGateway(gateway: Omit<Extract<ToWarmUpThread, { readonly type: 'gateway' }>, 'type'>): void {
    this.#send({ type: 'gateway', ...gateway })
  }

  /** The number of requests that were not answered with 200, once all have ended. */
  async sendBatch(batch: WarmUpBatch): Promise<number> {
    this.#send({ type: 'batch', batch })
    const message = await this.#next()
    if (message.type !== 'sent') throw new InvariantError('the thread of the warm-up has sent nothing')
    return message.failures
  }

  /** Ends it at once; what is waited for fails. */
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
