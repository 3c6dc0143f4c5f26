import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { CaptureMemory } from './capture-memory.ts'
import { hasAnswers, hasPrompts } from './capture-mode.ts'
import type { CaptureMode } from './capture-schema.ts'

/**
 * The maximum number of stream bytes gathered for each byte that is stored: frames are much larger than their
 * content.
 */
const STREAM_FACTOR = 16

/** The beginning of a body, and the length of the whole body. */
export interface GatheredBody {
  readonly parts: readonly Buffer[]
  readonly totalBytes: number
}

/** The bytes gathered from a request, once the request is over. */
export interface GatheredCapture {
  readonly prompt: GatheredBody | undefined
  readonly answer: GatheredBody | undefined
  readonly isCut: boolean
  /** The bytes reserved in `CaptureMemory`, to be released once the capture is stored. */
  readonly heldBytes: number
}

export interface OpenCaptureOptions {
  readonly mode: CaptureMode
  readonly memory: CaptureMemory
  readonly maxBodyBytes: number
}

/**
 * Gathers the bytes of one request as they pass. It copies them, since the originals belong to other parts and are
 * freed. It never waits, and gives up where the memory of all captures is full.
 */
export class OpenCapture {
  readonly #options: OpenCaptureOptions
  #prompt: GatheredBody | undefined
  readonly #answerParts: Buffer[] = []
  #answerBytes = 0
  #gatheredBytes = 0
  #heldBytes = 0
  #isCut = false
  #hasGivenUp = false

  constructor(options: OpenCaptureOptions, body: BodyBytes) {
    this.#options = options
    if (hasPrompts(options.mode)) this.#prompt = this.#gatherPrompt(body)
  }

  get mode(): CaptureMode {
    return this.#options.mode
  }

  addAnswer(bytes: Buffer | string): void {
    if (!hasAnswers(this.#options.mode)) return
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.#answerBytes += chunk.length
    const room = this.#options.maxBodyBytes * STREAM_FACTOR - this.#gatheredBytes
    const size = Math.min(room, chunk.length)
    if (size <= 0 || !this.#hold(size)) return
    this.#gatheredBytes += size
    this.#answerParts.push(
      typeof bytes === 'string' ? chunk.subarray(0, size) : Buffer.from(chunk.subarray(0, size)),
    )
  }

  cut(): void {
    this.#isCut = true
  }

  /** Undefined where the capture was given up: the gathered bytes are gone. */
  end(): GatheredCapture | undefined {
    if (this.#hasGivenUp) return undefined
    const answer = hasAnswers(this.#options.mode)
      ? { parts: this.#answerParts, totalBytes: this.#answerBytes }
      : undefined
    return { prompt: this.#prompt, answer, isCut: this.#isCut, heldBytes: this.#heldBytes }
  }

  #gatherPrompt(body: BodyBytes): GatheredBody | undefined {
    const size = Math.min(body.length, this.#options.maxBodyBytes)
    if (!this.#hold(size)) return undefined
    const copy = Buffer.allocUnsafe(size)
    body.copyTo(copy, 0, size)
    return { parts: [copy], totalBytes: body.length }
  }

  #hold(bytes: number): boolean {
    if (this.#hasGivenUp) return false
    if (this.#options.memory.hold(bytes)) {
      this.#heldBytes += bytes
      return true
    }
    this.#hasGivenUp = true
    this.#options.memory.release(this.#heldBytes)
    this.#heldBytes = 0
    this.#answerParts.length = 0
    this.#prompt = undefined
    return false
  }
}
