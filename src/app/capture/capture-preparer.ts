// Sends captures to the thread that prepares them, and receives the results.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StoredCapture } from '../../capture/capture-store.ts'
import type { EndedCapture } from '../../capture/captures.ts'
import type { GatheredBody } from '../../capture/open-capture.ts'
import type { PreparedBody, PrepareReply, PrepareTerms } from './prepare-protocol.ts'

/** The error of a capture that could not be prepared: its thread failed or has ended, or a pattern took too long. */
class CapturePreparerError extends Error {
  override readonly name = 'CapturePreparerError'
}

export interface CapturePreparer {
  prepare(ended: EndedCapture): Promise<StoredCapture>
  change(terms: PrepareTerms): void
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (content: Uint8Array) => void
  readonly reject: (error: Error) => void
}

export function createCapturePreparer(terms: PrepareTerms): CapturePreparer {
  return new ThreadPreparer(terms)
}

/** Starts the thread with the first capture, and again after a failure. */
class ThreadPreparer implements CapturePreparer {
  #terms: PrepareTerms
  #worker: Worker | undefined
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 0

  constructor(terms: PrepareTerms) {
    this.#terms = terms
  }

  async prepare({
    summary,
    operation,
    isStream,
    isCut,
    prompt,
    answer,
    maxBodyBytes,
  }: EndedCapture): Promise<StoredCapture> {
    const id = this.#nextId
    this.#nextId += 1
    this.#worker ??= this.#start()
    const worker = this.#worker
    const content = await new Promise<Uint8Array>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({
        type: 'prepare',
        id,
        requestId: summary.requestId,
        operation,
        isStream,
        isCut,
        maxBodyBytes,
        prompt: prompt && join(prompt),
        answer: answer && join(answer),
      })
    })
    return { ...summary, content }
  }

  change(terms: PrepareTerms): void {
    this.#terms = terms
    this.#worker?.postMessage({ type: 'terms', terms })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#end(new CapturePreparerError('the gateway ends'))
  }

  #start(): Worker {
    const script = new URL(`./prepare-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url)
    const worker = new Worker(script, { workerData: this.#terms })
    worker.unref()
    worker.on('message', (reply: PrepareReply) => this.#receive(reply))
    worker.on('error', (error) => this.#end(error))
    worker.on('exit', () =>
      this.#end(new CapturePreparerError('the thread that prepares captures has ended')),
    )
    return worker
  }

  #receive(reply: PrepareReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('content' in reply) waiting?.resolve(reply.content)
    else waiting?.reject(new CapturePreparerError(reply.reason))
  }

  #end(error: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

function join({ parts, totalBytes }: GatheredBody): PreparedBody {
  const [only] = parts
  return { bytes: parts.length === 1 && only !== undefined ? only : Buffer.concat(parts), totalBytes }
}
