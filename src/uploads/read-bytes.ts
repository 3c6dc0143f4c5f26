import type { Readable } from 'node:stream'
import type { FormFile, UploadedForm } from '../canonical/uploads/uploaded-form.ts'
import { listenToBody } from './listen-to-body.ts'
import { type FormReading, type ReadFormInput, storingFault } from './read-form.ts'
import type { SpooledBytes } from './spooled-bytes.ts'

/** Reads a body of arbitrary bytes as it arrives, as the only file of a form. */
export function readUploadedBytes(
  source: Readable,
  input: Pick<ReadFormInput, 'files' | 'judge'>,
): FormReading {
  return new BytesReader(source, input)
}

const noBytes = Buffer.alloc(0)

class BytesReader implements FormReading {
  readonly form: Promise<UploadedForm>
  bytes = 0
  readonly #source: Readable
  readonly #judge: ReadFormInput['judge']
  readonly #content: SpooledBytes
  readonly #settled = Promise.withResolvers<UploadedForm>()
  /** Stops listening to the source. */
  readonly #letGo: () => void
  #isOver = false
  /** Whether a chunk is being stored. The end of the body waits for that. */
  #isStoring = false
  #hasEnded = false

  constructor(source: Readable, { files, judge }: Pick<ReadFormInput, 'files' | 'judge'>) {
    this.#source = source
    this.#judge = judge
    this.#content = files.add()
    this.form = this.#settled.promise
    this.#letGo = listenToBody(source, {
      onData: (chunk) => this.#onData(chunk),
      onEnd: () => this.#onEnd(),
      onCut: (error) => this.fail(error),
    })
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#letGo()
    this.#source.pause()
    this.#settled.reject(error)
  }

  #onData(chunk: Buffer): void {
    const fault = this.#judge(this.bytes, chunk.length)
    if (fault !== undefined) {
      this.fail(fault)
      return
    }
    this.bytes += chunk.length
    this.#source.pause()
    this.#isStoring = true
    this.#content.write(chunk).then(
      () => this.#onStored(),
      (error: unknown) => this.fail(storingFault(error)),
    )
  }

  #onStored(): void {
    this.#isStoring = false
    if (this.#isOver) return
    if (this.#hasEnded) this.#finish()
    else this.#source.resume()
  }

  #onEnd(): void {
    this.#hasEnded = true
    if (!this.#isStoring && !this.#isOver) this.#finish()
  }

  #finish(): void {
    this.#isOver = true
    this.#letGo()
    const file: FormFile = {
      type: 'file',
      name: 'file',
      filename: 'file',
      mediaType: 'application/octet-stream',
      content: this.#content,
      head: noBytes,
      tail: noBytes,
    }
    this.#settled.resolve({ parts: [file], bytes: this.bytes, digest: undefined })
  }
}
