import type { OpenCapture } from '../../capture/open-capture.ts'
import type { ResponseSink } from './response-sink.ts'

/** Passes everything on unchanged and copies what the caller sees to the capture. Sound is not captured. */
export class CapturedSink implements ResponseSink {
  readonly #sink: ResponseSink
  readonly #capture: OpenCapture
  #isSound = false

  constructor(sink: ResponseSink, capture: OpenCapture) {
    this.#sink = sink
    this.#capture = capture
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#sink.start(status, headers)
    this.#isSound = /^(?:audio\/|application\/octet-stream)/.test(headers['content-type'] ?? '')
  }

  write(bytes: Buffer | string): boolean {
    // The caller's write comes first, so that the capture delays nothing.
    const mayGoOn = this.#sink.write(bytes)
    if (!this.#isSound) this.#capture.addAnswer(bytes)
    return mayGoOn
  }

  end(last?: Buffer | string): void {
    this.#sink.end(last)
    if (last !== undefined && !this.#isSound) this.#capture.addAnswer(last)
  }

  cut(): void {
    this.#sink.cut()
    this.#capture.cut()
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(listener)
  }

  onGone(listener: () => void): void {
    this.#sink.onGone(listener)
  }

  onStop(listener: () => void): void {
    this.#sink.onStop(listener)
  }
}
